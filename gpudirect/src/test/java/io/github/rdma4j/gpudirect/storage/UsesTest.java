// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsesTest {
    @Test
    void longTimesAreTheLongestThereIs() {
        assertThat(Uses.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
        assertThat(Uses.nanos(Duration.ofNanos(7))).isEqualTo(7);
        assertThat(Uses.nanos(Duration.ZERO)).isZero();
    }

    /** The smallest one would otherwise be the longest wait there is. */
    @ParameterizedTest
    @ValueSource(longs = {-1, -100, Long.MIN_VALUE})
    void negativeTimeIsRefused(long seconds) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Uses.nanos(Duration.ofSeconds(seconds)))
                .withMessage("a timeout of %d s: zero or more", seconds);
    }
}
