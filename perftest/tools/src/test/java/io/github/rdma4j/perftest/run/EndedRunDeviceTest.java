// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.plan.Shape;
import io.github.rdma4j.perftest.resources.RunDevice;
import io.github.rdma4j.perftest.resources.RunResources;
import io.github.rdma4j.perftest.resources.SendStreams;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.wire.SystemData;
import io.github.rdma4j.verbs.WorkCompletions;
import java.time.Duration;
import java.util.function.ToLongBiFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A latency loop whose run is over begins nothing more, also when it never has to wait: a slow side finds each answer
 * there when it looks, and a loop that asks only where it waits would go on for ever.
 */
@Tag("device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndedRunDeviceTest {
    private static final Duration ENOUGH_TO_COMPLETE = Duration.ofMillis(300);

    @Test
    void ofWrites() {
        assertNothingBegins(
                Tool.WRITE_LATENCY,
                (pair, control) -> LatencyRun.loop(pair, 2, null, control)
                        .run(true, Long.MAX_VALUE, LatencyRecorder.timed(control, LatencyRun.PARTS)));
    }

    @ParameterizedTest
    @EnumSource(
            value = Tool.class,
            names = {"READ_LATENCY", "ATOMIC_LATENCY"})
    void ofRequests(Tool tool) {
        RunParameters parameters = RunParameters.parse(tool, "-u", "18", "localhost");
        assertNothingBegins(
                tool,
                (pair, control) -> RequestLatencyRun.loop(parameters, pair, 8, false, control)
                        .run(Long.MAX_VALUE, LatencyRecorder.timed(control, RequestLatencyRun.PARTS)));
    }

    @Test
    void ofSends() {
        assertNothingBegins(Tool.SEND_LATENCY, (pair, control) -> {
            Receives receives = SendStreams.receivesOf(pair, 1, 2, new SystemData(4096, 64), 64);
            assertThat(receives.begin(64)).isTrue();
            return SendLatencyRun.loop(pair, 1, 2, receives, control)
                    .run(true, Long.MAX_VALUE, LatencyRecorder.timed(control, SendLatencyRun.PARTS));
        });
    }

    private static void assertNothingBegins(Tool tool, ToLongBiFunction<RunResources, RunControl> loop) {
        RunParameters parameters = RunParameters.parse(tool, "-u", "18", "localhost");
        try (RunDevice device = RunDevice.open(parameters);
                RunResources pair = new RunResources(
                        device,
                        parameters,
                        Shape.localPair(parameters.connection(), 8, 1, 64),
                        new SystemData(4096, 64))) {
            pair.connectWithItself(device.mtu());
            RunControl control = new RunControl();
            control.enter(RunControl.ENDED);

            assertThat(loop.applyAsLong(pair, control)).isZero();

            WorkCompletions completions = WorkCompletions.allocate(1);
            long until = System.nanoTime() + ENOUGH_TO_COMPLETE.toNanos();
            while (System.nanoTime() < until) {
                assertThat(pair.completionQueue().poll(completions)).isZero();
            }
        }
    }
}
