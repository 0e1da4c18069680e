// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.rdma4j.perftest.compare.Samples;
import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.result.ToolOutput;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.print.ConsoleReport;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunInfo;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JavaRunnerTest {
    @Test
    void failureKeepsItsCauseAndItsRemedy() {
        PerftestException cause = new PerftestException("the peer closed the connection", "look at it");

        CompareException explained = JavaRunner.explain("Java's ib_write_lat", cause, "out of memory");

        assertThat(explained)
                .hasMessage("Java's ib_write_lat: the peer closed the connection; its server: out of memory")
                .hasCause(cause);
        assertThat(explained.remedy()).isEqualTo("look at it");
    }

    @Test
    void deviceThatRefusesTheRunIsNoInternalError() {
        assertThat(JavaRunner.explain("Java's ib_write_lat", new IllegalParameterException("-c: no SRD"), ""))
                .hasMessage("Java's ib_write_lat: -c: no SRD");
    }

    @Test
    void internalMessageHasItsClass() {
        assertThat(JavaRunner.explain("Java's ib_write_lat", new IllegalStateException("odd"), ""))
                .hasMessage("Java's ib_write_lat: java.lang.IllegalStateException: odd");
    }

    /** It would wait for it until the run's time is over. */
    @Test
    void clientWhoseServerHasGoneIsNotWaitedFor() {
        CompareException gone = new CompareException("the other machine has gone", "look at it");
        Serving server = new Serving() {
            @Override
            public CompletableFuture<?> ended() {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void check() {
                throw gone;
            }

            @Override
            public long finish(Deadline deadline) {
                throw new AssertionError("it has gone");
            }

            @Override
            public String complaint() {
                return "";
            }

            @Override
            public void close() {}
        };

        assertThatThrownBy(() -> JavaRunner.await(
                        new CompletableFuture<>(),
                        Samples.order(Samples.LATENCY),
                        server,
                        Deadline.in(Duration.ofMinutes(2))))
                .isSameAs(gone);
    }

    @ParameterizedTest
    @EnumSource(
            value = Tool.class,
            names = {"WRITE_LATENCY", "READ_BANDWIDTH"})
    void readerOfThePrintWouldFindTheSame(Tool tool) {
        RunInfo info =
                Results.info(RunParameters.parse(tool, "--details", "-q", tool.isLatency() ? "1" : "4", "localhost"));
        SizeResult result = tool.isLatency() ? Results.latency(2, 1000) : Results.bandwidth(4096, 1, false);
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        ConsoleReport report = new ConsoleReport(new PrintStream(printed, true, StandardCharsets.UTF_8), null, null);
        report.agreed(info);
        report.begin(info);
        report.result(result);

        ToolOutput read = CToolOutput.parse(printed.toString(StandardCharsets.UTF_8));

        ToolOutput handed = JavaRunner.output(info, result);
        assertThat(handed.settings()).containsExactlyEntriesOf(read.settings());
        assertThat(handed.heading()).isEqualTo(read.heading().stripTrailing());
        assertThat(handed.row()).isEqualTo(read.row().stripTrailing());
        assertThat(handed.figures().keySet())
                .containsExactlyElementsOf(read.figures().keySet());
        handed.figures()
                .forEach((key, exact) ->
                        assertThat(read.figures().get(key)).as(key).isCloseTo(exact, withinPercentage(1)));
    }
}
