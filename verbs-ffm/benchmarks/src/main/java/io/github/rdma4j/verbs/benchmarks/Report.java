// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The report: a table in Markdown, and the conditions of the measurement. */
final class Report {
    /** Less than any object per batch: what remains is the measuring itself. */
    private static final double NO_ALLOCATION = 0.1;

    private final Measurements measurements;

    Report(Measurements measurements) {
        this.measurements = measurements;
    }

    /** {@return the table} */
    String table() {
        StringBuilder text = new StringBuilder();
        text.append(
                "| operation | C, ns | Java, ns | Java − C, ns | Java / C | allowed | JNI, ns | Java, B/op | verdict"
                        + " |\n");
        text.append("|---|---:|---:|---:|---:|---|---:|---:|---|\n");
        for (Comparison line : Comparison.ALL) {
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
    String medians() {
        StringBuilder text = new StringBuilder("| benchmark | best, ns | median, ns |\n|---|---:|---:|\n");
        Comparison.ALL.stream()
                .flatMap(line -> line.benchmarks().stream())
                .distinct()
                .forEach(name -> text.append(
                        "| %s | %.2f | %.2f |\n".formatted(name, measurements.best(name), measurements.median(name))));
        return text.toString();
    }

    /** {@return machine, JDK and compiler} */
    static String conditions() {
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
            List<String> lines = Files.readAllLines(Path.of("/proc/cpuinfo"));
            return lines.stream()
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
