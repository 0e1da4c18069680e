// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Makes spoilt inputs of honest ones: bits and bytes, numbers where numbers stand, pieces lost, doubled, moved and
 * mixed.
 */
public final class Spoiler {
    private static final long[] NUMBERS = {
        0,
        1,
        -1,
        2,
        7,
        8,
        127,
        128,
        255,
        256,
        4095,
        4096,
        32767,
        65535,
        65536,
        1 << 20,
        1 << 24,
        1 << 30,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 32,
        1L << 40,
        1L << 53,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final String[] WORDS = {
        "",
        " ",
        "\n",
        "\t",
        "\0",
        "-",
        "+",
        ".",
        ":",
        ",",
        "/",
        "\"",
        "\\",
        "%s",
        "x",
        "-1",
        "0",
        "1",
        "0x",
        "0xffffffffffffffff",
        "1e308",
        "1e999",
        "-0.0",
        "NaN",
        "Infinity",
        "inf",
        "nan",
        "null",
        "true",
        "4294967296",
        "9223372036854775808",
        "99999999999999999999999",
        "\u00e9",
        "\ud83d\ude00",
        "\u0661"
    };
    private static final int MOST_CHANGES = 4;
    private static final int LONGEST_GARBAGE = 600;

    private final List<byte[]> honest;
    private final String[] words;

    /**
     * A spoiler.
     *
     * @param honest what the parser takes
     * @param words that mean something to it
     */
    public Spoiler(List<byte[]> honest, String... words) {
        this.honest = List.copyOf(honest);
        this.words = Arrays.copyOf(words, words.length + WORDS.length);
        System.arraycopy(WORDS, 0, this.words, words.length, WORDS.length);
    }

    List<byte[]> honest() {
        return honest;
    }

    byte[] spoilt(RandomGenerator random) {
        byte[] input = any(random).clone();
        for (int changes = 1 + random.nextInt(MOST_CHANGES); changes > 0; changes--) {
            input = changed(input, random);
        }
        return input;
    }

    private byte[] any(RandomGenerator random) {
        return honest.get(random.nextInt(honest.size()));
    }

    private byte[] changed(byte[] input, RandomGenerator random) {
        int from = random.nextInt(input.length + 1);
        int to = from + random.nextInt(Math.min(input.length - from, 64) + 1);
        return switch (random.nextInt(12)) {
            case 0 -> flipped(input, random);
            case 1 -> withByte(input, random);
            case 2, 3 -> withBinaryNumber(input, random);
            case 4, 5 -> withWrittenNumber(input, random);
            case 6 -> joined(input, 0, from, word(random), input, to, input.length);
            case 7 -> joined(input, 0, from, new byte[0], input, to, input.length);
            case 8 -> joined(input, 0, to, new byte[0], input, from, input.length);
            case 9 -> Arrays.copyOf(input, from);
            case 10 -> {
                byte[] other = any(random);
                yield joined(input, 0, from, new byte[0], other, random.nextInt(other.length + 1), other.length);
            }
            default ->
                random.nextInt(8) == 0
                        ? garbage(random)
                        : joined(input, 0, from, word(random), input, from, input.length);
        };
    }

    private byte[] word(RandomGenerator random) {
        return words[random.nextInt(words.length)].getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] garbage(RandomGenerator random) {
        byte[] bytes = new byte[random.nextInt(LONGEST_GARBAGE)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] flipped(byte[] input, RandomGenerator random) {
        if (input.length > 0) {
            input[random.nextInt(input.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return input;
    }

    private static byte[] withByte(byte[] input, RandomGenerator random) {
        if (input.length > 0) {
            input[random.nextInt(input.length)] = (byte) random.nextInt();
        }
        return input;
    }

    private static byte[] withBinaryNumber(byte[] input, RandomGenerator random) {
        int size = 1 << random.nextInt(4);
        if (input.length < size) {
            return input;
        }
        int at = random.nextBoolean()
                ? random.nextInt(input.length / size) * size
                : random.nextInt(input.length - size + 1);
        byte[] number = ByteBuffer.allocate(Long.BYTES)
                .putLong(NUMBERS[random.nextInt(NUMBERS.length)])
                .array();
        System.arraycopy(number, Long.BYTES - size, input, at, size);
        return input;
    }

    /** Replaces a number that is written in digits with another one. */
    private static byte[] withWrittenNumber(byte[] input, RandomGenerator random) {
        int digits = 0;
        for (byte each : input) {
            digits += isDigit(each) ? 1 : 0;
        }
        if (digits == 0) {
            return input;
        }
        int chosen = random.nextInt(digits);
        int from = 0;
        while (!isDigit(input[from]) || chosen-- > 0) {
            from++;
        }
        int to = from;
        while (to < input.length && isDigit(input[to])) {
            to++;
        }
        long number = NUMBERS[random.nextInt(NUMBERS.length)] + random.nextInt(-1, 2);
        return joined(
                input, 0, from, Long.toString(number).getBytes(StandardCharsets.US_ASCII), input, to, input.length);
    }

    private static boolean isDigit(byte each) {
        return each >= '0' && each <= '9';
    }

    private static byte[] joined(byte[] first, int from, int to, byte[] middle, byte[] last, int lastFrom, int lastTo) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(first, from, to - from);
        bytes.writeBytes(middle);
        bytes.write(last, lastFrom, lastTo - lastFrom);
        return bytes.toByteArray();
    }
}
