// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.openjdk.jmh.runner.RunnerException;

/** The report: a table in Markdown, and the conditions of the measurement. */
public final class Report {
    /** Less than any object per batch: what remains is the measuring itself. */
    private static final double NO_ALLOCATION = 0.1;

    private final List<Comparison> lines;
    private final Measurements measurements;

    /**
     * Creates a report.
     *
     * @param lines its lines, in their order
     */
    public Report(List<Comparison> lines, Measurements measurements) {
        this.lines = lines;
        this.measurements = measurements;
    }

    /**
     * Measures all lines in several rounds and prints the report. C and Java alternate, each in a separate JVM, so that
     * other load on the machine affects both.
     *
     * @param main a class of the package that has the benchmarks
     * @param heading of the file
     * @param arguments the number of rounds, then optionally a file for the report
     * @throws RunnerException if a benchmark fails
     * @throws IOException if the report cannot be written
     */
    public static void measure(Class<?> main, String heading, List<Comparison> lines, String... arguments)
            throws RunnerException, IOException {
        int rounds = Integer.parseInt(arguments[0]);
        Measurements measurements = new Measurements(main);
        Report report = new Report(lines, measurements);
        for (int round = 1; round <= rounds; round++) {
            System.err.printf("round %d of %d%n", round, rounds);
            for (String benchmark : report.benchmarks()) {
                measurements.run(benchmark, true);
            }
        }
        String text =
                """
            %s
            Best of %d iterations of 5 ms in %d JVMs each; %s.

            %s\
            """.formatted(report.table(), Measurements.ITERATIONS * rounds, rounds, conditions(), report.medians());
        System.out.print(text);
        if (arguments.length > 1) {
            Files.writeString(Path.of(arguments[1]), heading + text);
        }
    }

    /** Returns the benchmarks of all lines. */
    public List<String> benchmarks() {
        return lines.stream()
                .flatMap(line -> line.benchmarks().stream())
                .distinct()
                .toList();
    }

    /** {@return the table} */
    public String table() {
        StringBuilder text = new StringBuilder();
        text.append(
                "| operation | C, ns | Java, ns | Java − C, ns | Java / C | allowed | JNI, ns | Java, B/op | verdict"
                        + " |\n");
        text.append("|---|---:|---:|---:|---:|---|---:|---:|---|\n");
        for (Comparison line : lines) {
            double c = measurements.best(line.c());
            double java = measurements.best(line.java());
            double bytes = measurements.allocated(line.java());
            text.append("| %s | %.2f | %.2f | %+.2f | %.2f | %s | %s | %s | %s |\n"
                    .formatted(
                            line.operation(),
                            c,
                            java,
                            java - c,
                            java / c,
                            line.isLimited() ? line.limit() : "–",
                            line.jni().isEmpty() ? "–" : "%.2f".formatted(measurements.best(line.jni())),
                            bytes < NO_ALLOCATION ? "0" : "%.1f".formatted(bytes),
                            verdict(line, c, java, bytes)));
        }
        return text.toString();
    }

    private static String verdict(Comparison line, double c, double java, double bytes) {
        if (bytes >= NO_ALLOCATION) {
            return "**allocates**";
        }
        if (!line.isLimited()) {
            return "–";
        }
        return java <= line.limit().of(c) ? "met" : "**missed**";
    }

    /** {@return the best and the median of each benchmark; their distance shows how disturbed the run was} */
    public String medians() {
        StringBuilder text = new StringBuilder("| benchmark | best, ns | median, ns |\n|---|---:|---:|\n");
        benchmarks()
                .forEach(name -> text.append(
                        "| %s | %.2f | %.2f |\n".formatted(name, measurements.best(name), measurements.median(name))));
        return text.toString();
    }

    /** {@return machine, JDK and compiler} */
    public static String conditions() {
        return "%s, Linux %s, JDK %s (%s), %s"
                .formatted(
                        processor(),
                        System.getProperty("os.version"),
                        System.getProperty("java.vm.version"),
                        System.getProperty("java.vm.vendor"),
                        System.getProperty("rdma4j.benchmarks.compiler", "an unknown C compiler"));
    }

    private static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("an unknown processor");
        } catch (IOException e) {
            return "an unknown processor";
        }
    }

    static {
        // Numbers with a point, wherever it runs.
        Locale.setDefault(Locale.ROOT);
    }
}
