// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** A comparison that nobody has measured. */
public final class EchoSamples {
    private static final int ROUNDS = 3;
    private static final List<Transport> TRANSPORTS =
            List.of(Transport.ENDPOINT, Transport.ENDPOINT_FAILOVER, Transport.ENDPOINT_TCP, Transport.TCP);

    private EchoSamples() {}

    /** Two sizes, two numbers of connections, three rates; TCP takes twice as long, and four times in the kernel. */
    public static EndpointsResult result() {
        EndpointsPlan plan = new EndpointsPlan(
                TRANSPORTS, List.of(64, 8192), List.of(1, 64), List.of(), 2, ROUNDS, null, null, 0, 30, true);
        List<EchoResult> results = plan.connections().stream()
                .flatMap(connections -> plan.sizes().stream()
                        .flatMap(size -> List.of(1000.0, 2000.0, 3000.0).stream()
                                .map(rate -> new EchoCase(size, connections, rate))))
                .map(test -> new EchoResult(
                        test,
                        IntStream.range(0, ROUNDS).mapToObj(EchoSamples::round).toList()))
                .toList();
        return new EndpointsResult(
                Instant.parse("2026-11-23T15:00:00Z"),
                180,
                new EchoPlace(environment(), "10.99.0.1"),
                plan,
                results,
                RunState.COMPLETE,
                null);
    }

    private static Map<Transport, EchoMeasurement> round(int round) {
        Map<Transport, EchoMeasurement> round1 = new EnumMap<>(Transport.class);
        round1.put(Transport.ENDPOINT, new EchoMeasurement(999, latency(100 + round), cost(1), 0));
        round1.put(Transport.ENDPOINT_FAILOVER, new EchoMeasurement(999, latency(150 + round), cost(2), round));
        round1.put(Transport.ENDPOINT_TCP, new EchoMeasurement(1000, latency(300 + round), cost(4), 0));
        round1.put(Transport.TCP, new EchoMeasurement(1000, latency(200 + round), cost(4), 0));
        return round1;
    }

    private static EchoCost cost(int factor) {
        return new EchoCost(20_000, 30_000.0 * factor, 400_000, 50_000, 900_000);
    }

    private static LatencyFigures latency(int microseconds) {
        LatencySamples samples = new LatencySamples(1);
        for (int i = 0; i < 2000; i++) {
            samples.record(microseconds * 1000L + (i >= 1900 ? 500_000 : 0));
        }
        return samples.figures(0, 1);
    }

    private static Environment environment() {
        return new Environment(
                "1.0",
                "rxe0",
                1,
                true,
                null,
                null,
                "Ethernet",
                4096,
                1,
                "Linux 6.1",
                "amd64",
                null,
                2,
                null,
                null,
                null,
                "System.nanoTime",
                "OpenJDK 25",
                List.of("-XX:+UseSerialGC"),
                null);
    }
}
