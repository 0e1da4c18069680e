// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Runs the rounds. All cases are run in each round, so that a bad moment of the machine hits one round of each and not
 * all rounds of one; Java and C take turns in being first.
 */
final class CompareSession {
    private final Map<Implementation, Runner> runners = new EnumMap<>(Implementation.class);
    private final IntSupplier ports;
    private final CompareReport report;

    /**
     * @param java runs Java's tools
     * @param c runs C's
     * @param ports gives the TCP port of each run
     * @param report hears of each run
     */
    CompareSession(Runner java, Runner c, IntSupplier ports, CompareReport report) {
        runners.put(Implementation.JAVA, java);
        runners.put(Implementation.C, c);
        this.ports = ports;
        this.report = report;
    }

    /**
     * Runs each order once on Java's side, so that both JVMs have compiled what will be measured. The results are thrown
     * away.
     */
    void warmUp(List<RunOrder> orders) {
        for (RunOrder order : orders) {
            report.warmedUp(order, run(Implementation.JAVA, order));
        }
    }

    /** Runs all rounds and returns the results in the order of the orders. */
    List<CaseResult> run(List<RunOrder> orders, int rounds) {
        List<List<Round>> results = new ArrayList<>();
        orders.forEach(order -> results.add(new ArrayList<>()));
        for (int number = 1; number <= rounds; number++) {
            report.round(number, rounds);
            for (int i = 0; i < orders.size(); i++) {
                results.get(i).add(round(number, orders.get(i)));
            }
        }
        List<CaseResult> cases = new ArrayList<>();
        for (int i = 0; i < orders.size(); i++) {
            RunOrder order = orders.get(i);
            cases.add(new CaseResult(new TestCase(order.tool(), order.size()), order, results.get(i)));
        }
        return cases;
    }

    private Round round(int number, RunOrder order) {
        Map<Implementation, Measurement> measured = new EnumMap<>(Implementation.class);
        Implementation first = Implementation.firstOf(number);
        for (Implementation implementation : List.of(first, first.other())) {
            Measurement measurement = run(implementation, order);
            // A figure that cannot be compared ends everything now, not after the last round.
            Metric.of(order.tool()).forEach(measurement::figure);
            measured.put(implementation, measurement);
            report.measured(order, measurement);
        }
        Round round = new Round(number, measured.get(Implementation.JAVA), measured.get(Implementation.C));
        if (number == 1) {
            report.settings(order, round);
        }
        return round;
    }

    private Measurement run(Implementation implementation, RunOrder order) {
        long begin = System.nanoTime();
        Measurement measurement = runners.get(implementation).run(order.withPort(ports.getAsInt()));
        return measurement.taking((System.nanoTime() - begin) / 1e9);
    }
}
