// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.benchmarks;

import java.util.List;

/**
 * One line of the report: a call as C makes it and as rdma4j does.
 *
 * @param operation in words
 * @param c the benchmark of C, as {@code Class.method}
 * @param java the benchmark of rdma4j
 * @param plus how many nanoseconds longer Java may take
 */
record Comparison(String operation, String c, String java, double plus) {
    /** All lines, in the order of the report. */
    static final List<Comparison> ALL = List.of(
            new Comparison("cuEventQuery: CudaEvent.isDone", "Calls.cEventQuery", "Calls.javaEventQuery", 8),
            new Comparison("cuStreamQuery: CudaStream.isDone", "Calls.cStreamQuery", "Calls.javaStreamQuery", 8),
            new Comparison(
                    "cuCtxSetCurrent and cuFlushGPUDirectRDMAWrites: CudaContext.flushGpuDirectWrites",
                    "Calls.cFlush",
                    "Calls.javaFlush",
                    16));

    /** The benchmarks of this line. */
    List<String> benchmarks() {
        return List.of(c, java);
    }
}
