// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The sums of an endpoint's messages (EndpointConfig.integrity): the sender puts one behind each message, and
 * the receiver asks whether it is right. Used by one thread at a time; nothing is allocated.
 *
 * <p>A sum is the CRC32C of the message, exclusive-or the number of the message in its direction. The number makes a
 * difference where a buffer still holds an earlier message, whose own sum is right: memory that the adapter has not
 * written yet, a message that comes twice, and one that is missing.
 */
public final class Checksum {
    /** How long a sum is. */
    public static final int BYTES = Integer.BYTES;

    private final CRC32C crc = new CRC32C();
    private long sent;
    private long received;
    private long corrupt;
    private int declared;
    private int found;

    /**
     * The sum of the first bytes of a buffer, from its start.
     *
     * @param bytes whose position and limit change
     */
    private int sum(ByteBuffer bytes, int length, long number) {
        bytes.limit(length);
        bytes.position(0);
        crc.reset();
        crc.update(bytes);
        bytes.limit(bytes.capacity());
        return (int) crc.getValue() ^ (int) number;
    }

    /** Puts the sum behind the next message that is sent. */
    void seal(ByteBuffer buffer, int length) {
        buffer.order(ByteOrder.BIG_ENDIAN).putInt(length, sum(buffer, length, sent));
        sent++;
    }

    /** Whether the next message that was received, without its sum, is what was sent; if so, it counts. */
    boolean isIntact(ByteBuffer buffer, int length) {
        declared = buffer.order(ByteOrder.BIG_ENDIAN).getInt(length);
        found = sum(buffer, length, received);
        if (declared != found) {
            corrupt++;
            return false;
        }
        received++;
        return true;
    }

    /** The sum that came with the message that was asked for last. */
    int declared() {
        return declared;
    }

    /** The sum that its bytes have. */
    int found() {
        return found;
    }

    /** Which one of the peer's messages is expected next, from 1. */
    long next() {
        return received + 1;
    }

    /** How many messages were given a sum. */
    public long sent() {
        return sent;
    }

    /** How many have come as they were sent. */
    public long intact() {
        return received;
    }

    /** How many have not. */
    public long corrupt() {
        return corrupt;
    }
}
