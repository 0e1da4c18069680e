// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.compare.runner.QuietCompilers;
import io.github.rdma4j.perftest.echo.ClosedLoop;
import io.github.rdma4j.perftest.echo.EchoClient;
import io.github.rdma4j.perftest.echo.EchoSetting;
import io.github.rdma4j.perftest.echo.Exchange;
import io.github.rdma4j.perftest.echo.OpenLoop;
import io.github.rdma4j.perftest.echo.Transport;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.environment.ProcessTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Makes the measurements. Connections of all transports stay open for all rates and rounds of a size and a number of
 * connections. Connections that are not measured are idle then.
 */
public final class EndpointsSession {
    private static final Duration ONLY_PROBE = Duration.ofMillis(300);

    /** The time before each measurement in which both sides adapt their spinning again after a pause. */
    private static final double LEAD_IN_SECONDS = 0.2;

    private final ServerSide server;
    private final String address;
    private final EndpointsPlan plan;
    private final EndpointsListener listener;
    private final List<Measured> measured = new ArrayList<>();

    /** A case with its complete rounds. */
    private record Measured(EchoCase test, List<Map<Transport, EchoMeasurement>> rounds) {}

    /**
     * @param address of the server
     * @param plan the plan, whose transports are measured in turn, in reverse order in even rounds
     * @param listener is notified of each step
     */
    public EndpointsSession(ServerSide server, String address, EndpointsPlan plan, EndpointsListener listener) {
        this.server = server;
        this.address = address;
        this.plan = plan;
        this.listener = listener;
    }

    /** Measures everything. */
    public void run() {
        for (int size : plan.sizes()) {
            for (int connections : plan.connections()) {
                run(size, connections);
            }
        }
    }

    /** Returns the results so far. Another thread may call this. */
    public List<EchoResult> results() {
        synchronized (measured) {
            return measured.stream()
                    .filter(one -> !one.rounds().isEmpty())
                    .map(one -> new EchoResult(one.test(), one.rounds()))
                    .toList();
        }
    }

    private void run(int size, int connections) {
        Map<Transport, Exchange> exchanges = new EnumMap<>(Transport.class);
        try {
            for (Transport transport : plan.transports()) {
                EchoSetting setting = server.serve(new EchoSetting(transport, address, plan.port(), size, connections));
                exchanges.put(transport, EchoClient.connect(setting, plan.timeout()));
            }
            listener.step("warm-up of " + size + " bytes, " + connections + " connections");
            Map<Transport, Double> perSecond = probe(exchanges);
            listener.opened(size, connections, perSecond);
            List<Measured> cases = (plan.rates().isEmpty() ? Rates.of(perSecond.values()) : plan.rates())
                    .stream()
                            .map(rate -> new Measured(new EchoCase(size, connections, rate), new ArrayList<>()))
                            .toList();
            synchronized (measured) {
                measured.addAll(cases);
            }
            for (int round = 1; round <= plan.rounds(); round++) {
                for (Measured one : cases) {
                    run(one, round, exchanges);
                }
            }
        } finally {
            exchanges.values().forEach(Exchange::close);
        }
        server.stop();
    }

    /** Warms up, and finds the rates that the transports reach; empty when neither is needed. */
    private Map<Transport, Double> probe(Map<Transport, Exchange> exchanges) {
        Map<Transport, Double> perSecond = new EnumMap<>(Transport.class);
        if (plan.warmUp()) {
            WarmUp warmUp = new WarmUp();
            while (!warmUp.isEnough()) {
                warmUp.add(probe(exchanges, WarmUp.PART));
            }
            perSecond.putAll(warmUp.last());
        } else if (plan.rates().isEmpty()) {
            perSecond.putAll(probe(exchanges, ONLY_PROBE));
        }
        return perSecond;
    }

    private Map<Transport, Double> probe(Map<Transport, Exchange> exchanges, Duration time) {
        Map<Transport, Double> perSecond = new EnumMap<>(Transport.class);
        exchanges.forEach(
                (transport, exchange) -> perSecond.put(transport, ClosedLoop.run(exchange, time, plan.timeout())));
        return perSecond;
    }

    private void run(Measured one, int round, Map<Transport, Exchange> exchanges) {
        Map<Transport, EchoMeasurement> measurements = new EnumMap<>(Transport.class);
        List<Transport> transports = plan.transports();
        for (Transport transport : round % 2 == 1 ? transports : transports.reversed()) {
            listener.step("round " + round + " of " + plan.rounds() + ": " + transport.title());
            measurements.put(
                    transport, measure(exchanges.get(transport), one.test().rate()));
        }
        synchronized (measured) {
            one.rounds().add(measurements);
        }
        listener.measured(one.test(), round, measurements);
    }

    private EchoMeasurement measure(Exchange exchange, double rate) {
        if (plan.warmUp()) {
            QuietCompilers.await();
            server.awaitQuiet();
        }
        OpenLoop.run(exchange, rate, messages(rate, LEAD_IN_SECONDS), plan.timeout());
        long messages = messages(rate, plan.seconds());
        ProcessTime serverBefore = server.time();
        ProcessTime clientBefore = ProcessTime.ofThisProcess();
        int movesBefore = exchange.moves();
        long machineBefore = CpuTime.ofTheMachine();
        OpenLoop.Result result = OpenLoop.run(exchange, rate, messages, plan.timeout());
        long machine = CpuTime.between(machineBefore, CpuTime.ofTheMachine());
        ProcessTime client = ProcessTime.ofThisProcess().since(clientBefore);
        ProcessTime ofServer = server.time().since(serverBefore);
        return new EchoMeasurement(
                result.perSecond(),
                result.latency(),
                EchoCost.of(ofServer, client, machine, messages),
                exchange.moves() - movesBefore);
    }

    private static long messages(double rate, double seconds) {
        return Math.max(1, Math.round(rate * seconds));
    }
}
