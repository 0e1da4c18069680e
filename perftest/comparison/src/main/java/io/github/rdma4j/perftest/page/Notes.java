// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.util.ArrayList;
import java.util.List;

/** Notes on how to read the figures, wherever they were measured. */
final class Notes {
    private Notes() {}

    /** The notes to these chapters. */
    static List<String> of(List<Chapter> chapters) {
        List<String> notes = new ArrayList<>();
        if (chapters.stream().anyMatch(chapter -> chapter.latency() && !chapter.isRoundTrip())) {
            notes.add("Latency of writes and sends is half of a round trip, as in C's tools: both ways are taken to be"
                    + " equally long.");
        }
        if (chapters.stream().anyMatch(chapter -> chapter.latency() && chapter.isRoundTrip())) {
            notes.add("Latency of reads and atomic operations is the time to their answer, as in C's tools.");
        }
        if (Chapter.results(chapters).anyMatch(result -> result.isLatency() && !result.openLoop())) {
            notes.add("Closed loop: the next message waits for the answer to the last. A stall counts for one message,"
                    + " not for all that would have been sent meanwhile, so the tails are the best case. (--rate"
                    + " measures the other.)");
        }
        if (Chapter.results(chapters).anyMatch(Result::openLoop)) {
            notes.add("Open loop: latency counts from the time at which a message should have been sent.");
        }
        if (chapters.stream().anyMatch(Chapter::latency)) {
            notes.add("A percentile with fewer than ten samples beyond it is chance; such are grey and in italics.");
        }
        if (Chapter.results(chapters)
                .map(Result::percentiles)
                .anyMatch(curve -> !curve.complete() && !curve.points().isEmpty())) {
            notes.add(
                    "Where only some percentiles are known, the curve has a mark for each, and the dashes between them"
                            + " mean nothing. C's tools leave their two longest times out: what they call the maximum"
                            + " is not.");
        }
        if (Chapter.results(chapters).anyMatch(result -> !result.rounds().isEmpty())) {
            notes.add("With several rounds the figure is the middle round's in a comparison, and of all rounds together"
                    + " in a single test; small marks in the charts are single rounds. Ratios at a glance are the middle"
                    + " one of each round's own ratio, where programs were run in turn; the interval holds the true one"
                    + " with 95 % confidence or more, and is missing with fewer than six rounds.");
        }
        if (Chapter.results(chapters)
                .anyMatch(result ->
                        result.percentiles().complete() && !result.rounds().isEmpty())) {
            notes.add("A whole curve is of the samples of all rounds together, worst rounds included; in a comparison"
                    + " these have a table of their own. Beside a program of which only some percentiles are known,"
                    + " look at C's columns: in a comparison they are medians of the rounds, for every program.");
        }
        if (chapters.stream().anyMatch(chapter -> chapter.has(Metric.CPU))) {
            notes.add("CPU time per message is of both ends together in a comparison, of this side in a single test."
                    + " Spinning counts: what polls uses a whole processor while it waits.");
        }
        if (chapters.stream().anyMatch(Chapter::isCollective)) {
            notes.add(
                    "Algorithm bandwidth is the size over the time; bus bandwidth is 2 (n − 1) / n times as much, what"
                            + " each link of a ring of n ranks carries meanwhile, so that it can be held against the"
                            + " link's. One rank has none. As in nccl-tests.");
        }
        if (chapters.stream().anyMatch(chapter -> chapter.title().startsWith("gds_bw"))) {
            notes.add("Files: the figure is the middle one of the passes over the whole file. \"host\" reads to host"
                    + " memory through the page cache, and may never touch the disk.");
        }
        if (chapters.stream().anyMatch(chapter -> !chapter.latency())) {
            notes.add("MiB = 2²⁰ bytes, Gb = 10⁹ bits.");
        }
        return notes;
    }
}
