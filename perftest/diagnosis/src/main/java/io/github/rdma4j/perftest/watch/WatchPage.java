// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch;

import io.github.rdma4j.perftest.watch.resource.QueuePairs;
import io.github.rdma4j.perftest.watch.resource.Reading;
import io.github.rdma4j.perftest.watch.sample.Change;
import io.github.rdma4j.perftest.watch.sample.Flow;
import io.github.rdma4j.perftest.watch.sample.Watcher;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The page of {@code watch}: a line for each port and for each process with queue pairs, and below what got worse
 * lately. Fits into 80 columns.
 */
final class WatchPage {
    /** The number of lines for things that got worse. */
    private static final int REMEMBERED = 10;

    private static final int WIDTH = 80;
    /** The width of the first column. */
    private static final int NAME_WIDTH = 12;

    private static final String ROW = "%-12s %-7s %-11s %9s %9s %8s %8s %8s";
    /** The processes with the most queue pairs of all; a line says how many others there are. */
    private static final int MOST_OWNERS = 10;

    private static final String OWNER_ROW = "%-20s %-36s %11s %9s";
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss");
    private static final String[] SCALES = {"", "k", "M", "G", "T"};

    private final String none;
    private final boolean interactive;
    private final Deque<String> worse = new ArrayDeque<>();
    /** Null until the kernel has reported all queue pairs. */
    private List<QueuePairs> before;

    /**
     * An empty page.
     *
     * @param only the only device to watch; empty for all
     * @param interactive whether each page replaces the previous one; otherwise a page only shows new events
     * @param first the queue pairs at the start; those in error are no event
     */
    WatchPage(Optional<String> only, boolean interactive, Reading first) {
        this.interactive = interactive;
        before = first.failure().isEmpty() ? first.queuePairs() : null;
        none = "  no RDMA device" + only.map(device -> " " + device).orElse("");
    }

    /** Returns the lines after another sample. */
    List<String> after(Watcher.Seen seen, Reading resources, LocalTime time) {
        List<String> now = new ArrayList<>(seen.worse());
        if (resources.failure().isEmpty()) {
            // Otherwise queue pairs are missing from the list, and at the next sample old failures would look new.
            if (before != null) {
                resources
                        .queuePairs()
                        .forEach(one -> failed(one, resources.queuePairs()).ifPresent(now::add));
            }
            before = resources.queuePairs();
        }
        if (!interactive) {
            worse.clear();
        }
        for (String line : now) {
            worse.addLast(CLOCK.format(time) + " " + line);
            if (interactive && worse.size() > REMEMBERED) {
                worse.removeFirst();
            }
        }
        List<String> lines = new ArrayList<>();
        lines.add(CLOCK.format(time) + (seen.ports().isEmpty() ? none : ""));
        if (!seen.ports().isEmpty()) {
            lines.add(ROW.formatted("port", "state", "rate", "in B/s", "out B/s", "in pkt/s", "out pkt/s", "trouble")
                    .stripTrailing());
            for (Change port : seen.ports()) {
                String name = port.now().name();
                boolean fits = name.length() <= NAME_WIDTH;
                if (!fits) {
                    // Long names from udev, such as rocep193s0f1, would shift the columns, so they have a separate
                    // line.
                    lines.add(name);
                }
                lines.add(row(fits ? name : "", port));
            }
        }
        owners(resources, lines);
        if (!worse.isEmpty()) {
            lines.add("");
            worse.forEach(line -> lines.addAll(wrapped(line)));
        }
        return lines;
    }

    /** Returns a line for queue pairs if more of them are in error than in the last sample. */
    private Optional<String> failed(QueuePairs now, List<QueuePairs> all) {
        int known = inError(before, now);
        if (now.pid() == QueuePairs.UNKNOWN) {
            // Queue pairs lose their owner when the thread that created them ends.
            known += before.stream()
                    .filter(one -> one.device().equals(now.device()) && one.pid() != QueuePairs.UNKNOWN)
                    .mapToInt(one -> Math.max(0, one.inError() - inError(all, one)))
                    .sum();
        }
        return now.inError() <= known
                ? Optional.empty()
                : Optional.of(now.device() + ": " + (now.inError() - known) + " more queue pairs of " + now.who()
                        + " are in error: their connections are lost");
    }

    private static int inError(List<QueuePairs> all, QueuePairs wanted) {
        return all.stream()
                .filter(wanted::isOf)
                .mapToInt(QueuePairs::inError)
                .findFirst()
                .orElse(0);
    }

    private static void owners(Reading resources, List<String> lines) {
        List<QueuePairs> all = resources.queuePairs();
        if (!all.isEmpty()) {
            lines.add("");
            lines.add(OWNER_ROW.formatted("device", "process", "queue pairs", "in error"));
            all.stream()
                    .sorted(Comparator.comparing(QueuePairs::count).reversed())
                    .limit(MOST_OWNERS)
                    .forEach(
                            one -> lines.add(OWNER_ROW.formatted(one.device(), one.who(), one.count(), one.inError())));
            int others = all.size() - MOST_OWNERS;
            if (others > 0) {
                lines.add("and " + others + " more: rdma resource show qp");
            }
        }
        if (!resources.failure().isEmpty()) {
            lines.add("");
            lines.addAll(wrapped("queue pairs: " + resources.failure()));
        }
    }

    private static String row(String name, Change port) {
        return ROW.formatted(
                        name,
                        port.now().state().isEmpty() ? "?" : port.now().state(),
                        port.now().rate().replaceFirst(" *\\(.*", ""),
                        scaled(port.perSecond(Flow.RECEIVED_BYTES)),
                        scaled(port.perSecond(Flow.SENT_BYTES)),
                        scaled(port.perSecond(Flow.RECEIVED_PACKETS)),
                        scaled(port.perSecond(Flow.SENT_PACKETS)),
                        "+" + port.troubles())
                .stripTrailing();
    }

    /** Returns text such as 12.3 M; a dash if the device does not count it. */
    static String scaled(OptionalDouble perSecond) {
        if (perSecond.isEmpty()) {
            return "-";
        }
        double value = perSecond.getAsDouble();
        int scale = 0;
        while (value >= 999.5 && scale < SCALES.length - 1) {
            value /= 1000;
            scale++;
        }
        String digits = String.format(Locale.ROOT, scale == 0 || value >= 99.95 ? "%.0f" : "%.1f", value);
        return (digits + " " + SCALES[scale]).strip();
    }

    /** Cut at blanks; what follows is indented below the text. */
    private static List<String> wrapped(String text) {
        List<String> lines = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : text.split(" ")) {
            if (!line.isEmpty() && line.length() + 1 + word.length() > WIDTH) {
                lines.add(line.toString());
                line = new StringBuilder("        ");
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        lines.add(line.toString());
        return lines;
    }
}
