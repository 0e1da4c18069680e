// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.Kind;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.print.CompareReport;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.Round;
import io.github.rdma4j.perftest.compare.runner.QuietCompilers;
import io.github.rdma4j.perftest.compare.runner.Runner;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.figures.MedianInterval;
import io.github.rdma4j.perftest.options.Tool;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Runs the rounds. Each round runs all cases, so that a disturbance of the machine affects one round of each case
 * instead of all rounds of one case. Java and C take turns in running first. Plain TCP, if it is measured, runs in some
 * of the rounds.
 */
final class CompareSession {
    private static final int MOST_WARM_UPS = 5;
    private static final int MOST_ATTEMPTS = 3;

    /**
     * The least number of rounds of plain TCP, if there are as many. A round takes as long as one of RDMA, and the
     * difference between the two is so large that a few rounds show it.
     */
    private static final int TCP_ROUNDS = 5;

    /** A run must be faster by this factor to count as an improvement. */
    private static final double FASTER = 1.02;

    private static final double WARM_UP_SECONDS = 8;

    /** In an emulated machine on a busy host, compilers have needed half of it. */
    private static final int COMPILE_SECONDS = 60;

    /** The number of messages in a run that measures start and end: so small that the messages do not matter. */
    private static final int FEW_MESSAGES = 20;

    /** The number of short runs: the least value counts, so that a disturbed run does not matter. */
    private static final int SHORT_RUNS = 2;

    private final Map<Implementation, List<Runner>> runners;
    private final IntSupplier ports;
    private final LongSupplier busy;
    private final CompareReport report;
    private final Map<Same, Measurement> shortRuns = new HashMap<>();

    private final List<Case> cases = new ArrayList<>();

    /**
     * @param runners by implementation: the first runner that supports an order runs it; plain TCP may be missing
     * @param ports returns the TCP port of each run
     * @param busy returns how long the processors have been busy, as in {@link CpuTime}
     * @param report is notified of each run
     */
    CompareSession(
            Map<Implementation, List<Runner>> runners, IntSupplier ports, LongSupplier busy, CompareReport report) {
        this.runners = new EnumMap<>(runners);
        this.ports = ports;
        this.busy = busy;
        this.report = report;
    }

    /** A case with its rounds so far. */
    private record Case(RunOrder order, List<Round> rounds) {}

    /** Runs that are equal for one implementation: plain TCP has only kinds of tests and no tools. */
    private record Same(Implementation implementation, Tool tool, Kind kind, long size) {
        static Same of(Implementation implementation, RunOrder order) {
            return new Same(implementation, implementation.isTcp() ? null : order.tool(), order.kind(), order.size());
        }
    }

    /**
     * Runs each order on Java's side until it gets no faster, so that both JVMs have compiled the measured code and the
     * code around it. The results are discarded.
     */
    void warmUp(List<RunOrder> orders) {
        Set<Same> done = new HashSet<>();
        for (Implementation implementation : List.of(Implementation.JAVA, Implementation.TCP_JAVA)) {
            for (RunOrder order : orders) {
                if (runner(implementation, order) != null && done.add(Same.of(implementation, order))) {
                    warmUp(implementation, order);
                }
            }
        }
    }

