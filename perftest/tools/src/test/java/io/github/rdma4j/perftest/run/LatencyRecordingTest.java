// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.loop.LatencyRecorder;
import io.github.rdma4j.perftest.result.TimedLatencyResult;
import io.github.rdma4j.perftest.stream.RunControl;
import org.junit.jupiter.api.Test;

class LatencyRecordingTest {
    @Test
    void timedRunHasAverageAndRate() throws InterruptedException {
        RunControl control = new RunControl();
        control.enter(RunControl.SAMPLING);
        LatencyRecorder closed = LatencyRecorder.timed(control, 2);
        for (int i = 0; i < 51; i++) {
            closed.next();
        }
        TimedLatencyResult result = LatencyRecording.timed(2, closed, 1_000_000);
        assertThat(result.average()).isEqualTo(10.0);
        assertThat(result.transactionsPerSecond()).isEqualTo(50_000.0);
        assertThat(result.latency().samples()).isEqualTo(50);
        LatencyRecorder open = LatencyRecorder.open(control, 2, 1000, true, 0, 1);
        open.next();
        Thread.sleep(10);
        open.next();
        TimedLatencyResult paced = LatencyRecording.timed(2, open, 1_000_000_000);
        assertThat(paced.average())
                .as("not half a second")
                .isEqualTo(paced.latency().mean())
                .isGreaterThan(4999);
        assertThat(paced.transactionsPerSecond()).isEqualTo(1);
    }
}
