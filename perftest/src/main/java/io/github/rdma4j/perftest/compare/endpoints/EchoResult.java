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
 * @param test the case
 * @param rounds at least one; each contains every transport
 */
public record EchoResult(EchoCase test, List<Map<Transport, EchoMeasurement>> rounds) {
    /** Copies the list. */
    public EchoResult {
        rounds = List.copyOf(rounds);
    }

    /** Returns the measurements of a transport, by rounds. */
    public List<EchoMeasurement> of(Transport transport) {
        return rounds.stream().map(round -> round.get(transport)).toList();
    }

    /** Returns the least, the median and the greatest figure of the rounds. */
    public Spread spread(Transport transport, EchoMetric metric) {
        return Spread.of(of(transport).stream().mapToDouble(metric::of).toArray());
    }

    /** Returns the measured transports, in order. */
    public List<Transport> transports() {
        return rounds.getFirst().keySet().stream().sorted().toList();
    }

    /** Returns the ratio of a transport's figure to plain TCP's: the median of the rounds' ratios, and its interval. */
    public MedianInterval ratio(Transport transport, EchoMetric metric) {
        return MedianInterval.of(rounds.stream()
                .mapToDouble(round -> metric.of(round.get(transport)) / metric.of(round.get(Transport.TCP)))
                .filter(Double::isFinite)
                .toArray());
    }

    /** Returns the latencies of all rounds together. */
    public LatencyFigures latency(Transport transport) {
        return LatencyFigures.together(
                of(transport).stream().map(EchoMeasurement::latency).toList());
    }
}
