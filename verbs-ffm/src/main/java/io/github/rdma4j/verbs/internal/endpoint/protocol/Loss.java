// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/**
 * How a connection was lost.
 *
 * @param reason what ended it
 * @param cause the failure behind it; null if there is none
 * @param corruption of a message, which ended it; null if nothing was corrupt
 */
public record Loss(String reason, Throwable cause, Corruption corruption) {
    /**
     * A message that was not what the peer had sent.
     *
     * @param number of the message, from 1
     * @param length of the message as it came, in bytes
     * @param said the sum that came with it
     * @param found the sum of its bytes
     */
    public record Corruption(long number, long length, int said, int found) {}

    static Loss ofCorruption(String peer, Corruption what) {
        return new Loss(
                "message %d of %s, %d bytes, is corrupt: it came with the sum 0x%08x, and its bytes give 0x%08x"
                        .formatted(what.number, peer, what.length, what.said, what.found),
                null,
                what);
    }
}
