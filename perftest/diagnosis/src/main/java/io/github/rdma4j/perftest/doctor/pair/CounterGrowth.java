// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The growth of a port's counters under load, from their values before and after. */
public final class CounterGrowth {
    private static final String SOURCE = "hw_counters and counters of the port, before and after";

    private CounterGrowth() {}

    /** Returns the growth of each counter that has grown. */
    public static Map<String, Long> between(Map<String, Long> before, Map<String, Long> after) {
        Map<String, Long> growth = new TreeMap<>();
        after.forEach((name, value) -> {
            Long start = before.get(name);
            if (start != null && value > start) {
                growth.put(name, value - start);
            }
        });
        return growth;
    }

    /**
     * A finding.
     *
     * @param where the end
     * @param read how many counters could be read
     * @param growth of the counters that have a meaning here
     * @param transfers how many messages were sent in that time
     */
    public static Finding finding(String where, int read, Map<String, Long> growth, long transfers) {
        if (read == 0) {
            return new Finding(
                    Check.LOSS,
                    where,
                    SOURCE,
                    FindingState.UNKNOWN,
                    "the port has no counter that shows loss",
                    "an adapter repairs loss silently, so only counters show it",
                    "run rdma statistic show link, or ethtool -S of the interface");
        }
        Map<String, Long> trouble = growth.entrySet().stream()
                .filter(entry -> CounterMeaning.of(entry.getKey())
                        .filter(CounterMeaning::isTrouble)
                        .isPresent())
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum, TreeMap::new));
        if (trouble.isEmpty()) {
            return new Finding(
                    Check.LOSS,
                    where,
                    SOURCE,
                    FindingState.OK,
                    "none of " + read + " counters shows loss" + (growth.isEmpty() ? "" : "; " + list(growth)),
                    "",
                    "");
        }
        CounterMeaning meaning =
                CounterMeaning.of(trouble.keySet().iterator().next()).orElseThrow();
        // The counters include the traffic of all programs on the port, so small numbers do not indicate a problem of
        // these transfers.
        long most = trouble.values().stream().mapToLong(Long::longValue).max().orElse(0);
        boolean few = most * 1000 <= transfers;
        return new Finding(
                Check.LOSS,
                where,
                SOURCE,
                few ? FindingState.NOTE : FindingState.WARNING,
                list(trouble) + String.format(Locale.ROOT, ", in %,d messages", transfers),
                meaning.words() + (few ? "; so few have little effect" : ""),
                few ? "" : meaning.remedy());
    }

    private static String list(Map<String, Long> counters) {
        return counters.entrySet().stream()
                .map(entry -> String.format(Locale.ROOT, "%s +%,d", entry.getKey(), entry.getValue()))
                .collect(Collectors.joining(", "));
    }
}
