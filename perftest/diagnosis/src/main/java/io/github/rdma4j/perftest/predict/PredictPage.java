// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.findings.Paragraphs;
import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.Load;
import java.util.Locale;

/** Lays a prediction out for people. */
final class PredictPage {
    private static final double FAR = 20;

    private final Paragraphs text = new Paragraphs();

    private PredictPage() {}

    static String of(Prediction prediction) {
        PredictPage page = new PredictPage();
        page.head(prediction);
        prediction.paths().forEach(path -> page.path(path, prediction));
        return page.text.toString();
    }

    private void head(Prediction prediction) {
        text.entry("", prediction.machine().name());
        for (String assumption : prediction.machine().assumptions()) {
            text.entry("  assumed ", assumption);
        }
        text.entry(
                "  ",
                "GB = 10⁹ bytes; " + prediction.depth()
                        + " messages on their way at once; CPU is of both ends together, without spinning."
                        + " --json has the sources of the figures.");
    }

    private void path(DataPath path, Prediction prediction) {
        text.line("");
        text.entry("", path.kind().title() + ": at most " + NumberText.rate(path.limit()));
        text.entry("  limited by ", NumberText.bound(path.bottleneck()));
        text.entry("  copies     ", String.join("; ", path.copies()));
        if (!path.loads().isEmpty()) {
            text.line("");
            text.line(row("link", "traffic per GiB", "link capacity", "data at most"));
            path.limits().forEach((name, limit) -> {
                // Headers in the opposite direction are not worth a line.
                if (limit < FAR * path.limit()) {
                    link(path, name, limit);
                }
            });
        }
        text.line("");
        text.line("   message     data rate  share of limit  CPU time per GiB  limited by");
        for (long size : prediction.sizes()) {
            DataPath.Expectation expected = path.expect(size, prediction.depth());
            text.entry(
                    String.format(
                            Locale.ROOT,
                            "%10s  %12s  %14s  %16s  ",
                            NumberText.size(size),
                            NumberText.rate(expected.bandwidth()),
                            NumberText.percent(expected.bandwidth() / path.limit()),
                            NumberText.seconds(expected.processor())),
                    NumberText.bound(expected.bound()));
        }
    }

    private void link(DataPath path, String name, double limit) {
        double bytes = 0;
        double capacity = 0;
        for (Load load : path.loads()) {
            if (load.name().equals(name)) {
                bytes += load.perByte();
                capacity = load.capacity();
            }
        }
        text.line(row(name, NumberText.number(bytes, 3) + " GiB", NumberText.rate(capacity), NumberText.rate(limit)));
    }

    private static String row(String name, String bytes, String capacity, String limit) {
        return String.format(Locale.ROOT, "  %-62s %15s %14s %13s", name, bytes, capacity, limit);
    }
}
