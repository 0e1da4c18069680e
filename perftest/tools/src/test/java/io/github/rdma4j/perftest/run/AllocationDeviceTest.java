// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static io.github.rdma4j.perftest.run.AllocationCheck.assertNothingIsAllocated;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.loop.BandwidthLoop;
import io.github.rdma4j.perftest.loop.CompletionWait;
import io.github.rdma4j.perftest.loop.GroupTimes;
import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.loop.ReceivingSide;
import io.github.rdma4j.perftest.loop.RequestLatencyLoop;
import io.github.rdma4j.perftest.loop.SendBandwidthLoop;
import io.github.rdma4j.perftest.loop.SendLatencyLoop;
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
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The measured loops allocate nothing: the bytes that the thread has allocated are the same before and after. */
@Tag("device")
@Tag("optimised")
@Timeout(900)
class AllocationDeviceTest {
    /** A multiple of a list for each of two queue pairs. */
    private static final int OPERATIONS = Integer.getInteger("rdma4j.allocation.operations", 20_000);
    /** Beside busy programs the compiler needs longer than a user should wait. */
    private static final Duration WARM_UP = Duration.ofMinutes(3);

    @Test
    void latencyLoopAllocatesNothing() {
        RunParameters parameters = RunParameters.parse(Tool.WRITE_LATENCY, "-u", "18");
        SystemData layout = new SystemData(4096, 64);
        try (RunDevice device = RunDevice.open(parameters)) {
            assertThat(WarmUp.once(device, parameters, layout, WARM_UP)).contains("compiled code");
            try (RunResources pair =
                    new RunResources(device, parameters, Shape.localPair(parameters.connection(), 2, 1, 0), layout)) {
                pair.connectWithItself(device.mtu());
                RunControl control = new RunControl();
                WriteLatencyLoop loop = LatencyRun.loop(pair, 2, null, control);
                LatencyRecorder stamps = LatencyRecorder.counted(control, LatencyRun.PARTS, OPERATIONS, 1, false);
                loop.run(true, 1000, stamps);
                pair.buffer().fill((byte) 0);
                long[] sent = new long[1];

                assertNothingIsAllocated(
                        () -> {
                            sent[0] = loop.run(true, OPERATIONS, stamps);
                        },
                        () -> {
                            assertThat(loop.failure()).isNull();
                            assertThat(sent[0]).isEqualTo(OPERATIONS);
                            // Leftover message data must not look like the first messages of the next run.
                            pair.buffer().fill((byte) 0);
                        });
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Tool.class,
            names = {"READ_LATENCY", "ATOMIC_LATENCY"})
    void loopOfRequestsAllocatesNothing(Tool tool) {
        RunParameters parameters = RunParameters.parse(tool, "-u", "18", "localhost");
        SystemData layout = new SystemData(4096, 64);
        try (RunDevice device = RunDevice.open(parameters)) {
            assertThat(WarmUp.once(device, parameters, layout, WARM_UP)).contains("compiled code");
            try (RunResources pair =
                    new RunResources(device, parameters, Shape.localPair(parameters.connection(), 8, 1, 0), layout)) {
                pair.connectWithItself(device.mtu());
                RunControl control = new RunControl();
                RequestLatencyLoop loop = RequestLatencyRun.loop(parameters, pair, 8, false, control);
                LatencyRecorder stamps =
                        LatencyRecorder.counted(control, RequestLatencyRun.PARTS, OPERATIONS, 1, false);
                loop.run(1000, stamps);
                long[] answered = new long[1];

                assertNothingIsAllocated(
                        () -> {
                            answered[0] = loop.run(OPERATIONS, stamps);
                        },
                        () -> {
                            assertThat(loop.failure()).isNull();
                            assertThat(answered[0]).isEqualTo(OPERATIONS);
                        });
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"WRITE_BANDWIDTH, 1", "READ_BANDWIDTH, 1", "ATOMIC_BANDWIDTH, 1", "WRITE_BANDWIDTH, 10"})
    void bandwidthLoopAllocatesNothing(Tool tool, int list) {
        RunParameters parameters = RunParameters.parse(tool, "-u", "18", "-l", Integer.toString(list), "localhost");
        SystemData layout = new SystemData(4096, 64);
        try (RunDevice device = RunDevice.open(parameters)) {
            assertThat(WarmUp.once(device, parameters, layout, WARM_UP)).contains("compiled code");
            try (RunResources pair = new RunResources(
                    device, parameters, Shape.localPair(parameters.connection(), 64, 128, 0), layout)) {
                pair.connectWithItself(device.mtu());
                int operation = Operation.of(parameters);
                Depth depth = new Depth(128, 10, list);
                BandwidthLoop.Stream[] streams = {
                    BandwidthRun.stream(pair, 0, operation, 8, layout, depth),
                    BandwidthRun.stream(pair, 1, operation, 8, layout, depth)
                };
                GroupTimes times = new GroupTimes(OPERATIONS);
                BandwidthLoop loop = new BandwidthLoop(
                        streams,
                        pair.completionQueue(),
                        new BandwidthLoop.Manner(operation, depth, false, false, null, 16),
                        times,
                        new RunControl());
                loop.run(1000);

                assertNothingIsAllocated(
                        () -> {
                            loop.run(OPERATIONS / 2);
                        },
                        () -> {
                            assertThat(loop.failure()).isNull();
                            assertThat(loop.completed()).isEqualTo(OPERATIONS);
                        });
            }
        }
    }

    @Test
    void sendLatencyLoopAllocatesNothing() {
        RunParameters parameters = RunParameters.parse(Tool.SEND_LATENCY, "-u", "18");
        SystemData layout = new SystemData(4096, 64);
        try (RunDevice device = RunDevice.open(parameters)) {
            assertThat(WarmUp.once(device, parameters, layout, WARM_UP)).contains("compiled code");
            try (RunResources pair =
                    new RunResources(device, parameters, Shape.localPair(parameters.connection(), 2, 1, 64), layout)) {
                pair.connectWithItself(device.mtu());
                RunControl control = new RunControl();
                // Messages that stream 0 sends arrive through stream 1.
                Receives receives = SendStreams.receivesOf(pair, 1, 2, layout, 64);
                SendLatencyLoop loop = SendLatencyRun.loop(pair, 1, 2, receives, control);
                LatencyRecorder stamps = LatencyRecorder.counted(control, SendLatencyRun.PARTS, OPERATIONS, 1, false);
                assertThat(receives.begin(1000)).isTrue();
                loop.run(true, 1000, stamps);
                boolean[] begun = new boolean[1];
                long[] sent = new long[1];

                assertNothingIsAllocated(
                        () -> {
                            begun[0] = receives.begin(OPERATIONS);
                            sent[0] = loop.run(true, OPERATIONS, stamps);
                        },
                        () -> {
                            assertThat(begun[0]).isTrue();
                            assertThat(loop.failure()).isNull();
                            assertThat(sent[0]).isEqualTo(OPERATIONS);
                        });
            }
        }
    }

    @Test
    void sendBandwidthLoopAllocatesNothing() {
        RunParameters parameters = RunParameters.parse(Tool.SEND_BANDWIDTH, "-u", "18", "-b", "localhost");
        SystemData layout = new SystemData(4096, 64);
        try (RunDevice device = RunDevice.open(parameters)) {
            assertThat(WarmUp.once(device, parameters, layout, WARM_UP)).contains("compiled code");
            try (RunResources pair = new RunResources(
                    device, parameters, Shape.localPair(parameters.connection(), 64, 128, 512), layout)) {
                pair.connectWithItself(device.mtu());
                RunControl control = new RunControl();
                Receives receives = SendStreams.receives(pair, 64, layout, 512, 1);
                GroupTimes times = new GroupTimes(OPERATIONS);
                SendingSide sending =
                        SendBandwidthRun.sending(parameters, pair, 64, layout, new Depth(128, 10, 1), times);
                ReceivingSide receiving =
                        new ReceivingSide(receives, pair.queues().receives(), 2, 16);
                SendBandwidthLoop loop =
                        new SendBandwidthLoop(sending, receiving, false, new CompletionWait(pair.queues()), control);
                assertThat(receives.begin(1000)).isTrue();
                loop.run(1000);
                boolean[] begun = new boolean[1];

                assertNothingIsAllocated(
                        () -> {
                            begun[0] = receives.begin(OPERATIONS / 2);
                            loop.run(OPERATIONS / 2);
                        },
                        () -> {
                            assertThat(begun[0]).isTrue();
                            assertThat(loop.failure()).isNull();
                            assertThat(sending.completed()).isEqualTo(OPERATIONS);
                            assertThat(receiving.received()).isEqualTo(OPERATIONS);
                        });
            }
        }
    }
}
