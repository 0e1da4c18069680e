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
    private static final int MOST_WARM_UPS = 5;
    private static final int MOST_ATTEMPTS = 3;

    /** A run that is not faster by so much is as fast as the ones before it. */
    private static final double FASTER = 1.02;

    private static final double WARM_UP_SECONDS = 8;

    /** In an emulated machine beside a busy neighbour, compilers have been seen to need half of it. */
    private static final int COMPILE_SECONDS = 60;

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
     * Runs each order on Java's side until it does not become faster any more, so that both JVMs have compiled what will be
     * measured, and what stands around it. The results are thrown away.
     */
    void warmUp(List<RunOrder> orders) {
        for (RunOrder order : orders) {
            warmUp(order);
        }
    }

    private void warmUp(RunOrder order) {
        Metric metric = Metric.of(order.tool()).getFirst();
        double best = 0;
        double seconds = 0;
        for (int runs = 1; ; runs++) {
            Measurement measurement = run(Implementation.JAVA, order.withMoreTime(COMPILE_SECONDS));
            double figure = measurement.figure(metric);
            double speed = metric.lowerIsBetter() ? 1 / figure : figure;
            seconds += measurement.seconds();
            if (runs == MOST_WARM_UPS || runs > 1 && speed < best * FASTER || seconds > WARM_UP_SECONDS) {
                report.warmedUp(order, measurement, runs, seconds);
                return;
            }
            best = Math.max(best, speed);
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
            Measurement measurement = usable(implementation, order);
            measured.put(implementation, measurement);
            report.measured(order, measurement);
        }
        Round round = new Round(number, measured.get(Implementation.JAVA), measured.get(Implementation.C));
        if (number == 1) {
            report.settings(order, round);
        }
        return round;
    }

    /**
     * A run whose figures can be compared. Where the processors' cycle counters differ by a moment, as emulated ones can, the C
     * tools print zeros now and then; such a run is told and repeated. What cannot be had ends everything now, not after the
     * last round.
     */
    private Measurement usable(Implementation implementation, RunOrder order) {
        for (int attempt = 1; ; attempt++) {
            Measurement measurement = run(implementation, order);
            try {
                Metric.of(order.tool()).forEach(measurement::figure);
                return measurement;
            } catch (CompareException unusable) {
                if (attempt == MOST_ATTEMPTS) {
                    throw unusable;
                }
                report.repeats(unusable.getMessage());
            }
        }
    }

    private Measurement run(Implementation implementation, RunOrder order) {
        long begin = System.nanoTime();
        Measurement measurement = runners.get(implementation).run(order.withPort(ports.getAsInt()));
        return measurement.taking((System.nanoTime() - begin) / 1e9);
    }
}
