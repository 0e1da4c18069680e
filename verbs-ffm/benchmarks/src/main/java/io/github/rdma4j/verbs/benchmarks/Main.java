// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Measures all lines of {@link Comparison} in several rounds and prints the report; {@code scripts/bench verbs} starts
 * it. C and Java alternate, each in a separate JVM, so that other load on the machine affects both.
 */
public final class Main {
    private static final String HEADING = """
        # Report of scripts/bench verbs

        Written by `scripts/bench verbs --write`. [Benchmarks](../benchmarks.md) explains the rows.

        """;

    private Main() {}

    /**
     * Runs the benchmarks.
     *
     * @param arguments the number of rounds, then optionally a file for the report
     * @throws RunnerException if one of them fails
     * @throws IOException if the report cannot be written
     */
    public static void main(String[] arguments) throws RunnerException, IOException {
        int rounds = Integer.parseInt(arguments[0]);
        List<String> benchmarks = Comparison.ALL.stream()
                .flatMap(line -> line.benchmarks().stream())
                .distinct()
                .toList();
        Measurements measurements = new Measurements();
        for (int round = 1; round <= rounds; round++) {
            System.err.printf("round %d of %d%n", round, rounds);
            for (String benchmark : benchmarks) {
                measurements.run(benchmark, true);
            }
        }
        Report report = new Report(measurements);
        String text = """
            %s
            Best of %d iterations of 5 ms in %d JVMs each; %s.

            %s\
            """.formatted(
                report.table(), Measurements.ITERATIONS * rounds, rounds, Report.conditions(), report.medians());
        System.out.print(text);
        if (arguments.length > 1) {
            Files.writeString(Path.of(arguments[1]), HEADING + text);
        }
    }
}
