// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor;

import io.github.rdma4j.gpudirect.check.FindingState;
import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.gpu.GpuPage;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.findings.FindingLines;
import io.github.rdma4j.perftest.findings.Paragraphs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Prints a diagnosis as a page of text: the verdict, then what to fix, then all findings. */
final class DoctorPage {
    private static final int MOST_TO_MEND = 5;

    private final String title;
    private final String result;
    private final List<Finding> all;
    private final Paragraphs text = new Paragraphs();
    private final FindingLines lines = new FindingLines(text);

    private DoctorPage(String title, String result, List<Finding> all) {
        this.title = title;
        this.result = result;
        this.all = all;
    }

    static String of(Diagnosis diagnosis) {
        DoctorPage page = new DoctorPage("RDMA on this machine", result(diagnosis), diagnosis.findings());
        page.write();
        diagnosis.gpuDirect().ifPresent(report -> GpuPage.append(report, page.text));
        return page.text.toString();
    }

    static String of(PeerReport report) {
        String other = report.address().isEmpty() ? "another one" : report.address();
        DoctorPage page = new DoctorPage("RDMA between this machine and " + other, result(report), report.findings());
        page.write();
        return page.text.toString();
    }

    private void write() {
        text.line(title + ", as rdma4j " + BuildInfo.version() + " finds it");
        text.line("");
        text.entry("Result: ", result);
        mend();
        for (Check.Section section : Check.Section.values()) {
            List<Finding> findings = all.stream()
                    .filter(finding -> finding.check().section() == section)
                    .toList();
            if (!findings.isEmpty()) {
                lines.section(section.title());
                findings(findings);
            }
        }
    }

    private static String result(Diagnosis diagnosis) {
        String ports = String.join(", ", diagnosis.usablePorts());
        return switch (diagnosis.outcome()) {
            case OK -> "RDMA can be used: " + ports + ".";
            case TROUBLE -> "RDMA can be used (" + ports + "), and something is slow or broken:";
            case BROKEN ->
                diagnosis.trouble().isEmpty()
                        ? "RDMA cannot be used: no device has a port."
                        : "RDMA cannot be used. Fix, in this order:";
        };
    }

    private static String result(PeerReport report) {
        if (report.role() == PeerReport.Role.SERVER && report.trouble().isEmpty()) {
            return "this end was tested to the end; the other one prints what it found ("
                    + report.outcome().name().toLowerCase(Locale.ROOT) + ").";
        }
        return switch (report.outcome()) {
            case OK -> "RDMA works between the two, and nothing is slow or broken.";
            case TROUBLE -> "RDMA works between the two, and something is slow or broken:";
            case BROKEN -> "RDMA does not work between the two. Fix, in this order:";
        };
    }

    /** Prints the remedies. */
    private void mend() {
        List<List<Finding>> groups =
                sameAdvice(all.stream().filter(Finding::isTrouble).toList());
        for (int i = 0; i < Math.min(groups.size(), MOST_TO_MEND); i++) {
            List<Finding> group = groups.get(i);
            Finding first = group.getFirst();
            text.entry("  " + (i + 1) + ". ", first.check().key() + subjects(group) + ": " + first.seen());
            if (!first.remedy().isEmpty()) {
                text.entry("     -> ", first.remedy());
            }
        }
        if (groups.size() > MOST_TO_MEND) {
            text.line("  and " + (groups.size() - MOST_TO_MEND) + " more: WARNING and FAIL below");
        }
    }

    private static String subjects(List<Finding> group) {
        String names = group.stream()
                .map(Finding::subject)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.joining(", "));
        return names.isEmpty() ? "" : " of " + names;
    }

    /** Advice that several subjects share is given once. */
    private static List<List<Finding>> sameAdvice(List<Finding> findings) {
        Map<List<Object>, List<Finding>> groups = new LinkedHashMap<>();
        for (Finding finding : findings) {
            groups.computeIfAbsent(
                            List.of(
                                    finding.check(),
                                    finding.state(),
                                    finding.seen(),
                                    finding.meaning(),
                                    finding.remedy()),
                            _ -> new ArrayList<>())
                    .add(finding);
        }
        return List.copyOf(groups.values());
    }

    private void findings(List<Finding> findings) {
        List<List<Finding>> groups = sameAdvice(findings);
        for (int i = 0; i < groups.size(); i++) {
            List<Finding> group = groups.get(i);
            Finding first = group.getFirst();
            lines.seen(
                    first.state(),
                    first.check().key(),
                    group.stream().map(Finding::subject).collect(Collectors.joining(", ")),
                    first.seen());
            // Consecutive groups with the same meaning are explained once, after the last of them.
            if (i + 1 == groups.size() || !sameMeaning(first, groups.get(i + 1).getFirst())) {
                lines.explain(first.meaning(), first.remedy());
                if (first.state() == FindingState.FAIL || first.state() == FindingState.WARNING) {
                    lines.explain("Read: " + first.source(), "");
                }
            }
        }
    }

    private static boolean sameMeaning(Finding one, Finding other) {
        return one.check() == other.check()
                && one.state() == other.state()
                && one.meaning().equals(other.meaning())
                && one.remedy().equals(other.remedy());
    }
}
