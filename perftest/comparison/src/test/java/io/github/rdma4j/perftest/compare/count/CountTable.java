// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import java.io.PrintStream;
import java.util.Locale;

/** Prints the counts as text, a row as soon as it is complete. */
public final class CountTable {
    private static final String HEADING = "%-13s %9s %12s %12s %8s %12s %12s %8s%n";
    private static final String ROW = "%-13s %9d %12.1f %12.1f %+8.1f %12.1f %12.1f %8.4f%s%n";

    private CountTable() {}

    /** Prints the names of the columns. */
    public static void heading(PrintStream out) {
        out.printf(
                Locale.ROOT,
                HEADING,
                "tool",
                "bytes",
                "user Java",
                "user C",
                "extra",
                "kernel Java",
                "kernel C",
                "ratio");
    }

    /** Prints the counts of a case. */
    public static void row(PrintStream out, CountedCase one) {
        out.printf(
                Locale.ROOT,
                ROW,
                one.test().tool().command(),
                one.test().size(),
                one.javaUser(),
                one.cUser(),
                one.extra(),
                one.java().kernel(),
                one.c().kernel(),
                one.ratio(),
                one.ending().remark());
    }

    /** Explains the columns. */
    public static void explanation(PrintStream out) {
        out.print("""
                Instructions of one operation, the server in C both times. user: outside the kernel, a wait counted once.
                kernel: of the hundred operations with the fewest; it depends on what else the kernel does, and where two sides
                wait for each other it is mostly their taking turns. not settled: the last two runs did not agree, or the
                parts of a run: the compiler was still at work. within its limit: --expect is met, and another run could count less.
                ratio = (user Java + kernel C) / (user C + kernel C).
                """);
    }
}
