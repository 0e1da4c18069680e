// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static io.github.rdma4j.perftest.run.AllocationCheck.assertNothingIsAllocated;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.perftest.loop.BandwidthLoop;
import io.github.rdma4j.perftest.loop.CompletionWait;
import io.github.rdma4j.perftest.loop.GroupTimes;
import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.loop.ReceivingSide;
import io.github.rdma4j.perftest.loop.SendBandwidthLoop;
import io.github.rdma4j.perftest.loop.SendingSide;
import io.github.rdma4j.perftest.loop.WriteLatencyLoop;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.resources.SendStreams;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The measured loops allocate nothing where they copy, either, and what is pinned does not depend on how much is sent.
 */
@Tag("device")
@Timeout(600)
@ExtendWith(StandInDriver.class)
class StagedAllocationDeviceTest {
    private static final int MESSAGES = 3000;
    /**
     * On a machine with one CPU each message takes milliseconds, because a polling thread keeps the kernel from the
     * CPU.
     */
    private static final int AWAITED_MESSAGES = Integer.getInteger("rdma4j.staged.messages", 300);

    private static final SystemData LAYOUT = new SystemData(4096, 64);
    private static final Depth DEPTH = new Depth(64, 4, 1);

    private static RunParameters parameters(Tool tool) {
        String[] arguments = {"-u", "18", "--use_cuda=0", "--gpu-path=staged", "localhost"};
        return RunParameters.parse(tool, arguments);
    }

    @ParameterizedTest
    @EnumSource(
            value = Tool.class,
            names = {"WRITE_BANDWIDTH", "READ_BANDWIDTH"})
    void bandwidthLoop(Tool tool) {
        RunParameters parameters = parameters(tool);
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = new RunResources(
                        device, parameters, Shape.localPair(parameters.connection(), 64, 64, 0), LAYOUT)) {
            pair.connectWithItself(device.mtu());
            int operation = Operation.of(parameters);
            BandwidthLoop.Stream[] streams = {
                BandwidthRun.stream(pair, 0, operation, 64, LAYOUT, DEPTH),
                BandwidthRun.stream(pair, 1, operation, 64, LAYOUT, DEPTH)
            };
            BandwidthLoop loop = new BandwidthLoop(
                    streams,
                    pair.completionQueue(),
                    new BandwidthLoop.Manner(operation, DEPTH, false, false, null, 16),
                    new GroupTimes(0),
                    new RunControl());
            loop.run(MESSAGES);
            long pinned = StandInDriver.get("allocations.host");

            assertNothingIsAllocated(
                    () -> {
                        loop.run(MESSAGES);
                    },
                    () -> {
                        assertThat(loop.failure()).isNull();
                        assertThat(loop.completed()).isEqualTo(2 * MESSAGES);
                        assertThat(StandInDriver.get("allocations.host")).isEqualTo(pinned);
                    });
        }
    }

    @Test
    void sendBandwidthLoop() {
        RunParameters parameters = parameters(Tool.SEND_BANDWIDTH);
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = new RunResources(
                        device, parameters, Shape.localPair(parameters.connection(), 64, 64, 64), LAYOUT)) {
            pair.connectWithItself(device.mtu());
            Receives receives = SendStreams.receives(pair, 64, LAYOUT, 64, 1);
            SendingSide sending = SendBandwidthRun.sending(parameters, pair, 64, LAYOUT, DEPTH, new GroupTimes(0));
            ReceivingSide receiving = new ReceivingSide(receives, pair.queues().receives(), 2, 16);
            SendBandwidthLoop loop = new SendBandwidthLoop(
                    sending, receiving, false, new CompletionWait(pair.queues()), new RunControl());
            assertThat(receives.begin(MESSAGES)).isTrue();
            loop.run(MESSAGES);
            boolean[] begun = new boolean[1];

            assertNothingIsAllocated(
                    () -> {
                        begun[0] = receives.begin(MESSAGES);
                        loop.run(MESSAGES);
                    },
                    () -> {
                        assertThat(begun[0]).isTrue();
                        assertThat(loop.failure()).isNull();
                        assertThat(receiving.received()).isEqualTo(2 * MESSAGES);
                    });
        }
    }

    @Test
    void latencyLoopOfWrites() {
        RunParameters parameters = parameters(Tool.WRITE_LATENCY);
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = new RunResources(
                        device, parameters, Shape.localPair(parameters.connection(), 2, 1, 0), LAYOUT)) {
            pair.connectWithItself(device.mtu());
            RunControl control = new RunControl();
            WriteLatencyLoop loop = LatencyRun.loop(pair, 2, null, control);
            LatencyRecorder stamps = LatencyRecorder.counted(control, LatencyRun.PARTS, AWAITED_MESSAGES, 1, false);
            loop.run(true, AWAITED_MESSAGES, stamps);
            long[] sent = new long[1];

            assertNothingIsAllocated(
                    () -> {
                        sent[0] = loop.run(true, AWAITED_MESSAGES, stamps);
                    },
                    () -> {
                        assertThat(loop.failure()).isNull();
                        assertThat(sent[0]).isEqualTo(AWAITED_MESSAGES);
                    });
        }
    }
}
