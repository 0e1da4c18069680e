// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.benchmarks;

import java.util.List;

/**
 * One line of the report: an operation as C does it, as rdma4j does it, and where there is one as a JNI library does
 * it.
 *
 * @param operation a description of the operation
 * @param c the benchmark of C, as {@code Class.method}
 * @param java the benchmark of rdma4j
 * @param jni the benchmark of JNI, or empty
 * @param limit how slow Java may be
 */
public record Comparison(String operation, String c, String java, String jni, Limit limit) {
    /** The limit: C's time multiplied by a factor, plus nanoseconds. */
    public record Limit(double times, double plus) {
        double of(double c) {
            return times * c + plus;
        }

        @Override
        public String toString() {
            return times == 1 ? "C + %.0f ns".formatted(plus) : "%.1f × C".formatted(times);
        }
    }

    /** Java may be as slow as it is. */
    public static final Limit NONE = new Limit(Double.POSITIVE_INFINITY, 0);

    /** Java may take so much longer than C. */
    public static Limit plus(double nanoseconds) {
        return new Limit(1, nanoseconds);
    }

    /** Java may take so many times as long as C. */
    public static Limit times(double factor) {
        return new Limit(factor, 0);
    }

    boolean isLimited() {
        return limit != NONE;
    }

    /** The benchmarks of this line. */
    List<String> benchmarks() {
        return jni.isEmpty() ? List.of(c, java) : List.of(c, java, jni);
    }
}
