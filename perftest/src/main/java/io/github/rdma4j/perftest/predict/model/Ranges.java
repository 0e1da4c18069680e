// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

/** Refuses numbers that nothing can have. */
final class Ranges {
    private Ranges() {}

    static void positive(String name, double value) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(name + ": " + value + " is not above 0");
        }
    }

    static void notNegative(String name, double value) {
        if (!(value >= 0) || Double.isInfinite(value)) {
            throw new IllegalArgumentException(name + ": " + value + " is below 0");
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
        if (!(value > 0) || value > 1) {
            throw new IllegalArgumentException(name + ": " + value + " is not above 0 and at most 1");
        }
    }
}
