// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.print.CompareReport;
import io.github.rdma4j.perftest.compare.print.Progress;
import io.github.rdma4j.perftest.compare.result.CaseResult;
import io.github.rdma4j.perftest.compare.result.Implementation;
import io.github.rdma4j.perftest.compare.result.Measurement;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.runner.Runner;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareSessionTest {
    private final List<String> calls = new ArrayList<>();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final CompareReport report = new CompareReport(
            new PrintStream(printed, true, StandardCharsets.UTF_8), new Progress(System.err, "compare"));
    private final AtomicInteger port = new AtomicInteger(100);

    private Runner runner(Implementation implementation) {
        return order -> {
            calls.add(implementation.title() + " " + order.size() + " @" + order.port());
            return order.tool().isLatency()
                    ? Samples.latency(implementation, 10, 11)
                    : Samples.bandwidth(implementation, 60, 0.001);
        };
    }

    private CompareSession session(Runner java, Runner c) {
        return new CompareSession(
                Map.of(Implementation.JAVA, List.of(java), Implementation.C, List.of(c)),
                port::getAndIncrement,
                CpuTime::ofTheMachine,
                report);
    }

    private CompareSession session() {
        return session(runner(Implementation.JAVA), runner(Implementation.C));
    }

    @Test
    void afterItsTimeNoRoundBeginsOnceThereAreEnoughForAnInterval() {
        Runner c = runner(Implementation.C);
        Runner slowAtFirst = order -> {
            if (calls.size() == 1) {
                sleep(Duration.ofMillis(1050));
            }
            return c.run(order);
        };
        CompareSession session = session(runner(Implementation.JAVA), slowAtFirst);

        List<CaseResult> results = session.run(List.of(Samples.order(Samples.LATENCY)), 8, 1);

        assertThat(results.getFirst().rounds()).hasSize(6);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("ended after 6 of 8 rounds: the 1 s of --rounds-within are over");
    }

    private static void sleep(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void inItsTimeThereAreAllRounds() {
        List<CaseResult> results = session().run(List.of(Samples.order(Samples.LATENCY)), 8, 3600);

        assertThat(results.getFirst().rounds()).hasSize(8);
    }

    @Test
    void runsAllCasesInEachRoundAndTheFirstTakesTurns() {
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY), Samples.order(Samples.BANDWIDTH));
        List<CaseResult> results = session().run(orders, 2, 0);

        assertThat(calls)
                .containsExactly(
                        "Java 2 @100",
                        "C 2 @101",
                        "Java 65536 @102",
                        "C 65536 @103",
                        "C 2 @104",
                        "Java 2 @105",
                        "C 65536 @106",
                        "Java 65536 @107");
        assertThat(results).extracting(CaseResult::test).containsExactly(Samples.LATENCY, Samples.BANDWIDTH);
        assertThat(results.getFirst().rounds()).hasSize(2);
        assertThat(results.getFirst()
                        .rounds()
                        .getFirst()
                        .of(Implementation.JAVA)
                        .seconds())
                .isPositive();
    }

    @Test
    void warmsUpUntilNothingBecomesFaster() {
        Iterator<Double> figures = List.of(20.0, 15.0, 12.0, 11.9).iterator();
        Runner java = order -> {
            calls.add("run");
            return Samples.latency(Implementation.JAVA, figures.next(), 1);
        };

        session(java, runner(Implementation.C)).warmUp(List.of(Samples.order(Samples.LATENCY)));

        assertThat(calls).hasSize(4);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .startsWith(" warm-up of Java, not counted: ib_write_lat, 2 bytes, 5000 messages: 4 runs, ");
    }

    @ParameterizedTest
    @CsvSource({"'warm-up, run 1', 0", "short run, 1", "round 2 of 2, 4"})
    void eachRunIsReportedWhileItLasts(String phase, int runsBefore) {
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Runner java = order -> {
            calls.add("run");
            if (calls.size() > runsBefore) {
                awaitLine(err, "compare: " + phase + ": Java, ib_write_lat, 2 bytes, for ");
            }
            return Samples.latency(Implementation.JAVA, 10, 11);
        };
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY));
        try (Progress progress =
                new Progress(new PrintStream(err, true, StandardCharsets.UTF_8), "compare", Duration.ofMillis(1))) {
            CompareSession session = new CompareSession(
                    Map.of(Implementation.JAVA, List.of(java), Implementation.C, List.of(runner(Implementation.C))),
                    port::getAndIncrement,
                    CpuTime::ofTheMachine,
                    new CompareReport(new PrintStream(printed, true, StandardCharsets.UTF_8), progress.start()));

            switch (phase) {
                case "short run" -> session.measureSurroundings(orders);
                case "round 2 of 2" -> session.run(orders, 2, 0);
                default -> session.warmUp(orders);
            }
        }

        assertThat(printed.toString(StandardCharsets.UTF_8)).doesNotContain("compare: ");
    }

    private static void awaitLine(ByteArrayOutputStream err, String begin) {
        long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (err.toString(StandardCharsets.UTF_8).lines().noneMatch(line -> line.startsWith(begin))) {
            assertThat(System.nanoTime()).as("%s in %s", begin, err).isLessThan(end);
            sleep(Duration.ofMillis(1));
        }
    }

    @Test
    void printsTheTablesRoundByRound() {
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY));
        CompareSession session = session();

        session.warmUp(orders);
        session.run(orders, 2, 0);

        assertThat(printed.toString(StandardCharsets.UTF_8).lines().skip(1))
                .containsExactly(
                        "",
                        "round 1 of 2, Java first",
                        "ib_write_lat",
                        "          #bytes heading of Java",
                        "Java      2 row of Java",
                        "C         2 row of C",
                        "warning: ib_write_lat, 2 bytes: TX depth is 2 in Java, 1 in C",
                        "",
                        "round 2 of 2, C first",
                        "ib_write_lat",
                        "          #bytes heading of Java",
                        "C         2 row of C",
                        "Java      2 row of Java");
    }

    @Test
    void stopsAtAFigureThatCannotBeCompared() {
        Runner broken = order -> Samples.latency(Implementation.C, Double.NaN, 1);
        CompareSession session = session(runner(Implementation.JAVA), broken);

        assertThatThrownBy(() -> session.run(List.of(Samples.order(Samples.LATENCY)), 5, 0))
                .isInstanceOf(CompareException.class);
        assertThat(calls).hasSize(1);
    }

    @Test
    void resultsBeforeAFailureAreAvailable() {
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY), Samples.order(Samples.BANDWIDTH));
        Runner java = order -> {
            if (calls.size() == 7) {
                throw new CompareException("the server died", "");
            }
            return runner(Implementation.JAVA).run(order);
        };
        CompareSession session = session(java, runner(Implementation.C));
        assertThat(session.measured()).isEmpty();
        assertThatThrownBy(() -> session.run(orders, 3, 0)).hasMessage("the server died");
        assertThat(session.measured()).hasSize(2);
        assertThat(session.measured().getFirst().rounds()).hasSize(2);
        assertThat(session.measured().getLast().rounds()).hasSize(1);
    }

    private CompareSession sessionWith(Runner tcp) {
        return new CompareSession(
                Map.of(
                        Implementation.JAVA, List.of(runner(Implementation.JAVA)),
                        Implementation.C, List.of(runner(Implementation.C)),
                        Implementation.TCP_JAVA, List.of(tcp)),
                port::getAndIncrement,
                CpuTime::ofTheMachine,
                report);
    }

    @Test
    void plainTcpStandsBesideEachToolOfItsKindButIsRunOncePerRound() {
        Runner tcp = order -> {
            calls.add("TCP " + order.size());
            return Samples.latency(Implementation.TCP_JAVA, 30, 31);
        };
        CompareSession session = sessionWith(tcp);

        List<CaseResult> results =
                session.run(List.of(Samples.order(Samples.LATENCY), Samples.order(Samples.LATENCY)), 2, 0);

        assertThat(calls).filteredOn(call -> call.startsWith("TCP")).hasSize(2);
        assertThat(results)
                .allSatisfy(result -> assertThat(result.best(Implementation.TCP_JAVA, Metric.TYPICAL_LATENCY))
                        .isEqualTo(30));
        assertThat(results.getFirst().best(Implementation.TCP_C, Metric.TYPICAL_LATENCY))
                .isNaN();
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "4, 4", "7, 7", "10, 5", "14, 7", "15, 5"})
    void plainTcpTakesPartInFiveRoundsAtLeastAndInTheFirst(int rounds, int ofTcp) {
        List<List<Implementation>> all = IntStream.rangeClosed(1, rounds)
                .mapToObj(number -> CompareSession.turns(number, rounds))
                .toList();

        assertThat(all)
                .allSatisfy(turns -> assertThat(turns).contains(Implementation.JAVA, Implementation.C))
                .filteredOn(turns -> turns.contains(Implementation.TCP_C))
                .hasSize(ofTcp);
        assertThat(all.getFirst()).contains(Implementation.TCP_JAVA);
    }

    @Test
    void roundWithoutTcpHasNoFigureOfIt() {
        Runner tcp = order -> Samples.latency(Implementation.TCP_JAVA, 30, 31);
        CompareSession session = sessionWith(tcp);

        CaseResult result =
                session.run(List.of(Samples.order(Samples.LATENCY)), 10, 0).getFirst();

        assertThat(result.of(Implementation.C)).hasSize(10);
        assertThat(result.of(Implementation.TCP_JAVA)).hasSize(5);
    }

    @Test
    void messageCostsWhatALongerRunUsesMoreThanAShortOne() {
        Runner java = order -> Samples.latency(Implementation.JAVA, 10, 11)
                .using(order.messages(), 1_000_000 + 3_000 * order.messages());
        Runner c = order -> Samples.latency(Implementation.C, 10, 11);
        CompareSession session = session(java, c);
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY));

        session.measureSurroundings(orders);
        CaseResult result = session.run(orders, 1, 0).getFirst();

        assertThat(result.best(Implementation.JAVA, Metric.CPU_PER_MESSAGE)).isCloseTo(3, within(1e-9));
        assertThat(result.best(Implementation.C, Metric.CPU_PER_MESSAGE)).isNaN();
    }

    @Test
    void runnerThatCannotRunAnOrderIsNotAsked() {
        Runner unable = new Runner() {
            @Override
            public Measurement run(RunOrder order) {
                throw new AssertionError("asked");
            }

            @Override
            public boolean canRun(RunOrder order) {
                return false;
            }
        };
        CompareSession session = new CompareSession(
                Map.of(
                        Implementation.JAVA, List.of(runner(Implementation.JAVA)),
                        Implementation.C, List.of(runner(Implementation.C)),
                        Implementation.TCP_C, List.of(unable)),
                port::getAndIncrement,
                CpuTime::ofTheMachine,
                report);
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY));

        session.warmUp(orders);
        session.measureSurroundings(orders);

        assertThat(session.run(orders, 1, 0).getFirst().rounds().getFirst().of(Implementation.TCP_C))
                .isNull();
    }
}
