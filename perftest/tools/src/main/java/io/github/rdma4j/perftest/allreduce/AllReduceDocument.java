// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.document.SeriesDocument;
import io.github.rdma4j.perftest.result.RunState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report as a results document: a series for each type and operation, in place and out of place. */
final class AllReduceDocument {
    private AllReduceDocument() {}

    static SeriesDocument of(AllReduceReport report, AllReduceOptions options) {
        Map<List<Object>, List<Timing>> series = new LinkedHashMap<>();
        for (Timing each : report.timings()) {
            series.computeIfAbsent(List.of(each.type(), each.operation(), each.inPlace()), _ -> new ArrayList<>())
                    .add(each);
        }
        boolean wrong = report.state() == RunState.COMPLETE && report.wrong() > 0;
        return new SeriesDocument(
                report.started(),
                report.seconds(),
                report.environment(),
                wrong ? RunState.FAILED : report.state(),
                wrong ? report.wrong() + " values were wrong" : report.failure(),
                series.values().stream()
                        .map(each -> new SeriesDocument.Series(
                                info(report, options, each.getFirst()), results(report, each)))
                        .toList());
    }

    private static Map<String, Object> info(AllReduceReport report, AllReduceOptions options, Timing first) {
        Map<String, Object> info = new LinkedHashMap<>();
        info.put("test", "NCCL AllReduce");
        info.put("tool", AllReduceCommand.NAME);
        info.put("role", "rank");
        info.put("implementation", "java");
        info.put("variant", first.inPlace() ? "in place" : "out of place");
        info.put("nccl", report.library());
        info.put("ranks", report.ranks());
        info.put("datatype", first.type());
        info.put("operation", first.operation());
        info.put(
                "warm_up",
                options.warmUp() + " operations of each size"
                        + (options.compiles() ? ", and before all until compiled, 3 s at most" : ""));
        info.put("operations_in_a_group", options.grouped());
        info.put("time_of", options.average().name().toLowerCase(Locale.ROOT).replace('_', ' '));
        info.put("registration", options.registration());
        info.put(
                "places",
                report.places().stream()
                        .map(each -> "%s, process %d, %s;".formatted(each.host(), each.process(), each.gpu()))
                        .toList());
        info.put(
                "choices",
                report.choices().stream().map(AllReduceDocument::choice).toList());
        if (!report.logNote().isEmpty()) {
            info.put("choices_note", report.logNote());
        }
        return info;
    }

    private static Map<String, Object> choice(RankChoice each) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("ranks", each.ranks());
        fields.put("subject", each.choice().subject());
        fields.put("chosen", each.choice().chosen());
        fields.put("predicted", each.choice().predicted());
        fields.put("verdict", each.choice().verdict().words());
        fields.put("remark", each.choice().remark());
        return fields;
    }

    private static List<Map<String, Object>> results(AllReduceReport report, List<Timing> timings) {
        List<Map<String, Object>> results = new ArrayList<>();
        for (Timing each : timings) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("MsgSize", each.bytes());
            result.put("n_iterations", each.iterations());
            result.put("t_operation", each.microseconds());
            result.put("algorithm_bandwidth", each.algorithmBandwidth());
            result.put("bus_bandwidth", each.busBandwidth(report.ranks()));
            result.put("values_compared", each.compared());
            result.put("values_wrong", each.wrong());
            results.add(result);
        }
        return results;
    }
}
