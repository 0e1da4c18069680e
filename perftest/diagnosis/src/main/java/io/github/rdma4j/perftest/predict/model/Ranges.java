// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/** Refuses numbers that nothing can have. */
final class Ranges {
    /** Numbers beyond are mistakes, and would leave what can be calculated. */
    private static final double LARGEST = 1e12;

    private static final double LEAST = 1e-6;

    private Ranges() {}

    static void positive(String name, double value) {
        if (!(value >= LEAST && value <= LARGEST)) {
            throw new IllegalArgumentException(name + ": " + value + " is not in " + LEAST + ".." + LARGEST);
        }
    }

    static void notNegative(String name, double value) {
        if (!(value >= 0 && value <= LARGEST)) {
            throw new IllegalArgumentException(name + ": " + value + " is not in 0.." + LARGEST);
        }
    }

    static void within(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " is not in " + least + ".." + most);
        }
    }

    static void powerOfTwo(String name, int value, int least, int most) {
        within(name, value, least, most);
        if (Integer.bitCount(value) != 1) {
            throw new IllegalArgumentException(name + ": " + value + " is no power of two");
        }
    }

    static void share(String name, double value) {
        if (!(value >= LEAST && value <= 1)) {
            throw new IllegalArgumentException(name + ": " + value + " is not in " + LEAST + "..1");
        }
    }
}
