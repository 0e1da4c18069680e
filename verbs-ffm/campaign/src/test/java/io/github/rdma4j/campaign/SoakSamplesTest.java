// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SoakSamplesTest {
    private static final String RESIDENT = "RSS, KiB";
    private static final String HEAP = "heap, KiB";
    private static final Map<String, Integer> HALFWAY =
            Map.of("qp", 4, "file handles", 60, RESIDENT, 100_000, HEAP, 5_000);

    private static Map<String, Integer> look(int queuePairs, int resident, int heap) {
        return Map.of("qp", queuePairs, "file handles", 60, RESIDENT, resident, HEAP, heap);
    }

    @Test
    void equalOrLowerMemoryPasses() {
        assertThat(SoakSamples.complaint(HALFWAY, HALFWAY)).isEmpty();
        assertThat(SoakSamples.complaint(HALFWAY, look(3, 102_048, 4_000))).isEmpty();
    }

    @Test
    void oneObjectMoreIsALeakAndMemoryMayBreathe() {
        assertThat(SoakSamples.complaint(HALFWAY, look(5, 100_000, 5_000))).contains("{qp=1}");
        assertThat(SoakSamples.complaint(HALFWAY, look(4, 102_049, 5_000))).contains("{RSS, KiB=2049}");
        assertThat(SoakSamples.complaint(HALFWAY, look(4, 100_000, 6_025))).contains("{heap, KiB=1025}");
    }

    @Test
    void soakThatNobodyHasLookedAtProvesNothing() {
        assertThat(new SoakSamples(1_000).complaint()).isNotEmpty();
    }

    @Test
    void bothEndsOfTheSecondHalfAreTimed() {
        SoakSamples samples = new SoakSamples(1_000);
        assertThat(samples.isHalfway(499)).isFalse();
        assertThat(samples.isHalfway(500)).isTrue();
        assertThat(samples.isHalfway(600)).isFalse();
        assertThat(samples.isLate(899)).isFalse();
        assertThat(samples.isLate(900)).isTrue();
    }

    @Test
    void memoryReportOfTheJvmIsRead() {
        assertThat(SoakSamples.categories("""
                Total: reserved=1458KB, committed=1106KB
                -                 Java Heap (reserved=98304KB, committed=98304KB)
                                            (mmap: reserved=98304KB, committed=98304KB, at peak)
                -                     Other (reserved=152KB, committed=151KB)
                """))
                .containsExactlyInAnyOrderEntriesOf(Map.of("Java Heap", 98_304, "Other", 151));
    }
}
