// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.check.Names;
import io.github.rdma4j.perftest.doctor.machine.GpuReport;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.Paragraphs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Prints a diagnosis as a page of text: the verdict, then what to fix, then all findings. */
final class DoctorPage {
    /** The indentation of lines below a title. */
    static final String INDENT = "  ";

    private static final int STATE = 9;
    private static final int NAME = 17;
    private static final String MARGIN = " ".repeat(INDENT.length() + STATE + NAME + 2);
    private static final String FIX = " Fix, in this order:";
    private static final int MOST_TO_FIX = 5;

    private final String title;
    private final String result;
    private final List<Finding> all;
    private final Optional<GpuReport> gpus;
    /** The names by which a text refers to a device or port that is the subject of a finding. */
    private final Map<String, List<String>> ownNames = new HashMap<>();

    private final Paragraphs text = new Paragraphs();

    private DoctorPage(String title, String result, List<Finding> all, Optional<GpuReport> gpus) {
        this.title = title;
        this.result = result;
        this.all = all;
        this.gpus = gpus;
    }

    /**
     * Creates the page of a machine.
     *
     * @param allPairs whether to show the pairs for which another adapter is nearer to the GPU
     */
    static String of(Diagnosis diagnosis, boolean allPairs) {
        DoctorPage page = new DoctorPage(
                (diagnosis.gpuOnly() ? "GPUDirect RDMA" : "RDMA") + " on this machine",
                diagnosis.gpuOnly() ? gpuResult(diagnosis) : result(diagnosis),
                diagnosis.findings(),
                diagnosis.gpus());
        diagnosis.devices().forEach(page::name);
        return page.write(allPairs);
    }

    private void name(RdmaDevice device) {
        List<String> names = new ArrayList<>(List.of(device.name()));
        device.function().ifPresent(function -> names.add(function.address().toString()));
        ownNames.put(device.name(), List.copyOf(names));
        for (RdmaPort port : device.ports()) {
            List<String> ofPort = new ArrayList<>(List.of(port.name()));
            ofPort.addAll(names);
            port.networkInterface().ifPresent(ofPort::add);
            ownNames.put(port.name(), ofPort);
        }
    }

    static String of(PeerReport report) {
        String other = report.address().isEmpty() ? "another machine" : report.address();
        return new DoctorPage(
                        "RDMA between this machine and " + other, result(report), report.findings(), Optional.empty())
                .write(false);
    }

    private String write(boolean allPairs) {
        text.line(title + ", checked by rdma4j " + BuildInfo.version());
        text.line("");
        text.entry("Result: ", result);
        printRemedies();
        for (Check.Section section : Check.Section.values()) {
            if (section == Check.Section.GPUDIRECT) {
                gpus.ifPresent(report -> new GpuTables(report, text).machine());
            }
            List<Finding> findings = all.stream()
                    .filter(finding -> finding.check().section() == section)
                    .toList();
            if (!findings.isEmpty()) {
                text.line("");
                text.line(section.title());
                findings(findings);
            }
        }
        gpus.ifPresent(report -> new GpuTables(report, text).paths(allPairs));
        return text.toString();
    }

    private static String gpuResult(Diagnosis diagnosis) {
        GpuReport report = diagnosis.gpus().orElseThrow();
        String result;
        if (report.direct() > 0) {
            result = "direct: adapters access GPU memory directly in " + report.direct() + " of "
                    + report.verdicts().size() + " pairs";
        } else if (report.isUsable()) {
            result = "staged: transfers work, but each goes through host memory";
        } else {
            result = "not usable: " + missing(report);
        }
        return result + "." + (diagnosis.trouble().isEmpty() ? "" : FIX);
    }

    private static String missing(GpuReport report) {
        if (report.gpus().isEmpty()) {
            return report.adapters().isEmpty() ? "there is neither a GPU nor an RDMA adapter" : "there is no GPU";
        }
        return report.adapters().isEmpty() ? "there is no RDMA adapter" : "no GPU can be used together with an adapter";
    }

    private static String result(Diagnosis diagnosis) {
        String ports = Names.list(diagnosis.usablePorts());
        return switch (diagnosis.outcome()) {
            case OK -> "RDMA can be used: " + ports + ".";
            case TROUBLE -> "RDMA can be used (" + ports + "), but something is slow or broken:";
            case BROKEN ->
                diagnosis.trouble().isEmpty()
                        ? "RDMA cannot be used: no device has a port."
                        : "RDMA cannot be used." + FIX;
        };
    }

    private static String result(PeerReport report) {
        if (report.role() == PeerReport.Role.SERVER && report.trouble().isEmpty()) {
            return "all tests have run; the other end prints their results ("
                    + report.outcome().name().toLowerCase(Locale.ROOT) + ").";
        }
        return switch (report.outcome()) {
            case OK -> "RDMA works between the two machines, and nothing is slow or broken.";
            case TROUBLE -> "RDMA works between the two machines, but something is slow or broken:";
            case BROKEN -> "RDMA does not work between the two machines." + FIX;
        };
    }

