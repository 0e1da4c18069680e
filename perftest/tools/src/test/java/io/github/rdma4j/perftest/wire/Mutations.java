// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/** Spoils the messages of an honest peer. */
final class Mutations {
    private static final int[] NUMBERS = {
        0, 1, -1, 7, 4095, 4097, 1 << 16, 1 << 20, 1 << 24, 1 << 30, Integer.MIN_VALUE, Integer.MAX_VALUE
    };
    private static final double[] RATES = {
        Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -0.0, -1, Double.MAX_VALUE, Double.MIN_VALUE
    };
    private static final String TEXT = "0123456789abcdefABCDEFxX:.-+ \0%\n";

    private Mutations() {}

    /** Changes one to three things. */
    static void spoil(List<byte[]> messages, RandomGenerator random) {
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes && !messages.isEmpty(); i++) {
            int at = random.nextInt(messages.size());
            switch (random.nextInt(10)) {
                case 0 -> messages.remove(at);
                case 1 -> messages.add(at, messages.get(at).clone());
                case 2 -> messages.add(at, messages.remove(random.nextInt(messages.size())));
                case 3 -> messages.set(at, random(random, messages.get(at).length));
                case 4 -> messages.set(at, random(random, random.nextInt(600)));
                case 5 ->
                    messages.set(at, Arrays.copyOf(messages.get(at), random.nextInt(messages.get(at).length + 1)));
                case 6 -> flip(messages.get(at), random);
                case 7 -> number(messages.get(at), random);
                case 8 -> text(messages.get(at), random);
                default -> garbage(messages, at, random);
            }
        }
    }

    private static byte[] random(RandomGenerator random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void flip(byte[] message, RandomGenerator random) {
        for (int i = random.nextInt(8); i >= 0 && message.length > 0; i--) {
            message[random.nextInt(message.length)] ^= (byte) (1 << random.nextInt(8));
        }
    }

    /** Puts an extreme number where a number may stand. */
    private static void number(byte[] message, RandomGenerator random) {
        if (message.length >= 8 && random.nextBoolean()) {
            int at = random.nextInt(message.length / 8) * 8;
            ByteBuffer.wrap(message).putDouble(at, RATES[random.nextInt(RATES.length)]);
        } else if (message.length >= 4) {
            int at = random.nextInt(message.length / 4) * 4;
            ByteBuffer.wrap(message).putInt(at, NUMBERS[random.nextInt(NUMBERS.length)]);
        }
    }

    /** Puts letters, digits and separators where they do not belong. */
    private static void text(byte[] message, RandomGenerator random) {
        byte[] letters = TEXT.getBytes(StandardCharsets.US_ASCII);
        for (int i = random.nextInt(8); i >= 0 && message.length > 0; i--) {
            message[random.nextInt(message.length)] = letters[random.nextInt(letters.length)];
        }
    }

    /** From there on nothing makes sense. */
    private static void garbage(List<byte[]> messages, int from, RandomGenerator random) {
        for (int i = from; i < messages.size(); i++) {
            messages.set(i, random(random, messages.get(i).length));
        }
        messages.add(random(random, 1 << random.nextInt(18)));
    }
}
