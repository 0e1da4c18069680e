// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.gpu;

import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.check.CheckId;
import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.CheckedAdapter;
import io.github.rdma4j.gpudirect.check.CheckedGpu;
import io.github.rdma4j.gpudirect.check.Finding;
import io.github.rdma4j.gpudirect.check.PairVerdict;
import io.github.rdma4j.gpudirect.check.Subject;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingLines;
import io.github.rdma4j.perftest.findings.Paragraphs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The findings of GPUDirect as text: GPUs, adapters, the findings in groups, and the path of each pair. */
public final class GpuPage {
    private static final String INDENT = FindingLines.INDENT;

    private final CheckReport report;
    private final boolean all;
    private final List<Finding> findings;
    private final Set<String> shownPairs;
    private final Subjects subjects;
    private final Paragraphs text;
    private final FindingLines lines;

    private GpuPage(CheckReport report, boolean all, List<Finding> findings, Paragraphs text) {
        this.report = report;
        this.findings = findings;
        this.text = text;
        this.lines = new FindingLines(text);
        this.all = all;
        this.shownPairs = report.verdicts().stream()
                .filter(verdict -> all || verdict.nearest())
                .map(verdict -> verdict.subject().toString())
                .collect(Collectors.toSet());
        this.subjects = new Subjects(report, shownPairs.size());
    }

    /**
     * The page of {@code --gpu}.
     *
     * @param all whether to show the pairs for which another adapter is nearer to the GPU
     */
    public static String of(CheckReport report, boolean all) {
        Paragraphs text = new Paragraphs();
        text.line("GPUDirect RDMA on this machine, as rdma4j " + BuildInfo.version() + " finds it");
        text.line("");
        GpuPage page = new GpuPage(report, all, report.findings(), text);
        text.entry("Result: ", page.result());
        page.sections();
        return text.toString();
    }

    /** Adds the sections about GPUDirect to the page of the whole machine. */
    public static void append(CheckReport report, Paragraphs text) {
        new GpuPage(report, false, findings(report, true), text).sections();
    }

    /**
     * The findings of a report.
     *
     * @param beside whether the page also has the findings of the whole machine. Checks that both have are then left
     *     out, except the IOMMU: GPUs can be in other groups than adapters
     */
    public static List<Finding> findings(CheckReport report, boolean beside) {
        return report.findings().stream()
                .filter(finding -> !beside || finding.id() == CheckId.IOMMU || !isOfMachine(finding.id()))
                .toList();
    }

    private static boolean isOfMachine(CheckId id) {
        return Arrays.stream(Check.values()).anyMatch(check -> check.key().equals(id.key()));
    }

