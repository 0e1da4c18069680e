// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The first rounds of a warm-up whose messages are staged, each kind of them at least once. */
@Tag("device")
@Timeout(600)
@ExtendWith(StandInDriver.class)
class StagedWarmUpDeviceTest {
    private static final int ROUNDS = 6;

    /** It has two sets of receives, of which the second needs more memory than the first. */
    @Test
    void sendsAreReceivedInEachWay() {
        RunParameters parameters = RunParameters.parse(
                Tool.SEND_BANDWIDTH, new String[] {"-u", "18", "--use_cuda=0", "--gpu-path=staged", "localhost"});
        RunControl control = new RunControl();
        Shape shape = Shape.localPair(parameters.connection(), WarmUp.SIZE, WarmUp.DEPTH, 2 * WarmUp.MESSAGES);
        try (RoundLimit limit = new RoundLimit(control);
                RunDevice device = RunDevice.open(parameters);
                RunResources pair = new RunResources(device, parameters, shape, new SystemData(4096, 64))) {
            pair.connectWithItself(device.mtu());
            WarmUp.Round round = SendBandwidthRun.warmUp(parameters, pair, control, limit);
            for (int number = 0; number < ROUNDS; number++) {
                assertThat(round.run(number)).isEqualTo(2 * WarmUp.MESSAGES);
            }
        }
    }
}
