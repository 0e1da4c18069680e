// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeoutsTest {
    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE})
    void negativeTimeoutIsZeroOrRefused(long seconds) {
        Duration negative = Duration.ofSeconds(seconds);
        assertThat(Timeouts.nanos(negative)).isZero();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Timeouts.checkedNanos(negative))
                .withMessage("a negative timeout, %d s", seconds);
    }

    @Test
    void centuriesAreCut() {
        Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
        assertThat(Timeouts.nanos(longest)).isEqualTo(Long.MAX_VALUE);
        assertThat(Timeouts.checkedNanos(longest)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void othersAreExact() {
        assertThat(Timeouts.nanos(Duration.ofNanos(7))).isEqualTo(7);
        assertThat(Timeouts.checkedNanos(Duration.ZERO)).isZero();
    }
}
