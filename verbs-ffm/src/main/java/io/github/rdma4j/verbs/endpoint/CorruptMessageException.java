// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.internal.endpoint.protocol.Loss;

/**
 * A message arrived whose checksum ({@link EndpointConfig#integrity}) does not match. It was not passed to the program.
 * The connection is lost, since messages after a missing one are useless.
 *
 * <p>Adapters and TCP detect corruption on the link. This exception reports corruption elsewhere: in the memory of
 * either machine, in an adapter, a switch or a kernel, or by a program that overwrites a message.
 *
 * @serial exclude
 * @since 0.1.0
 */
public final class CorruptMessageException extends ConnectionLostException {
    private static final long serialVersionUID = 1L;

    private final long number;
    private final long length;
    private final int expected;
    private final int found;

    CorruptMessageException(String operation, String reason, Loss.Corruption corruption) {
        super(
                operation,
                reason,
                null,
                "look for failing memory on both machines (edac-util, dmesg), and for code that writes to buffers of"
                        + " the endpoint; connect again, and send again what was not answered");
        this.number = corruption.number();
        this.length = corruption.length();
        this.expected = corruption.said();
        this.found = corruption.found();
    }

    /** {@return the number of the message among the peer's messages, from 1} */
    public long number() {
        return number;
    }

    /** {@return the length of the received message, in bytes} */
    public long length() {
        return length;
    }

    /** {@return the checksum that was received with the message} */
    public int expectedSum() {
        return expected;
    }

    /** {@return the checksum of the received bytes and the expected number} */
    public int foundSum() {
        return found;
    }
}
