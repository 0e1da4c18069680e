// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.placement.CpuFrequency;
import io.github.rdma4j.verbs.device.LinkLayer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the effect of options that scripts for the C tools use and few people type. */
class NewerOptionsTest {
    private static RunParameters parse(Tool tool, String options) {
        return RunParameters.parse(tool, List.of(options.split(" ")));
    }

    @Test
    void flowLabelsAreTakenInTurnsAndReadAsInC() {
        PathOptions path =
                parse(Tool.WRITE_BANDWIDTH, "--flow_label=7,0x10,010,0xfffff").path();
        assertThat(path.hasFlowLabels()).isTrue();
        assertThat(IntStream.range(0, 6).map(path::flowLabel)).containsExactly(7, 16, 8, 0xfffff, 7, 16);
        PathOptions without = parse(Tool.WRITE_BANDWIDTH, "host").path();
        assertThat(without.hasFlowLabels()).isFalse();
        assertThat(without.flowLabel(3)).isZero();
    }

    @ParameterizedTest
    @CsvSource({"IB, INFINIBAND", "ib, INFINIBAND", "IBxyz, INFINIBAND", "Ethernet, ETHERNET", "ETHERNET, ETHERNET"})
    void linkIsForcedByTheLettersThatCReads(String word, LinkLayer link) {
        PathOptions path = parse(Tool.WRITE_LATENCY, "--force-link " + word).path();
        assertThat(path.linkLayer(LinkLayer.ETHERNET)).isEqualTo(link);
        assertThat(path.linkLayer(LinkLayer.INFINIBAND)).isEqualTo(link);
        assertThat(parse(Tool.WRITE_LATENCY, "host").path().linkLayer(LinkLayer.INFINIBAND))
                .isEqualTo(LinkLayer.INFINIBAND);
    }

    @Test
    void pollTakesAsManyCompletionsAsAskedFor() {
        assertThat(parse(Tool.SEND_BANDWIDTH, "host").queues().pollBatch()).isEqualTo(16);
        assertThat(parse(Tool.SEND_BANDWIDTH, "--cqe_poll=4").queues().pollBatch())
                .isEqualTo(4);
        assertThat(parse(Tool.SEND_BANDWIDTH, "--disable_dynamic_polling")
                        .queues()
                        .hasPollBatch())
                .isFalse();
        assertThat(parse(Tool.SEND_LATENCY, "--cqe_poll=4").queues().hasPollBatch())
                .isFalse();
    }

    @Test
    void sendsHaveImmediateDataWhenAskedFor() {
        assertThat(parse(Tool.SEND_LATENCY, "--send_with_imm").workload().sendsImmediate())
                .isTrue();
        assertThat(parse(Tool.SEND_LATENCY, "host").workload().sendsImmediate()).isFalse();
    }

    @ParameterizedTest
    @EnumSource(
            value = Tool.class,
            names = {"WRITE_LATENCY", "WRITE_BANDWIDTH"})
    void writesCompleteReceivesOfThePeerWhenAskedFor(Tool tool) {
        RunParameters parameters = parse(tool, "--write_with_imm -n 50");
        assertThat(parameters.usesReceives()).isTrue();
        assertThat(parameters.receiveDepth()).isEqualTo(50);
        assertThat(parse(tool, "--write_with_imm -n 50 -r 20").receiveDepth()).isEqualTo(20);
        assertThat(parse(tool, "-n 50").receiveDepth()).isZero();
        for (String more : List.of("--data_validation", "--reversed")) {
            assertThatThrownBy(() -> parse(tool, "--write_with_imm " + more))
                    .isInstanceOf(IllegalParameterException.class)
                    .hasMessageStartingWith("--write_with_imm: not with --rate_limit, --data_validation or --reversed");
        }
    }

    @Test
    void queuesOfAThreadDomainAreAskedFor() {
        assertThat(parse(Tool.READ_LATENCY, "--no_lock").queues().lockFree()).isTrue();
        assertThat(parse(Tool.READ_LATENCY, "host").queues().lockFree()).isFalse();
    }

