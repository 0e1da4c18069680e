// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ScheduleTest {
    @Test
    void messagesAreDueAtEqualDistancesByTurns() {
        Schedule schedule = new Schedule(1_000, 2_000, 3, 10);

        assertThat(schedule.due(0)).isEqualTo(1_000);
        assertThat(schedule.due(1)).isEqualTo(501_000);
        assertThat(schedule.due(9)).isEqualTo(4_501_000);
        assertThat(schedule.duration()).isEqualTo(5_000_000);
        assertThat(schedule.connection(0)).isZero();
        assertThat(schedule.connection(5)).isEqualTo(2);
        assertThat(schedule.index(2, 1)).isEqualTo(5);
    }

    @Test
    void noRoundingAddsUp() {
        Schedule schedule = new Schedule(0, 3_000, 1, 3_000_000_000L);

        assertThat(schedule.due(3_000_000_000L)).isEqualTo(1_000_000_000_000_000L);
    }
}