    private void sections() {
        lines.section("GPUs" + (report.gpus().isEmpty() ? ": none" : ""));
        report.gpus().forEach(gpu -> text.entry(INDENT + gpu.label() + INDENT, describe(gpu) + otherNumber(gpu)));
        lines.section("Adapters" + (report.adapters().isEmpty() ? ": none" : ""));
        report.adapters().forEach(adapter -> text.entry(INDENT + adapter.name() + INDENT, describe(adapter)));
        if (report.topology().gpus().size() + report.topology().adapters().size() > 1) {
            lines.section("Distances (PIX, PXB: below a switch; PHB, NODE: through the processor; SYS: to another NUMA"
                    + " node)");
            report.topology().matrix().lines().forEach(line -> text.line(INDENT + line));
        }
        findings("GPUDirect: host", Subject.Kind.HOST);
        findings("GPUDirect: each GPU", Subject.Kind.GPU);
        findings("GPUDirect: each adapter", Subject.Kind.ADAPTER);
        findings(all ? "GPUDirect: each pair" : "GPUDirect: each GPU with the nearest adapters", Subject.Kind.PAIR);
        paths();
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

    private static String describe(CheckedAdapter adapter) {
        double rate = adapter.place().rate();
        return adapter.place().function().map(PciFunction::toString).orElse("software device")
                + (rate > 0 ? String.format(Locale.ROOT, ", port %.0f Gbit/s", rate) : "");
    }

    private void findings(String title, Subject.Kind kind) {
        Map<List<Object>, List<Finding>> groups = new LinkedHashMap<>();
        for (Finding finding : findings) {
            boolean shown = finding.subject().kind() == kind
                    && (kind != Subject.Kind.PAIR
                            || shownPairs.contains(finding.subject().toString()));
            if (shown) {
                // A finding that several subjects share is printed once.
                groups.computeIfAbsent(
                                List.of(finding.id(), finding.state(), finding.seen(), finding.meaning()),
                                _ -> new ArrayList<>())
                        .add(finding);
            }
        }
        if (groups.isEmpty()) {
            return;
        }
        lines.section(title);
        List<List<Finding>> ordered = groups.values().stream()
                .sorted(Comparator.comparing(group -> group.getFirst().id()))
                .toList();
        for (int i = 0; i < ordered.size(); i++) {
            seen(ordered.get(i));
            Finding finding = ordered.get(i).getFirst();
            // Consecutive groups with the same meaning are explained once, after the last of them.
            if (i + 1 == ordered.size()
                    || !sameMeaning(finding, ordered.get(i + 1).getFirst())) {
                lines.explain(finding.meaning(), finding.remedy());
            }
        }
    }

    private static boolean sameMeaning(Finding one, Finding other) {
        return one.id() == other.id()
                && one.meaning().equals(other.meaning())
                && one.remedy().equals(other.remedy());
    }

    private void seen(List<Finding> same) {
        Finding first = same.getFirst();
        String names = subjects.words(same.stream().map(Finding::subject).toList());
        lines.seen(first.state(), first.id().key(), names, first.seen());
    }

    private void paths() {
        Map<String, List<PairVerdict>> groups = new LinkedHashMap<>();
        report.verdicts().stream()
                .filter(verdict -> all || verdict.nearest())
                .forEach(verdict -> groups.computeIfAbsent(
                                verdict.decision()
                                        .map(Object::toString)
                                        .orElse(verdict.obstacle().orElse("")),
                                _ -> new ArrayList<>())
                        .add(verdict));
        if (groups.isEmpty()) {
            return;
        }
        lines.section("Path of registered GPU memory");
        groups.values().forEach(this::path);
        long hidden = report.verdicts().size() - shownPairs.size();
        if (hidden > 0) {
            text.line(INDENT + "(" + hidden + " more pairs of GPUs and adapters that are farther apart: --gpu --all)");
        }
    }

    private void path(List<PairVerdict> same) {
        PairVerdict first = same.getFirst();
        String pairs = subjects.words(same.stream().map(PairVerdict::subject).toList());
        text.entry(
                INDENT,
                pairs + ": "
                        + first.path()
                                .map(path -> path.toString().toUpperCase(Locale.ROOT))
                                .orElse("NONE"));
        first.obstacle().ifPresent(reason -> text.entry(INDENT.repeat(3), FindingLines.sentence(reason)));
        if (first.decision().isPresent()) {
            for (PathRefusal refusal : first.decision().get().refusals()) {
                text.entry(INDENT.repeat(3), "Not by " + refusal.path() + ": " + refusal.explanation() + ".");
                if (!refusal.remedy().isEmpty()) {
                    text.entry(INDENT.repeat(5), "Remedy: " + refusal.remedy() + ".");
                }
            }
        }
    }

    private String result() {
        return switch (report.outcome()) {
            case DIRECT -> {
                long direct =
                        report.verdicts().stream().filter(PairVerdict::isDirect).count();
                yield "direct: adapters access GPU memory directly in " + direct + " of "
                        + report.verdicts().size() + " pairs.";
            }
            case STAGED -> "staged: transfers work, and each goes through host memory.";
            case NOTHING -> "nothing to use: " + missing() + ".";
        };
    }

    private String missing() {
        if (report.gpus().isEmpty()) {
            return report.adapters().isEmpty() ? "there is neither a GPU nor an RDMA adapter" : "there is no GPU";
        }
        return report.adapters().isEmpty()
                ? "there is no RDMA adapter"
                : "no GPU can be used together with an adapter, for the reasons below";
    }
}
