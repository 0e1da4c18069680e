// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.wire.BandwidthReport;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ResultsTest {
    @Test
    void latencyIsHalfTheTimeBetweenSends() {
        long[] stamps = {1000, 21_000, 41_000, 61_000};
        LatencyResult result = LatencyResult.ofStamps(2, stamps, 4);
        assertThat(result.iterations()).isEqualTo(4);
        assertThat(result.minimum()).isEqualTo(10.0);
        assertThat(result.maximum()).isEqualTo(10.0);
        assertThat(result.average()).isEqualTo(10.0);
        assertThat(result.typical()).isCloseTo(10.0, Percentage.withPercentage(0.1));
        assertThat(result.deviation()).isZero();
    }

    @Test
    void theTrueMaximumIsReportedAndCounts() {
        int count = 1001;
        long[] stamps = new long[count];
        for (int i = 1; i < count; i++) {
            stamps[i] = stamps[i - 1] + (i == 500 ? 2_000_000 : 20_000);
        }
        LatencyResult result = LatencyResult.ofStamps(64, stamps, count);
        assertThat(result.maximum()).isEqualTo(1000.0);
        assertThat(result.percentile99()).isCloseTo(10.0, Percentage.withPercentage(0.1));
        assertThat(result.percentile999()).isCloseTo(10.0, Percentage.withPercentage(0.1));
        assertThat(result.percentile9999()).isEqualTo(1000.0);
        assertThat(result.average()).isCloseTo((999 * 10 + 1000) / 1000.0, within(1e-9));
        assertThat(result.deviation()).isCloseTo(31.29, within(0.01));
    }

    @Test
    void deviationsBelowAMicrosecondAreNotZero() {
        long[] stamps = {0, 20_000, 40_400, 60_400, 80_800};
        assertThat(LatencyResult.ofStamps(2, stamps, 5).deviation()).isCloseTo(0.1, within(1e-9));
    }

    @Test
    void aTimedRunKnowsAverageAndRate() {
        TimedLatencyResult result = TimedLatencyResult.of(2, 50_000, 1_000_000_000);
        assertThat(result.average()).isEqualTo(10.0);
        assertThat(result.transactionsPerSecond()).isEqualTo(50_000.0);
    }

    @Test
    void bandwidthIsInMebibytesOrGigabits() {
        BandwidthResult mebibytes = BandwidthResult.of(65536, 16_000, 1_000_000_000, 2e-5, false);
        assertThat(mebibytes.average()).isEqualTo(1000.0);
        assertThat(mebibytes.peak()).isCloseTo(1250.0, within(1e-9));
        assertThat(mebibytes.messageRate()).isEqualTo(0.016);
        BandwidthResult gigabits = BandwidthResult.of(125_000, 10_000, 1_000_000_000, 0, true);
        assertThat(gigabits.average()).isEqualTo(10.0);
        assertThat(gigabits.peak()).isZero();
    }

    @Test
    void twoDirectionsAddUp() {
        BandwidthResult mine = new BandwidthResult(8, 100, 1, 2, 3, false);
        BandwidthResult both = mine.plus(new BandwidthReport(8, 100, 10, 20, 30));
        assertThat(both)
                .isEqualTo(new BandwidthResult(
                        8, 100, 11, 22, 33, false, List.of(), mine, new BandwidthResult(8, 100, 10, 20, 30, false)));
    }

    @Test
    void roundsAddUpByTheTimeTheyTook() {
        BandwidthResult fast = BandwidthResult.of(1 << 20, 300, 1_000_000_000, 4e-7, false);
        BandwidthResult slow = BandwidthResult.of(1 << 20, 100, 1_000_000_000, 2e-7, false);
        BandwidthResult both = BandwidthResult.together(List.of(fast, slow));
        assertThat(both.iterations()).isEqualTo(400);
        assertThat(both.average()).isCloseTo(200, within(1e-9));
        assertThat(both.messageRate()).isCloseTo(0.0002, within(1e-12));
        assertThat(both.peak()).isCloseTo(400, within(1e-9));
        assertThat(both.rounds()).containsExactly(fast, slow);
        assertThat(BandwidthResult.together(List.of(fast))).isSameAs(fast);
        BandwidthResult ways =
                BandwidthResult.together(List.of(fast.plus(slow.toReport()), slow.plus(fast.toReport())));
        assertThat(ways.local().average()).isCloseTo(200, within(1e-9));
        assertThat(ways.remote().average()).isCloseTo(200, within(1e-9));
        assertThat(ways.average()).isCloseTo(400, within(1e-9));
    }

    @Test
    void whoFallsBehindDidNotKeepThePace() {
        assertThat(new Pace(1000, 999).kept()).isTrue();
        assertThat(new Pace(1000, 900).kept()).isFalse();
        assertThat(new Pace(1000, 0).kept()).isTrue();
    }
}
