// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CompareSessionTest {
    private final List<String> calls = new ArrayList<>();
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final CompareReport report = new CompareReport(new PrintStream(printed, true, StandardCharsets.UTF_8));
    private final AtomicInteger port = new AtomicInteger(100);

    private Runner runner(Implementation implementation) {
        return order -> {
            calls.add(implementation.title() + " " + order.size() + " @" + order.port());
            return order.tool().isLatency()
                    ? Samples.latency(implementation, 10, 11)
                    : Samples.bandwidth(implementation, 60, 0.001);
        };
    }

    private CompareSession session() {
        return new CompareSession(runner(Implementation.JAVA), runner(Implementation.C), port::getAndIncrement, report);
    }

    @Test
    void runsAllCasesInEachRoundAndTheFirstTakesTurns() {
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY), Samples.order(Samples.BANDWIDTH));
        List<CaseResult> results = session().run(orders, 2);

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
        assertThat(results.getFirst().rounds().getFirst().java().seconds()).isPositive();
    }

    @Test
    void warmsUpUntilNothingBecomesFaster() {
        Iterator<Double> figures = List.of(20.0, 15.0, 12.0, 11.9).iterator();
        Runner java = order -> {
            calls.add("run");
            return Samples.latency(Implementation.JAVA, figures.next(), 1);
        };

        new CompareSession(java, runner(Implementation.C), port::getAndIncrement, report)
                .warmUp(List.of(Samples.order(Samples.LATENCY)));

        assertThat(calls).hasSize(4);
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .startsWith(" warm-up of Java, not counted: ib_write_lat, 2 bytes, 5000 messages: 4 runs, ");
    }

    @Test
    void printsTheTablesRoundByRound() {
        List<RunOrder> orders = List.of(Samples.order(Samples.LATENCY));
        CompareSession session = session();

        session.warmUp(orders);
        session.run(orders, 2);

        assertThat(printed.toString(StandardCharsets.UTF_8).lines().skip(1))
                .containsExactly(
                        "",
                        "round 1 of 2, Java first",
                        "ib_write_lat",
                        "      #bytes heading of Java",
                        "Java  2 row of Java",
                        "C     2 row of C",
                        "warning: ib_write_lat, 2 bytes: TX depth is 2 in Java, 1 in C",
                        "",
                        "round 2 of 2, C first",
                        "ib_write_lat",
                        "      #bytes heading of Java",
                        "C     2 row of C",
                        "Java  2 row of Java");
    }

    @Test
    void stopsAtAFigureThatCannotBeCompared() {
        Runner broken = order -> Samples.latency(Implementation.C, Double.NaN, 1);
        CompareSession session = new CompareSession(runner(Implementation.JAVA), broken, port::getAndIncrement, report);

        assertThatThrownBy(() -> session.run(List.of(Samples.order(Samples.LATENCY)), 5))
                .isInstanceOf(CompareException.class);
        assertThat(calls).hasSize(1);
    }
}
