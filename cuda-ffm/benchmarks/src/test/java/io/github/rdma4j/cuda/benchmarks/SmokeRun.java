// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.benchmarks.Measurements;
import io.github.rdma4j.benchmarks.Report;

/** Calls every benchmark on the stand-in; started by {@link BenchmarksTest} in a JVM that finds it. */
public final class SmokeRun {
    private SmokeRun() {}

    /**
     * Throws if a benchmark does not do what it says.
     *
     * @param arguments none
     * @throws Throwable what a benchmark throws
     */
    public static void main(String[] arguments) throws Throwable {
        Calls calls = new Calls();
        calls.open();
        assertThat(calls.cStreamQuery()).isZero();
        assertThat(calls.cEventQuery()).isZero();
        assertThat(calls.cFlush()).isZero();
        assertThat(calls.javaStreamQuery()).isEqualTo(Calls.ROUNDS);
        assertThat(calls.javaEventQuery()).isEqualTo(Calls.ROUNDS);
        calls.javaFlush();
        calls.close();
        Measurements measurements = new Measurements(Main.class);
        Report report = new Report(Main.LINES, measurements);
        for (String benchmark : report.benchmarks()) {
            measurements.run(benchmark, false);
        }
        assertThat(report.table().lines()).hasSize(2 + Main.LINES.size());
        assertThat(report.medians()).contains("Calls.javaFlush");
        assertThat(Report.conditions()).contains("JDK");
    }
}
