// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.sample;

import io.github.rdma4j.perftest.doctor.check.CounterMeaning;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What happened at a port between two samples.
 *
 * @param before the earlier one; empty for a port that has come since
 * @param now the later one
 * @param time between the two, above zero
 */
public record Change(Optional<PortSample> before, PortSample now, Duration time) {
    /** How much went through each second; empty if the port does not count it, or its counters began anew. */
    public OptionalDouble perSecond(Flow flow) {
        Long later = now.flows().get(flow);
        Long earlier = before.map(sample -> sample.flows().get(flow)).orElse(null);
        if (later == null || earlier == null || later < earlier) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of((later - earlier) * 1e9 / time.toNanos());
    }

    /** By how much counters of trouble rose in all. */
    public long troubles() {
        return now.troubles().keySet().stream().mapToLong(this::rise).sum();
    }

    /** What got worse, a line each: a link that went, counters of trouble that rose. */
    public List<String> worse() {
        List<String> lines = new ArrayList<>();
        if (before.isPresent() && before.get().isActive() && !now.isActive()) {
            lines.add(now.name() + ": the link went from ACTIVE to "
                    + (now.state().isEmpty() ? "?" : now.state()));
        }
        for (Map.Entry<String, Long> trouble : now.troubles().entrySet()) {
            long rise = rise(trouble.getKey());
            if (rise > 0) {
                CounterMeaning.of(trouble.getKey())
                        .ifPresent(meaning ->
                                lines.add(now.name() + ": " + trouble.getKey() + " +" + rise + ": " + meaning.words()));
            }
        }
        return lines;
    }

    /** 0 for a counter that began anew or that was not there. */
    private long rise(String counter) {
        Long earlier = before.map(sample -> sample.troubles().get(counter)).orElse(null);
        return earlier == null ? 0 : Math.max(0, now.troubles().get(counter) - earlier);
    }
}
