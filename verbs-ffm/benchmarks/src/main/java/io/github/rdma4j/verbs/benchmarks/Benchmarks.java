// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What all benchmarks here have in common: time per operation, in loops of the same length in C and in Java. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public abstract class Benchmarks {
    /** Operations per call of a benchmark method: enough that entering a C loop does not count. */
    static final int ROUNDS = 1000;

    /** Requests in a batch, and completions of one poll. */
    static final int BATCH = 16;

    /** For subclasses. */
    Benchmarks() {}
}
