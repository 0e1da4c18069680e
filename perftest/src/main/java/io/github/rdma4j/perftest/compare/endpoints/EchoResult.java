// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.figures.Spread;
import java.util.List;
import java.util.Map;

/**
 * All rounds of a case.
 *
 * @param test what was measured
 * @param rounds at least one; in each every transport
 */
public record EchoResult(EchoCase test, List<Map<Transport, EchoMeasurement>> rounds) {
    /** Copies the list. */
    public EchoResult {
        rounds = List.copyOf(rounds);
    }

    /** The measurements of a transport, by rounds. */
    public List<EchoMeasurement> of(Transport transport) {
        return rounds.stream().map(round -> round.get(transport)).toList();
    }

    /** The least, the middle and the greatest round. */
    public Spread spread(Transport transport, EchoMetric metric) {
        return Spread.of(of(transport).stream().mapToDouble(metric::of).toArray());
    }

    /** What was measured, in their order. */
    public List<Transport> transports() {
        return rounds.getFirst().keySet().stream().sorted().toList();
    }

    /** A transport's figure over that of plain TCP: the middle one of each round's own ratio, and its interval. */
    public MedianInterval ratio(Transport transport, EchoMetric metric) {
        return MedianInterval.of(rounds.stream()
                .mapToDouble(round -> metric.of(round.get(transport)) / metric.of(round.get(Transport.TCP)))
                .filter(Double::isFinite)
                .toArray());
    }

    /** The latencies of all rounds together. */
    public LatencyFigures latency(Transport transport) {
        return LatencyFigures.together(
                of(transport).stream().map(EchoMeasurement::latency).toList());
    }
}
