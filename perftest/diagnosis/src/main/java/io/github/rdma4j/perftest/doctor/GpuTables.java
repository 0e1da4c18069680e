// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.findings.Paragraphs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints the GPUs and adapters of a machine, their distances, and the path of each pair. */
final class GpuTables {
    private static final String INDENT = DoctorPage.INDENT;

    private final GpuReport report;
    private final Paragraphs text;

    GpuTables(GpuReport report, Paragraphs text) {
        this.report = report;
        this.text = text;
    }

    void machine() {
        title("GPUs" + (report.gpus().isEmpty() ? ": none" : ""));
        report.gpus().forEach(gpu -> text.entry(INDENT + gpu.label() + INDENT, describe(gpu) + otherNumber(gpu)));
        title("Adapters" + (report.adapters().isEmpty() ? ": none" : ""));
        report.adapters().forEach(adapter -> text.entry(INDENT + adapter.name() + INDENT, describe(adapter)));
        if (report.topology().gpus().size() + report.topology().adapters().size() > 1) {
            title("Distances (PIX, PXB: below a switch; PHB, NODE: through the processor; SYS: to another NUMA node)");
            report.topology().matrix().lines().forEach(line -> text.line(INDENT + line));
        }
    }

    private void title(String words) {
        text.line("");
        text.line(words);
    }

    /** CUDA's numbers differ from nvidia-smi's, which follow PCI addresses and ignore CUDA_VISIBLE_DEVICES. */
    private String otherNumber(CheckedGpu gpu) {
        int number = report.topology().gpus().stream()
                .map(PciFunction::address)
                .toList()
                .indexOf(gpu.address());
        return number < 0 || number == gpu.index() ? "" : ", nvidia-smi's GPU " + number;
    }

    private static String describe(CheckedGpu gpu) {
        return gpu.facts()
                        .map(facts -> facts.name() + ", compute capability " + facts.computeCapability() / 10 + "."
                                + facts.computeCapability() % 10 + ", ")
                        .orElse("")
                + gpu.function().map(PciFunction::toString).orElse(gpu.address() + ", not in sysfs");
    }

    private static String describe(RdmaDevice adapter) {
        return adapter.function().map(PciFunction::toString).orElse("software device");
    }

    /**
     * Prints the path of each pair.
     *
     * @param all whether to show the pairs for which another adapter is nearer to the GPU
     */
    void paths(boolean all) {
        List<PairVerdict> shown = report.verdicts(all);
        Map<String, List<PairVerdict>> groups = new LinkedHashMap<>();
        shown.forEach(verdict -> groups.computeIfAbsent(
                        verdict.decision()
                                .map(Object::toString)
                                .orElse(verdict.obstacle().orElse("")),
                        _ -> new ArrayList<>())
                .add(verdict));
        if (groups.isEmpty()) {
            return;
        }
        title("Path of registered GPU memory");
        groups.values().forEach(this::path);
        int hidden = report.verdicts().size() - shown.size();
        if (hidden > 0) {
            text.line(INDENT + "(" + hidden + " more pairs of GPUs and adapters that are farther apart: --gpu --all)");
        }
    }

    private void path(List<PairVerdict> same) {
        PairVerdict first = same.getFirst();
        text.entry(
                INDENT,
                pairs(same.stream().map(PairVerdict::subject).toList()) + ": "
                        + first.path()
                                .map(path -> path.toString().toUpperCase(Locale.ROOT))
                                .orElse("NONE"));
        first.obstacle().ifPresent(reason -> text.entry(INDENT.repeat(3), DoctorPage.sentence(reason)));
        if (first.decision().isPresent()) {
            for (PathRefusal refusal : first.decision().get().refusals()) {
                text.entry(INDENT.repeat(3), "Not by " + refusal.path() + ": " + refusal.explanation() + ".");
                if (!refusal.remedy().isEmpty()) {
                    text.entry(INDENT.repeat(5), "Remedy: " + refusal.remedy() + ".");
                }
            }
        }
    }

    /** Names pairs such as {@code GPU0 - mlx5_0} and {@code GPU0 - mlx5_1}: "GPU0 - mlx5_0, mlx5_1". */
    static String pairs(List<String> subjects) {
        Map<String, String> adapters = new LinkedHashMap<>();
        subjects.stream()
                .map(subject -> subject.split(" - ", 2))
                .forEach(pair -> adapters.merge(pair[0], pair[1], (some, more) -> some + ", " + more));
        return adapters.entrySet().stream()
                .map(entry -> entry.getKey() + " - " + entry.getValue())
                .collect(Collectors.joining("; "));
    }
}
