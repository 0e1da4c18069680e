// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Warnings about figures that a reader could misread because of where and how they were measured. */
final class Caveats {
    private static final Pattern EMULATED = Pattern.compile("QEMU|TCG|emulat", Pattern.CASE_INSENSITIVE);
    private static final int FEW_ROUNDS = 5;

    private Caveats() {}

    /** Returns the caveats of these documents; empty if there are none. */
    static List<String> of(List<Document> documents, List<Chapter> chapters) {
        List<String> caveats = new ArrayList<>();
        for (Document document : documents) {
            if (!document.state().isEmpty()) {
                caveats.add(document.name() + " did not come to its end: " + document.state()
                        + ". What is here was measured before.");
            }
        }
        String software = documents.stream()
                .filter(document -> document.environment("software_device").equals("yes"))
                .map(document -> document.environment("device"))
                .distinct()
                .collect(Collectors.joining(", "));
        if (!software.isEmpty()) {
            caveats.add(software + " is a software device: the kernel's code on this machine's processors does an"
                    + " adapter's work. No time and no rate here says what an adapter reaches. Only ratios"
                    + " between programs that ran in turn mean something, and for this path only.");
        }
        if (documents.stream()
                .anyMatch(document ->
                        EMULATED.matcher(document.environment("cpu_model")).find())) {
            caveats.add(
                    "The processor is emulated: an instruction costs many times what it costs on silicon, and some far"
                            + " more than others; a virtual processor can stand still for milliseconds, which makes the"
                            + " long tails.");
        }
        if (documents.stream().anyMatch(Document::comparison)) {
            caveats.add(
                    "Both ends ran on one machine: they share its processors and caches, and there is no wire between"
                            + " them.");
        }
        int rounds = Chapter.results(chapters)
                .mapToInt(result -> result.rounds().size())
                .filter(number -> number > 0)
                .min()
                .orElse(FEW_ROUNDS);
        if (rounds < FEW_ROUNDS) {
            caveats.add("Fewer than five rounds: a difference smaller than their spread says nothing.");
        }
        return caveats;
    }
}
