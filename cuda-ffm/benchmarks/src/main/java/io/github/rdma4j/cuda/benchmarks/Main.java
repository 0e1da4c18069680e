// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.benchmarks;

import static io.github.rdma4j.benchmarks.Comparison.plus;

import io.github.rdma4j.benchmarks.Comparison;
import io.github.rdma4j.benchmarks.Report;
import java.io.IOException;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/** Measures C and Java and prints the report; {@code scripts/bench cuda} starts it. */
public final class Main {
    private static final String HEADING = """
        # Report of scripts/bench cuda

        Written by `scripts/bench cuda --write`. [Benchmarks](../benchmarks.md#cuda-calls) explains the rows.

        """;

    /** All lines, in the order of the report. */
    static final List<Comparison> LINES = List.of(
            new Comparison("cuEventQuery: CudaEvent.isDone", "Calls.cEventQuery", "Calls.javaEventQuery", "", plus(8)),
            new Comparison(
                    "cuStreamQuery: CudaStream.isDone", "Calls.cStreamQuery", "Calls.javaStreamQuery", "", plus(8)),
            new Comparison(
                    "cuCtxSetCurrent and cuFlushGPUDirectRDMAWrites: CudaContext.flushGpuDirectWrites",
                    "Calls.cFlush",
                    "Calls.javaFlush",
                    "",
                    plus(16)));

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
