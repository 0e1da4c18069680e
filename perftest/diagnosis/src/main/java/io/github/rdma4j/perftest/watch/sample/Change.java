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
 * The change of a port between two samples.
 *
 * @param before the earlier sample; empty for a new port
 * @param now the later sample
 * @param time the time between the two, above zero
 */
public record Change(Optional<PortSample> before, PortSample now, Duration time) {
    /** Returns the rate per second; empty if the port does not count it, or its counters were reset. */
    public OptionalDouble perSecond(Flow flow) {
        Long later = now.flows().get(flow);
        Long earlier = before.map(sample -> sample.flows().get(flow)).orElse(null);
        if (later == null || earlier == null || later < earlier) {
            return OptionalDouble.empty();
        }
        return OptionalDouble.of((later - earlier) * 1e9 / time.toNanos());
    }

    /** Returns the total growth of counters that indicate trouble. */
    public long troubles() {
        return now.troubles().keySet().stream().mapToLong(this::rise).sum();
    }

    /** Returns a line for each thing that got worse: a lost link, or a growing counter that indicates trouble. */
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

    /** Returns 0 for a counter that was reset or is new. */
    private long rise(String counter) {
        Long earlier = before.map(sample -> sample.troubles().get(counter)).orElse(null);
        return earlier == null ? 0 : Math.max(0, now.troubles().get(counter) - earlier);
    }
}
