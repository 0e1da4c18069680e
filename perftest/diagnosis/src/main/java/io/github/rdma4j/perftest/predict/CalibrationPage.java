// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.findings.Paragraphs;
import io.github.rdma4j.perftest.predict.machine.Calibration;
import io.github.rdma4j.perftest.predict.model.DataPath.ServiceTime;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Lays a calibration out for people. */
final class CalibrationPage {
    private CalibrationPage() {}

    /**
     * The page.
     *
     * @param others sizes to predict besides the measured ones
     */
    static String of(Calibration calibration, List<Long> others) {
        Paragraphs text = new Paragraphs();
        ServiceTime times = calibration.times();
        text.entry(
                "",
                calibration.tool() + " on " + calibration.device() + ", MTU " + calibration.mtu() + ", from "
                        + calibration.file());
        text.entry(
                "  fitted to ",
                calibration.fitted().stream().map(NumberText::size).collect(Collectors.joining(", ")) + ": "
                        + NumberText.number(times.message(), 3) + " µs a message, "
                        + NumberText.number(times.packet(), 3) + " µs a packet, "
                        + NumberText.number(times.kibibyte(), 4) + " µs for 1024 bytes");
        text.line("");
        text.line("      size      measured     predicted     error");
        Set<Long> sizes = new TreeSet<>(calibration.measured().keySet());
        sizes.addAll(others);
        for (long size : sizes) {
            Double measured = calibration.measured().get(size);
            double predicted = calibration.predict(size);
            text.line(String.format(
                            Locale.ROOT,
                            "%10s  %12s  %12s  %8s%s",
                            NumberText.size(size),
                            measured == null ? "-" : NumberText.rate(measured),
                            NumberText.rate(predicted),
                            measured == null ? "-" : signed(predicted / measured - 1),
                            calibration.fitted().contains(size) ? "  fitted" : "")
                    .stripTrailing());
        }
        return text.toString();
    }

    private static String signed(double share) {
        return String.format(Locale.ROOT, "%+.1f %%", share * 100);
    }
}
