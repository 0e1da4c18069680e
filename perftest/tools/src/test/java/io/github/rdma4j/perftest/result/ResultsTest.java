// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.wire.BandwidthReport;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class ResultsTest {
    @Test
    void columnsOfCAreOfAllSamples() {
        LatencyResult result = Results.latency(64, 1001);
        assertThat(result.iterations()).isEqualTo(1001);
        assertThat(result.minimum()).isEqualTo(9.53);
        assertThat(result.maximum()).isEqualTo(97.07);
        assertThat(result.typical()).isCloseTo(9.53, Percentage.withPercentage(0.1));
        assertThat(result.percentile99()).isCloseTo(9.53, Percentage.withPercentage(0.1));
        assertThat(result.percentile999()).isCloseTo(9.53, Percentage.withPercentage(0.1));
        assertThat(result.latency().percentile(99.99)).isEqualTo(97.07);
        assertThat(result.average()).isCloseTo((999 * 9.53 + 97.07) / 1000, within(1e-9));
        assertThat(result.deviation()).isCloseTo(2.767, within(0.001));
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
    void laggingRunDidNotKeepThePace() {
        assertThat(new Pace(1000, 999).kept()).isTrue();
        assertThat(new Pace(1000, 900).kept()).isFalse();
        assertThat(new Pace(1000, 0).kept()).isTrue();
    }

    @Test
    void sideThatOnlyReceivesCountsAllMessagesAndTimesThoseBehindTheFirst() {
        BandwidthResult result = BandwidthResult.received(1 << 20, 100, 80, 1_000_000_000, false);
        assertThat(result.iterations()).isEqualTo(100);
        assertThat(result.average()).isEqualTo(80);
        assertThat(result.messageRate()).isEqualTo(80e-6);
        assertThat(result.peak()).isZero();
    }
}