    private void warmUp(Implementation implementation, RunOrder order) {
        Metric metric = Metric.of(order.tool()).getFirst();
        double best = 0;
        double seconds = 0;
        for (int runs = 1; ; runs++) {
            Measurement measurement = run("warm-up, run " + runs, implementation, order.withMoreTime(COMPILE_SECONDS));
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

    /** Measures runs of few messages, which show the CPU time that the processes use before and after the messages. */
    void measureSurroundings(List<RunOrder> orders) {
        for (RunOrder order : orders) {
            for (Implementation implementation : Implementation.values()) {
                Runner runner = runner(implementation, order);
                if (runner != null && runner.hasShortRun() && FEW_MESSAGES < order.iterations()) {
                    shortRuns.computeIfAbsent(Same.of(implementation, order), _ -> shortRun(implementation, order));
                }
            }
        }
    }

    private Measurement shortRun(Implementation implementation, RunOrder order) {
        RunOrder few = order.withIterations(FEW_MESSAGES);
        Measurement least = run("short run", implementation, few);
        for (int i = 1; i < (order.warmUp() ? SHORT_RUNS : 1); i++) {
            least = least.withLeast(run("short run", implementation, few).cpu());
        }
        return least;
    }

    private Runner runner(Implementation implementation, RunOrder order) {
        return runners.getOrDefault(implementation, List.of()).stream()
                .filter(runner -> runner.canRun(order))
                .findFirst()
                .orElse(null);
    }

    /**
     * Runs the rounds and returns the results in the order of the orders.
     *
     * @param seconds the time after which no further round starts, once there are enough for an interval; 0 for no
     *     limit
     */
    List<CaseResult> run(List<RunOrder> orders, int rounds, int seconds) {
        long begin = System.nanoTime();
        synchronized (this) {
            cases.clear();
            orders.forEach(order -> cases.add(new Case(order, new ArrayList<>())));
        }
        for (int number = 1; number <= rounds; number++) {
            boolean late = seconds > 0 && System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(seconds);
            if (late && number > MedianInterval.LEAST_FIGURES) {
                report.roundsEnd(number - 1, rounds, seconds);
                break;
            }
            report.round(number, rounds);
            Map<Same, Measurement> tcp = new HashMap<>();
            List<Implementation> turns = turns(number, rounds);
            for (int i = 0; i < orders.size(); i++) {
                Round round = round(number, rounds, turns, orders.get(i), tcp);
                synchronized (this) {
                    cases.get(i).rounds().add(round);
                }
            }
        }
        return measured();
    }

    /** Returns the implementations that run in a round. The rounds with plain TCP are spread evenly. */
    static List<Implementation> turns(int number, int rounds) {
        boolean tcp = (number - 1) % Math.max(1, rounds / TCP_ROUNDS) == 0;
        return Implementation.turns(number).stream()
                .filter(implementation -> tcp || !implementation.isTcp())
                .toList();
    }

    /** Returns the results so far, of complete rounds of a case. Another thread may call this. */
    synchronized List<CaseResult> measured() {
        return cases.stream()
                .filter(one -> !one.rounds().isEmpty())
                .map(one -> new CaseResult(
                        new CompareCase(one.order().tool(), one.order().size()), one.order(), one.rounds()))
                .toList();
    }

    /**
     * @param tcp the results over plain TCP in this round, which tools of the same kind share
     */
    private Round round(
            int number, int rounds, List<Implementation> turns, RunOrder order, Map<Same, Measurement> tcp) {
        String step = "round " + number + " of " + rounds;
        Map<Implementation, Measurement> measured = new EnumMap<>(Implementation.class);
        for (Implementation implementation : turns) {
            Measurement before = tcp.get(Same.of(implementation, order));
            if (before != null) {
                measured.put(implementation, before);
            } else if (runner(implementation, order) != null) {
                Measurement measurement = usable(step, implementation, order);
                measured.put(implementation, measurement);
                report.measured(order, measurement);
                if (implementation.isTcp()) {
                    tcp.put(Same.of(implementation, order), measurement);
                }
            }
        }
        Round round = new Round(number, measured);
        if (number == 1) {
            report.settings(order, round);
        }
        return round;
    }

    /**
     * Returns a measurement with comparable figures. The C tools sometimes print zeros if the CPUs' cycle counters
     * differ, as emulated ones can: such a run is reported and repeated. A figure that is still missing ends the
     * comparison now instead of after the last round.
     */
    private Measurement usable(String step, Implementation implementation, RunOrder order) {
        for (int attempt = 1; ; attempt++) {
            Measurement measurement = run(step, implementation, order);
            try {
                Metric.of(order.tool()).forEach(measurement::figure);
                return withCost(measurement, order);
            } catch (CompareException unusable) {
                if (attempt == MOST_ATTEMPTS) {
                    throw unusable;
                }
                report.repeats(unusable.getMessage());
            }
        }
    }

    private Measurement withCost(Measurement measurement, RunOrder order) {
        Measurement shortRun = shortRuns.get(Same.of(measurement.implementation(), order));
        if (shortRun != null) {
            return measurement.costingMoreThan(shortRun);
        }
        boolean nothingAround = !runner(measurement.implementation(), order).hasShortRun();
        return nothingAround ? measurement.costingMoreThan(null) : measurement;
    }

    private Measurement run(String step, Implementation implementation, RunOrder order) {
        report.step(step, implementation, order);
        RunOrder placed = order.withPort(ports.getAsInt());
        if (order.warmUp()) {
            QuietCompilers.await();
        }
        long before = busy.getAsLong();
        long begin = System.nanoTime();
        Measurement measurement = runner(implementation, order).run(placed);
        double seconds = (System.nanoTime() - begin) / 1e9;
        return measurement.taking(seconds).besides(CpuTime.between(before, busy.getAsLong()));
    }
}
