// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.pair.ClockOffset;
import io.github.rdma4j.perftest.doctor.pair.CounterGrowth;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.peer.Remote.Answer;
import io.github.rdma4j.perftest.talk.Fields;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Writes for some time, and compares the counters of both ports. */
final class LoadProbe {
    private final Remote remote;
    private final Function<PeerPort, Map<String, Long>> counters;
    private final Findings findings;

    LoadProbe(Remote remote, Function<PeerPort, Map<String, Long>> counters, Findings findings) {
        this.remote = remote;
        this.counters = counters;
        this.findings = findings;
    }

    /**
     * Tests.
     *
     * @param made a connection, which is closed then
     * @param length of the time
     */
    void run(Connection made, Duration length) {
        try (Connection connection = made) {
            PeerPort mine = findings.ports().here();
            Map<String, Long> hereBefore = counters.apply(mine);
            Map<String, Long> thereBefore = read(remote.order(Order.COUNTERS));
            WireEnd.Load result = connection
                    .end()
                    .load(
                            connection.theirMemory(),
                            remote.limits().atMost(length),
                            remote.limits().step());
            Map<String, Long> hereAfter = counters.apply(mine);
            Map<String, Long> thereAfter = read(remote.order(Order.COUNTERS));
            if (result.failure().isPresent()) {
                findings.failedHere(
                        Check.LOAD, findings.there(), result.failure().get(), connection.mtu());
            } else {
                findings.ok(
                        Check.LOAD,
                        findings.there(),
                        "ibv_poll_cq",
                        String.format(
                                Locale.ROOT,
                                "%,d writes of 64 KiB in %s: %.2f Gb/s",
                                result.messages(),
                                ClockOffset.words(result.nanoseconds()),
                                result.bytes() * 8.0 / result.nanoseconds()));
            }
            findings.add(CounterGrowth.finding(
                    "here: " + mine.name(),
                    hereAfter.size(),
                    CounterGrowth.between(hereBefore, hereAfter),
                    result.messages()));
            findings.add(CounterGrowth.finding(
                    findings.host() + ": " + findings.ports().there().name(),
                    thereAfter.size(),
                    CounterGrowth.between(thereBefore, thereAfter),
                    result.messages()));
        }
    }

    private static Map<String, Long> read(Answer answer) {
        Map<String, Long> counters = new HashMap<>();
        Fields fields = answer.fields();
        int count = fields.integer("counters", 0, PortCounters.MOST);
        for (int i = 0; i < count; i++) {
            counters.put(
                    fields.text("counter." + i + ".name"), fields.number("counter." + i + ".value", 0, Long.MAX_VALUE));
        }
        return counters;
    }
}
