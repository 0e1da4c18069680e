// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.loop.BandwidthLoop;
import io.github.rdma4j.perftest.loop.BurstLimit;
import io.github.rdma4j.perftest.loop.GroupTimes;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("device")
@Timeout(600)
class BurstsDeviceTest {
    private static final int BURST = 4;
    private static final int BURSTS = 10;

    /** One queue could take all bursts of the test. */
    private static final int DEPTH = 2 * BURST * BURSTS;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void allQueuePairsSend(int list) throws Exception {
        RunParameters parameters = RunParameters.parse(Tool.WRITE_BANDWIDTH, "-u", "18", "localhost");
        SystemData layout = new SystemData(4096, 64);
        Depth depth = new Depth(DEPTH, list, list);
        Shape shape = Shape.localPair(parameters.connection(), 64, DEPTH, 0);
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = new RunResources(device, parameters, shape, layout)) {
            pair.connectWithItself(device.mtu());
            BandwidthLoop.Stream[] streams = {
                BandwidthRun.stream(pair, 0, Operation.WRITE, 64, layout, depth),
                BandwidthRun.stream(pair, 1, Operation.WRITE, 64, layout, depth)
            };
            BurstLimit bursts = new BurstLimit(BURST * 200.0, BURST);
            RunControl control = new RunControl();
            BandwidthLoop loop = new BandwidthLoop(
                    streams,
                    pair.completionQueue(),
                    new BandwidthLoop.Manner(Operation.WRITE, depth, false, false, bursts, 16),
                    new GroupTimes(0),
                    control);
            Thread end = Thread.ofPlatform().start(() -> {
                while (control.progress() < BURST * BURSTS && control.running()) {
                    LockSupport.parkNanos(1_000_000);
                }
                control.enter(RunControl.ENDED);
            });
            try {
                loop.run(Long.MAX_VALUE);
            } finally {
                control.enter(RunControl.ENDED);
                end.join();
            }
            assertThat(loop.failure()).isNull();
            assertThat(streams[0].posted() - streams[1].posted()).isBetween((long) -BURST, (long) BURST);
        }
    }
}