    @Test
    void nullMemoryRegionIsNotForAToolThatWaitsForBytesNorBesideOthers() {
        assertThat(parse(Tool.READ_LATENCY, "--use-null-mr").memory().nullRegion())
                .isTrue();
        assertThat(parse(Tool.WRITE_BANDWIDTH, "host").memory().nullRegion()).isFalse();
        for (String more : List.of("--data_validation", "--use_cuda=0")) {
            assertThatThrownBy(() -> parse(Tool.WRITE_BANDWIDTH, "--use-null-mr " + more))
                    .isInstanceOf(IllegalParameterException.class)
                    .hasMessageContaining("--use-null-mr");
        }
        assertThatThrownBy(() -> parse(Tool.WRITE_LATENCY, "--use-null-mr"))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--use-null-mr: ib_write_lat waits for the last byte of each message");
        assertThat(parse(Tool.WRITE_LATENCY, "--use-null-mr --write_with_imm")
                        .memory()
                        .nullRegion())
                .isTrue();
        assertThatThrownBy(() -> parse(Tool.SEND_BANDWIDTH, "--use-null-mr"))
                .hasMessage("--use-null-mr is for the write and read tools");
    }

    @Test
    void pauseIsInMicroseconds() {
        assertThat(parse(Tool.READ_LATENCY, "--latency_gap=1500").workload().latencyGap())
                .isEqualTo(Duration.ofNanos(1_500_000));
        assertThat(parse(Tool.READ_LATENCY, "--latency_gap=0").adjustments()).isEmpty();
        assertThat(parse(Tool.READ_LATENCY, "host").workload().latencyGap()).isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ib_read_lat  | --latency_gap=5 --rate=10 host | --latency_gap and --rate exclude each other
        ib_read_lat  | --latency_gap=30000000         | --latency_gap: 30 s between messages are no less than the 30 s
        ib_read_lat  | --latency_gap=-1               | --latency_gap: -1 is out of range; allowed is 0 to 2147483647
        ib_write_lat | --rate=0.02 host               | --rate: 50 s between messages are no less than the 30 s after which
        ib_write_bw  | --rate_limit=1 --rate_units=p  | --rate_limit: 128 s between completions are no less than the 30 s after
        ib_write_bw  | -s 8M --rate_limit=0.25        | --rate_limit: 34 s between completions are no less than the 30 s after
        ib_write_bw  | -s 64 -q 4 -Q 10 --rate_limit=1 --rate_units=p --burst_size=4 | --rate_limit: 40 s
        """)
    void pausesThatCannotBeAreRefused(String tool, String options, String message) {
        assertThatThrownBy(() -> parse(Tool.ofCommand(tool).orElseThrow(), options))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        ib_read_lat  | --latency_gap=30000000 --timeout=31
        ib_write_lat | --rate=0.02 --timeout=51 host
        ib_write_bw  | --rate_limit=1 --rate_units=p --timeout=129
        ib_write_bw  | --rate_limit=1 --rate_units=p --burst_size=29
        ib_write_bw  | -n 29 --rate_limit=1 --rate_units=p
        """)
    void pausesBelowTheTimeoutAreAccepted(String tool, String options) {
        assertThatCode(() -> parse(Tool.ofCommand(tool).orElseThrow(), options)).doesNotThrowAnyException();
    }

    @Test
    void cyclesUseTheFrequencyThatTheKernelReports() {
        OptionalDouble reported = CpuFrequency.megahertz();
        if (reported.isEmpty()) {
            assertThatThrownBy(() -> parse(Tool.SEND_LATENCY, "-C"))
                    .isInstanceOf(IllegalParameterException.class)
                    .hasMessageStartingWith("-C/--report-cycles: /proc/cpuinfo has no frequency");
            return;
        }
        RunParameters parameters = parse(Tool.SEND_LATENCY, "--report-cycles");
        // Where the frequency changes, it may have done so since.
        assertThat(parameters.figures().cyclesPerMicrosecond())
                .isBetween(reported.getAsDouble() / 20, reported.getAsDouble() * 20);
        assertThat(parameters.adjustments()).singleElement().asString().contains("MHz of /proc/cpuinfo");
        assertThat(parse(Tool.SEND_LATENCY, "host").figures().cyclesPerMicrosecond())
                .isZero();
    }
}
