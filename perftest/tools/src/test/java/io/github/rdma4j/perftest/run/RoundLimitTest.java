// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.stream.RunControl;
import org.junit.jupiter.api.Test;

/** Tests the message of a warm-up whose round did not finish. */
class RoundLimitTest {
    private final RunControl control = new RunControl();

    @Test
    void failureIsTheReasonAndTheFirstOneStays() {
        try (RoundLimit limit = new RoundLimit(control)) {
            control.enter(RunControl.STARTING);
            assertThat(limit.outcome(18, null, null)).isEqualTo(18);
            limit.loopbackWorks();
            assertThat(limit.outcome(18, null, "RNR_RETRY_EXC_ERR")).isEqualTo(-1);
            assertThat(limit.outcome(18, "WR_FLUSH_ERR")).isEqualTo(-1);
            assertThat(limit.reason()).isEqualTo("a local pair failed: RNR_RETRY_EXC_ERR");
        }
    }

    @Test
    void runStuckFromTheStartHasNoLoopback() {
        try (RoundLimit limit = new RoundLimit(control)) {
            control.enter(RunControl.ENDED);
            assertThat(limit.outcome(18, (String) null)).isEqualTo(-1);
            assertThat(limit.reason()).isEqualTo("no loopback on this device");
            limit.loopbackWorks();
            assertThat(limit.reason()).isEqualTo("a local pair stood still");
        }
    }
}
