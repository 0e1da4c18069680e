// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import io.github.rdma4j.perftest.predict.model.DataPath;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.PathKind;
import io.github.rdma4j.perftest.predict.model.Paths;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;

/** Reference values for bandwidths: the limits of links, and a prediction. */
final class Guides {
    private static final double MEBIBYTE = 1 << 20;
    private static final int USUAL_DEPTH = 128;
    /** Links with a much higher limit are not shown. */
    private static final double NEAR = 3;

    private Guides() {}

    /**
     * The guides of a chapter of bandwidth, in MiB/s.
     *
     * @param machine whose paths to predict; empty for none
     */
    static List<Chart.Guide> of(Chapter chapter, Optional<MachineModel> machine) {
        if (chapter.latency() || !chapter.title().startsWith("ib_")) {
            return List.of();
        }
        SortedSet<Long> sizes = chapter.sizes();
        Map<String, Double> limits = new LinkedHashMap<>();
        chapter.series().stream()
                .flatMap(line -> line.test().limit().stream())
                .forEach(limit -> limits.merge(name(limit.link()), limit.bytesPerSecond(), Math::min));
        Optional<DataPath> path = machine.flatMap(model -> Paths.of(model, kind(chapter)));
        path.ifPresent(found -> found.limits().forEach((link, limit) -> {
            if (limit < NEAR * found.limit()) {
                limits.merge(name(link), limit, Math::min);
            }
        }));
        List<Chart.Guide> guides = new ArrayList<>();
        path.ifPresent(found -> guides.add(new Chart.Guide(
                "predicted",
                sizes.stream()
                        .map(size ->
                                point(size, found.expect(size, depth(chapter)).bandwidth()))
                        .toList())));
        limits.forEach((name, limit) ->
                guides.add(new Chart.Guide(name, List.of(point(sizes.first(), limit), point(sizes.last(), limit)))));
        return guides;
    }

    /** Returns the name without the end and the direction; the lowest of these limits counts. */
    private static String name(String link) {
        return "limit: "
                + link.replaceFirst(" (of the [a-z]+'s? (adapter|GPU)|behind \\d+-byte payloads)\\b.*", "")
                        .replaceFirst(", (to|from|one way|reads and).*", "");
    }

    private static double[] point(long size, double bytesPerSecond) {
        return new double[] {size, bytesPerSecond / MEBIBYTE};
    }

    private static PathKind kind(Chapter chapter) {
        ProgramRun test = chapter.series().getFirst().test();
        if (test.setting("gpu").isEmpty()) {
            return PathKind.HOST;
        }
        return test.setting("gpu_path").equals("staged") ? PathKind.STAGED : PathKind.GPUDIRECT;
    }

    private static int depth(Chapter chapter) {
        String depth = chapter.series().getFirst().test().setting("TX_depth");
        return depth.matches("[1-9]\\d{0,6}") ? Integer.parseInt(depth) : USUAL_DEPTH;
    }
}
