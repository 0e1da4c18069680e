// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    @Test
    void anyDurationIsATime() {
        for (Duration over : List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofNanos(-1), Duration.ZERO)) {
            assertThat(new Deadline(over).remaining()).isZero();
            assertThat(new Deadline(over).atLeastOneMillisecond()).isEqualTo(Duration.ofMillis(1));
        }
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
        assertThat(new Deadline(longest).remaining()).isGreaterThan(Duration.ofDays(100_000));
        Duration second = Duration.ofSeconds(1);
        assertThat(new Deadline(second).remaining()).isPositive().isLessThanOrEqualTo(second);
    }
}
