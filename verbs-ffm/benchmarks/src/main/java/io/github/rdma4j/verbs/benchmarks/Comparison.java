// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

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
record Comparison(String operation, String c, String java, String jni, Limit limit) {
    /** The limit: C's time multiplied by a factor, plus nanoseconds. */
    record Limit(double times, double plus) {
        double of(double c) {
            return times * c + plus;
        }

        @Override
        public String toString() {
            return times == 1 ? "C + %.0f ns".formatted(plus) : "%.1f × C".formatted(times);
        }
    }

    private static final Limit NONE = new Limit(Double.POSITIVE_INFINITY, 0);

    /** All lines, in the order of the report. */
    static final List<Comparison> ALL = List.of(
            new Comparison("empty poll", "EmptyPoll.c", "EmptyPoll.java", "EmptyPoll.jni", plus(4)),
            new Comparison(
                    "write of one segment: fill and post", "Post.cWrite", "Post.javaWrite", "Post.jniWrite", plus(8)),
            new Comparison(
                    "the same, where posting may enter the kernel", "Post.cWrite", "Post.javaKernelWrite", "", NONE),
            new Comparison("prepared write: post", "Post.cPreparedWrite", "Post.javaPreparedWrite", "", NONE),
            new Comparison(
                    "prepared write, where posting may enter the kernel",
                    "Post.cPreparedWrite",
                    "Post.javaPreparedKernelWrite",
                    "",
                    NONE),
            new Comparison(
                    "receive of one segment: fill and post",
                    "Post.cReceive",
                    "Post.javaReceive",
                    "Post.jniReceive",
                    plus(8)),
            new Comparison("prepared receive: post", "Post.cPreparedReceive", "Post.javaPreparedReceive", "", NONE),
            new Comparison("batch of 16 writes, per request", "Post.cBatch", "Post.javaBatch", "", times(1.3)),
            new Comparison("write, extended posting", "ExtendedPost.cWrite", "ExtendedPost.javaWrite", "", times(2)),
            new Comparison(
                    "prepared write, extended posting",
                    "ExtendedPost.cWrite",
                    "ExtendedPost.javaPreparedWrite",
                    "",
                    NONE),
            new Comparison(
                    "batch of 16 writes, extended posting, per request",
                    "ExtendedPost.cBatch",
                    "ExtendedPost.javaBatch",
                    "",
                    times(2)),
            new Comparison(
                    "poll of 1 completion, reading it", "ReadCompletions.cOne", "ReadCompletions.javaOne", "", plus(6)),
            new Comparison(
                    "poll of 16 completions, reading each; per completion",
                    "ReadCompletions.cSixteen",
                    "ReadCompletions.javaSixteen",
                    "",
                    plus(2)),
            new Comparison(
                    "the same with the cursor of an extended queue", "ReadCursor.c", "ReadCursor.java", "", NONE));

    private static Limit plus(double nanoseconds) {
        return new Limit(1, nanoseconds);
    }

    private static Limit times(double factor) {
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
