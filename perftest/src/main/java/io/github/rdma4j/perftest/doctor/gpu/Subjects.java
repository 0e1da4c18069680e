// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.gpu;

import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.Subject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Names several subjects of a kind in few words. */
final class Subjects {
    private final CheckReport report;
    private final int shownPairs;

    /**
     * @param shownPairs how many pairs the page shows
     */
    Subjects(CheckReport report, int shownPairs) {
        this.report = report;
        this.shownPairs = shownPairs;
    }

    /**
     * Returns words such as "mlx5_0, mlx5_1", "all GPUs", or "GPU0 - mlx5_0, mlx5_1; GPU1 - mlx5_2"; empty for the
     * host.
     */
    String words(List<Subject> subjects) {
        return switch (subjects.getFirst().kind()) {
            case HOST -> "";
            case GPU -> subjects.size() > 1 && subjects.size() == report.gpus().size() ? "all GPUs" : names(subjects);
            case ADAPTER ->
                subjects.size() > 1 && subjects.size() == report.adapters().size() ? "all adapters" : names(subjects);
            case PAIR -> subjects.size() > 1 && subjects.size() == shownPairs ? "all these pairs" : pairs(subjects);
        };
    }

    private static String names(List<Subject> subjects) {
        return subjects.stream().map(Subject::toString).collect(Collectors.joining(", "));
    }

    private static String pairs(List<Subject> pairs) {
        Map<String, String> adapters = new LinkedHashMap<>();
        pairs.forEach(pair -> adapters.merge(pair.gpu(), pair.adapter(), (some, more) -> some + ", " + more));
        return adapters.entrySet().stream()
                .map(entry -> entry.getKey() + " - " + entry.getValue())
                .collect(Collectors.joining("; "));
    }
}
