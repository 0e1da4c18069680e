// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import static io.github.rdma4j.benchmarks.Comparison.NONE;
import static io.github.rdma4j.benchmarks.Comparison.plus;
import static io.github.rdma4j.benchmarks.Comparison.times;

import io.github.rdma4j.benchmarks.Comparison;
import io.github.rdma4j.benchmarks.Report;
import java.io.IOException;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/** Measures C and Java and prints the report; {@code scripts/bench verbs} starts it. */
public final class Main {
    private static final String HEADING = """
        # Report of scripts/bench verbs

        Written by `scripts/bench verbs --write`. [Benchmarks](../benchmarks.md) explains the rows.

        """;

    /** All lines, in the order of the report. */
    static final List<Comparison> LINES = List.of(
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

    private Main() {}

    /**
     * Runs the benchmarks.
     *
     * @param arguments the number of rounds, then optionally a file for the report
     * @throws RunnerException if one of them fails
     * @throws IOException if the report cannot be written
     */
    public static void main(String[] arguments) throws RunnerException, IOException {
        Report.measure(Main.class, HEADING, LINES, arguments);
    }
}
