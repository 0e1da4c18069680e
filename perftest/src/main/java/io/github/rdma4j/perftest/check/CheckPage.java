// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.check;

import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.gpudirect.check.CheckReport;
import io.github.rdma4j.gpudirect.check.CheckedAdapter;
import io.github.rdma4j.gpudirect.check.CheckedGpu;
import io.github.rdma4j.gpudirect.check.Finding;
import io.github.rdma4j.gpudirect.check.PairVerdict;
import io.github.rdma4j.gpudirect.check.Subject;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingLines;
import io.github.rdma4j.perftest.findings.Paragraphs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Prints a report as a page of text: the result, what is there, the findings in groups, and the path of each pair. */
final class CheckPage {
    private static final String INDENT = FindingLines.INDENT;

    private final CheckReport report;
    private final boolean all;
    private final Set<String> shownPairs;
    private final Subjects subjects;
    private final Paragraphs text = new Paragraphs();
    private final FindingLines lines = new FindingLines(text);

    private CheckPage(CheckReport report, boolean all) {
        this.report = report;
        this.all = all;
        this.shownPairs = report.verdicts().stream()
                .filter(verdict -> all || verdict.nearest())
                .map(verdict -> verdict.subject().toString())
                .collect(Collectors.toSet());
        this.subjects = new Subjects(report, shownPairs.size());
    }

    /**
     * The page.
     *
     * @param all whether pairs are shown of which another adapter is nearer to the GPU
     */
    static String of(CheckReport report, boolean all) {
        return new CheckPage(report, all).page();
    }

    private String page() {
        text.line("GPUDirect RDMA on this machine, as rdma4j " + BuildInfo.version() + " finds it");
        text.line("");
        text.entry("Result: ", result());
        lines.section("GPUs" + (report.gpus().isEmpty() ? ": none" : ""));
        report.gpus().forEach(gpu -> text.entry(INDENT + gpu.label() + INDENT, describe(gpu) + otherNumber(gpu)));
        lines.section("Adapters" + (report.adapters().isEmpty() ? ": none" : ""));
        report.adapters().forEach(adapter -> text.entry(INDENT + adapter.name() + INDENT, describe(adapter)));
        if (report.topology().gpus().size() + report.topology().adapters().size() > 1) {
            lines.section("Distances (PIX, PXB: below a switch; PHB, NODE: through the processor; SYS: to another NUMA"
                    + " node)");
            report.topology().matrix().lines().forEach(line -> text.line(INDENT + line));
        }
        findings("Host", Subject.Kind.HOST);
        findings("Each GPU", Subject.Kind.GPU);
        findings("Each adapter", Subject.Kind.ADAPTER);
        findings(all ? "Each pair" : "Each GPU with the nearest adapters", Subject.Kind.PAIR);
        paths();
        return text.toString();
    }

    /** CUDA's numbers are not those of nvidia-smi, which go by PCI address and know no CUDA_VISIBLE_DEVICES. */
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
        for (Finding finding : report.findings()) {
            boolean shown = finding.subject().kind() == kind
                    && (kind != Subject.Kind.PAIR
                            || shownPairs.contains(finding.subject().toString()));
            if (shown) {
                // The same of several subjects is said once.
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
            // What means the same of the next ones too is explained after the last.
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
            text.line(INDENT + "(" + hidden + " more pairs of GPUs and adapters that are farther apart: --all)");
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
                yield "direct: adapters get at GPU memory themselves in " + direct + " of "
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