    /** Prints the remedies. */
    private void printRemedies() {
        List<List<Finding>> groups =
                grouped(all.stream().filter(Finding::isTrouble).toList(), true);
        for (int i = 0; i < Math.min(groups.size(), MOST_TO_FIX); i++) {
            List<Finding> group = groups.get(i);
            Finding first = group.getFirst();
            boolean alike = differ(group, Finding::seen);
            String subjects = subjects(alike ? List.of(first) : group);
            text.entry(
                    INDENT + (i + 1) + ". ",
                    first.check().key() + (subjects.isEmpty() ? "" : " of " + subjects) + ": " + first.seen()
                            + (alike ? "; likewise " + subjects(group.subList(1, group.size())) : ""));
            if (!first.remedy().isEmpty()) {
                text.entry(
                        "     -> ",
                        first.remedy() + (differ(group, Finding::remedy) ? "; likewise for the others" : ""));
            }
        }
        if (groups.size() > MOST_TO_FIX) {
            text.line("  and " + (groups.size() - MOST_TO_FIX) + " more, marked WARNING or FAIL below");
        }
    }

    /** Names the subjects of a group, which is empty for the machine. */
    private String subjects(List<Finding> group) {
        Check.Section section = group.getFirst().check().section();
        List<String> names = group.stream()
                .map(Finding::subject)
                .filter(name -> !name.isEmpty())
                .toList();
        boolean everyone = names.size() > 1
                && names.size()
                        == all.stream()
                                .filter(finding -> finding.check().section() == section)
                                .map(Finding::subject)
                                .distinct()
                                .count();
        return switch (section) {
            case GPU -> everyone ? "all GPUs" : Names.list(names);
            case GPU_ADAPTER -> everyone ? "all adapters" : Names.list(names);
            case GPU_PAIR -> everyone ? "all these pairs" : GpuTables.pairs(names);
            default -> Names.list(names);
        };
    }

    /** Groups findings whose advice differs only in the names of their subjects, so that it is printed once. */
    private List<List<Finding>> grouped(List<Finding> findings, boolean alsoInSeen) {
        Map<List<Object>, List<Finding>> groups = new LinkedHashMap<>();
        for (Finding finding : findings) {
            groups.computeIfAbsent(
                            List.of(
                                    finding.check(),
                                    finding.state(),
                                    alsoInSeen ? pattern(finding, finding.seen()) : finding.seen(),
                                    pattern(finding, finding.meaning()),
                                    pattern(finding, finding.remedy())),
                            _ -> new ArrayList<>())
                    .add(finding);
        }
        return List.copyOf(groups.values());
    }

    /** Replaces the names of the finding's subject by placeholders. */
    private String pattern(Finding finding, String words) {
        List<String> names = ownNames.getOrDefault(finding.subject(), List.of());
        String pattern = words;
        for (int i = 0; i < names.size(); i++) {
            pattern = pattern.replaceAll("(?<![\\w/])" + Pattern.quote(names.get(i)) + "(?![\\w-])", "<" + i + ">");
        }
        return pattern;
    }

    private static boolean differ(List<Finding> group, Function<Finding, String> words) {
        return group.stream().map(words).distinct().count() > 1;
    }

    private void findings(List<Finding> findings) {
        List<List<Finding>> groups = grouped(findings, false);
        List<Finding> explained = new ArrayList<>();
        for (int i = 0; i < groups.size(); i++) {
            List<Finding> group = groups.get(i);
            seen(group.getFirst(), subjects(group));
            explained.addAll(group);
            // Consecutive groups with the same meaning are explained once, after the last of them.
            if (i + 1 == groups.size()
                    || !sameMeaning(group.getFirst(), groups.get(i + 1).getFirst())) {
                explain(explained);
                explained.clear();
            }
        }
    }

    private void seen(Finding finding, String subjects) {
        String state =
                finding.state() == FindingState.OK ? "ok" : finding.state().name();
        text.entry(
                INDENT + padded(state, STATE) + padded(finding.check().key(), NAME),
                (subjects.isEmpty() ? "" : subjects + ": ") + finding.seen());
    }

    private void explain(List<Finding> group) {
        Finding finding = group.getFirst();
        if (!finding.meaning().isEmpty()) {
            text.entry(MARGIN, sentence(finding.meaning()));
        }
        if (!finding.remedy().isEmpty()) {
            text.entry(
                    MARGIN,
                    "Remedy"
                            + (differ(group, Finding::remedy)
                                    ? " for " + finding.subject() + ", likewise for the others"
                                    : "")
                            + ": " + finding.remedy() + ".");
        }
        if (finding.isTrouble()) {
            text.entry(MARGIN, "Source: " + finding.source() + ".");
        }
    }

    /** Returns text as a sentence. */
    static String sentence(String words) {
        return Character.toUpperCase(words.charAt(0)) + words.substring(1) + ".";
    }

    private static String padded(String word, int width) {
        return word + " ".repeat(Math.max(1, width - word.length()));
    }

    private boolean sameMeaning(Finding one, Finding other) {
        return one.check() == other.check()
                && one.state() == other.state()
                && pattern(one, one.meaning()).equals(pattern(other, other.meaning()))
                && pattern(one, one.remedy()).equals(pattern(other, other.remedy()));
    }
}
