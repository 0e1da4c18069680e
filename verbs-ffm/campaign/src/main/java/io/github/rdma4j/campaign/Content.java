// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/** The messages of one direction. Sender and receiver compute them from seed and number. */
final class Content {
    private static final int SMALLEST = Long.BYTES;

    private final long seed;
    private final int largest;

    /** @param largest the size of the largest message */
    Content(long seed, int largest) {
        this.seed = seed;
        this.largest = largest;
    }

    /** {@return message {@code number}, from 1: its number, then random bytes} */
    byte[] message(long number) {
        SplittableRandom random = new SplittableRandom(seed ^ number * 0x9e3779b97f4a7c15L);
        byte[] message = new byte[random.nextInt(SMALLEST, largest + 1)];
        random.nextBytes(message);
        buffer(message).putLong(0, number);
        return message;
    }

    /** {@return the last message, which contains the number of earlier messages} */
    static byte[] last(long count) {
        byte[] message = new byte[Long.BYTES];
        buffer(message).putLong(0, -count);
        return message;
    }

    /** {@return the number of earlier messages, if this is the last one; otherwise -1} */
    static long countOf(byte[] message) {
        long number = message.length == Long.BYTES ? buffer(message).getLong(0) : 1;
        return number > 0 ? -1 : -number;
    }

    /** {@return the error in the received message {@code number}; empty if there is none} */
    String complaint(byte[] message, long number) {
        if (Arrays.equals(message, message(number))) {
            return "";
        }
        long claimed = message.length < Long.BYTES ? -1 : buffer(message).getLong(0);
        return "message " + number + " was to come, and " + message.length + " bytes came that call themselves "
                + claimed + (Arrays.equals(message, message(claimed)) ? " and are that" : " and are not");
    }

    private static ByteBuffer buffer(byte[] message) {
        return ByteBuffer.wrap(message).order(ByteOrder.BIG_ENDIAN);
    }
}
