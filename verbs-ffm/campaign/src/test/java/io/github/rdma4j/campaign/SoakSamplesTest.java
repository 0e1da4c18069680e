// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SoakSamplesTest {
    private static final String MEMORY = "RSS, KiB";
    private static final Map<String, Integer> EARLY = Map.of("qp", 4, "file handles", 60, MEMORY, 100_000);

    @Test
    void whatIsTheSameOrLessIsWell() {
        assertThat(SoakSamples.complaint(EARLY, EARLY)).isEmpty();
        assertThat(SoakSamples.complaint(EARLY, Map.of("qp", 3, "file handles", 60, MEMORY, 110_000)))
                .isEmpty();
    }

    @Test
    void oneObjectMoreIsALeakAndMemoryMayBreatheATenth() {
        assertThat(SoakSamples.complaint(EARLY, Map.of("qp", 5, "file handles", 60, MEMORY, 100_000)))
                .startsWith("grown: {qp=1}");
        assertThat(SoakSamples.complaint(EARLY, Map.of("qp", 4, "file handles", 60, MEMORY, 110_001)))
                .startsWith("grown: {RSS, KiB=10001}");
    }

    @Test
    void aSoakThatNobodyHasLookedAtProvesNothing() {
        assertThat(SoakSamples.complaint(Map.of(), EARLY)).isNotEmpty();
        assertThat(SoakSamples.complaint(EARLY, Map.of())).isNotEmpty();
    }

    @Test
    void theSecondTenthAndTheLastAreLookedAt() {
        SoakSamples samples = new SoakSamples(1_000);
        assertThat(samples.isEarly(99)).isFalse();
        assertThat(samples.isEarly(100)).isTrue();
        assertThat(samples.isEarly(200)).isFalse();
        assertThat(samples.isLate(899)).isFalse();
        assertThat(samples.isLate(900)).isTrue();
    }
}
