// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.perftest.document.SeriesDocument;
import io.github.rdma4j.perftest.figures.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The report as a results document: a series for each direction, number of threads and path. */
final class GdsDocument {
    private static final double MIB = 1 << 20;
    private static final double MILLION = 1e6;

    private GdsDocument() {}

    static SeriesDocument of(GdsReport report) {
        Map<List<Object>, List<GdsResult>> series = new LinkedHashMap<>();
        for (GdsResult each : report.results()) {
            series.computeIfAbsent(List.of(each.write(), each.threads(), each.method()), _ -> new ArrayList<>())
                    .add(each);
        }
        return new SeriesDocument(
                report.started(),
                report.seconds(),
                report.environment(),
                report.state(),
                report.failure(),
                series.values().stream()
                        .map(each -> new SeriesDocument.Series(
                                info(report, each.getFirst()),
                                each.stream()
                                        .map(result -> result(report, result))
                                        .toList()))
                        .toList());
    }

    private static Map<String, Object> info(GdsReport report, GdsResult first) {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("test", "GPUDirect Storage Bandwidth");
        info.put("tool", GdsCommand.NAME);
        info.put("role", "alone");
        info.put("implementation", "java");
        info.put("variant", first.method().word());
        info.put("direction", first.write() ? "write" : "read");
        info.put("threads", first.threads());
        info.put("file", report.file());
        info.put("file_size", report.fileSize());
        info.put("file_system", report.fileSystem());
        info.put("cuda_device", report.gpu());
        Map<String, Object> methods = new LinkedHashMap<>();
        report.decisions().forEach((method, decision) -> methods.put(method.word(), decision));
        info.put("methods", methods);
        return info;
    }

    private static Map<String, Object> result(GdsReport report, GdsResult result) {
        Map<String, Object> fields = new LinkedHashMap<>();
        Spread speeds = result.spread();
        long transfers = (report.fileSize() + result.size() - 1) / result.size();
        fields.put("MsgSize", result.size());
        fields.put("n_iterations", transfers * result.speeds().size());
        fields.put("BW_unit", "MiB/sec");
        fields.put("BW_average", speeds.median());
        fields.put("BW_peak", speeds.maximum());
        fields.put("MsgRate", speeds.median() * MIB / result.size() / MILLION);
        fields.put(
                "rounds",
                result.speeds().stream()
                        .map(each -> Map.<String, Object>of("BW_average", each))
                        .toList());
        Map<String, Object> spread = new LinkedHashMap<>();
        spread.put("min", speeds.minimum());
        spread.put("median", speeds.median());
        spread.put("max", speeds.maximum());
        fields.put("spread", Map.of("BW_average", spread));
        fields.put("compared_bytes", result.bytes());
        return fields;
    }
}
