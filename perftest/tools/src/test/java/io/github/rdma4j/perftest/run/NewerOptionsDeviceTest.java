// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.loop.SendLatencyLoop;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.resources.SendStreams;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.WorkCompletionOpcode;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the effect of newer C tools' options on queue pairs and messages, where no figure shows it. */
@Tag("device")
@Timeout(600)
class NewerOptionsDeviceTest {
    private static final SystemData LAYOUT = new SystemData(4096, 64);

    /** The queue pairs of a process that is its own peer. */
    private static RunResources pair(RunDevice device, RunParameters parameters) {
        Shape shape = Shape.localPair(parameters.connection(), 8, 4, parameters.usesReceives() ? 4 : 0);
        RunResources pair = new RunResources(device, parameters, shape, LAYOUT);
        pair.connectWithItself(device.mtu());
        return pair;
    }

    @Test
    void queuePairsTakeTheFlowLabelsInTurns() {
        RunParameters parameters = RunParameters.parse(Tool.WRITE_BANDWIDTH, "--flow_label=0x12345,7", "localhost");
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = pair(device, parameters)) {
            assertThat(flowLabel(pair, 0)).isEqualTo(0x12345);
            assertThat(flowLabel(pair, 1)).isEqualTo(7);
        }
    }

    private static int flowLabel(RunResources pair, int stream) {
        return pair.queuePair(stream).query().path().globalRoute().orElseThrow().flowLabel();
    }

    @ParameterizedTest
    @CsvSource({
        "SEND_LATENCY,  --send_with_imm,     true,  RECEIVE",
        "SEND_LATENCY,  --use_old_post_send, false, RECEIVE",
        "WRITE_LATENCY, --write_with_imm,    true,  RECEIVE_RDMA_WITH_IMMEDIATE"
    })
    void messagesHaveImmediateDataIfAskedFor(Tool tool, String option, boolean expected, WorkCompletionOpcode opcode) {
        RunParameters parameters = RunParameters.parse(tool, "-u", "18", option);
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = pair(device, parameters)) {
            Receives receives = SendStreams.receivesOf(pair, 1, 8, LAYOUT, 1);
            SendLatencyLoop loop = SendLatencyRun.loop(pair, 1, 8, receives, new RunControl());
            assertThat(receives.begin(1)).isTrue();
            pair.buffer().set(ValueLayout.JAVA_BYTE, pair.sendOffset(0), (byte) 42);
            assertThat(loop.send()).as(loop.failure()).isTrue();
            WorkCompletions completions = WorkCompletions.allocate(1);
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (pair.queues().receives().poll(completions) == 0) {
                assertThat(System.nanoTime()).as("the message comes").isLessThan(deadline);
            }
            assertThat(completions.get(0).hasImmediateData()).isEqualTo(expected);
            assertThat(completions.get(0).opcode()).isEqualTo(opcode);
            assertThat(pair.buffer().get(ValueLayout.JAVA_BYTE, pair.receiveOffset(tool == Tool.SEND_LATENCY ? 1 : 0)))
                    .isEqualTo((byte) 42);
        }
    }

    @Test
    void portIsTakenForTheLinkThatIsForced() {
        try (RunDevice device = RunDevice.open(RunParameters.parse(Tool.WRITE_LATENCY, "--force-link=Ethernet"))) {
            assertThat(device.gid()).isNotNull();
        }
        try (RunDevice device =
                RunDevice.open(RunParameters.parse(Tool.WRITE_LATENCY, "--force-link=IB", "-R", "--flow_label=1"))) {
            assertThat(device.gid()).as("rdma_cm has the way").isNull();
        }
        RunParameters impossible = RunParameters.parse(Tool.WRITE_LATENCY, "--force-link=IB");
        assertThatThrownBy(() -> RunDevice.open(impossible))
                .isInstanceOf(IllegalParameterException.class)
                .hasMessageStartingWith("--force-link: port 1 of ")
                .hasMessageContaining("is Ethernet, where nothing is connected without a GID");
        try (RunDevice device = RunDevice.open(RunParameters.parse(Tool.WRITE_LATENCY, "--force-link=IB", "-x", "1"))) {
            assertThat(device.gid().index()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--no_lock | ibv_alloc_td(", "--use-null-mr | ibv_alloc_null_mr("})
    void unsupportedFeatureIsRefusedInTheDevicesName(String optionAndVerb) {
        String[] words = optionAndVerb.split(" \\| ");
        String device = Device.list().getFirst().name();
        CommandRun run = CommandRun.of(Tool.WRITE_BANDWIDTH, "-d " + device + " -p 18699 " + words[0]);
        assertThat(run.status()).as(run.toString()).isEqualTo(1);
        assertThat(run.err()).contains(words[1] + device + ")");
    }
}
