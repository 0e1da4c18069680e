// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.figures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

/** Against what sorting all samples gives. */
class LatencyFiguresTest {
    private static final Percentage BUCKET = Percentage.withPercentage(0.11);

    private static LatencyFigures of(int parts, long... nanoseconds) {
        LatencySamples samples = new LatencySamples(parts);
        for (long each : nanoseconds) {
            samples.record(each);
        }
        return samples.figures(1000, 2000);
    }

    private static long[] random(int count) {
        Random random = new Random(5);
        return random.longs(count, 0, 1000)
                .map(tail -> 3000 + (tail == 0 ? 1_000_000 * random.nextLong(50) : tail))
                .toArray();
    }

    @Test
    void allFiguresAreThoseOfAllSamples() {
        long[] times = random(100_000);
        LatencyFigures figures = of(1, times);
        double[] sorted =
                Arrays.stream(times).sorted().mapToDouble(t -> t / 1000.0).toArray();
        double mean = Arrays.stream(sorted).average().orElseThrow();
        double variance = Arrays.stream(sorted)
                .map(t -> (t - mean) * (t - mean))
                .average()
                .orElseThrow();
        assertThat(figures.samples()).isEqualTo(100_000);
        assertThat(figures.minimum()).isEqualTo(sorted[0]);
        assertThat(figures.maximum()).isEqualTo(sorted[sorted.length - 1]);
        assertThat(figures.mean()).isCloseTo(mean, within(1e-6));
        assertThat(figures.deviation()).isCloseTo(Math.sqrt(variance), Percentage.withPercentage(1e-6));
        for (double percent : LatencyFigures.PERCENTILES) {
            int rank = sorted.length - (int) figures.beyond(percent);
            assertThat(figures.percentile(percent)).as("%s %%", percent).isCloseTo(sorted[rank - 1], BUCKET);
        }
    }

    @Test
    void partOfTheTimeIsHalfOfIt() {
        LatencyFigures figures = of(2, 2001, 4003, 6000);
        assertThat(figures.minimum()).isEqualTo(1.0005);
        assertThat(figures.maximum()).isEqualTo(3.0);
        assertThat(figures.mean()).isCloseTo(12004 / 6000.0, within(1e-9));
        assertThat(figures.median()).isCloseTo(2.0015, BUCKET);
        assertThat(figures.percentile(100)).isEqualTo(3.0);
        assertThat(figures.percentile(0)).isGreaterThanOrEqualTo(1.0005);
    }

    @Test
    void hourAndMoreIsTrueInTheMaximum() {
        LatencyFigures figures = of(1, 1000, 7_200_000_000_000L, 7_200_000_000_000L);
        assertThat(figures.maximum()).isEqualTo(7.2e9);
        assertThat(figures.median()).isCloseTo(3.6e9, BUCKET);
    }

    @Test
    void smallDeviationsOfLongTimesAreNotLost() {
        long[] times = new long[1001];
        Arrays.setAll(times, i -> 60_000_000_000L + i % 2);
        assertThat(of(1, times).deviation()).isCloseTo(0.0005, within(1e-8));
    }

    @Test
    void samplesBeyondAPercentile() {
        LatencyFigures thousand = of(1, random(1000));
        assertThat(LatencyFigures.PERCENTILES.stream().map(thousand::beyond))
                .containsExactly(500L, 100L, 10L, 1L, 0L, 0L);
        assertThat(of(1, random(999)).beyond(99)).isEqualTo(9);
        for (double percent : LatencyFigures.PERCENTILES) {
            int enough = (int) LatencyFigures.samplesFor(percent);
            assertThat(of(1, random(enough)).beyond(percent))
                    .as("%s %%", percent)
                    .isEqualTo(10);
            assertThat(of(1, random(enough - 1)).beyond(percent))
                    .as("%s %%", percent)
                    .isEqualTo(9);
        }
    }

    @Test
    void partsTogetherAreTheWhole() {
        long[] times = random(9000);
        LatencyFigures whole = of(2, times);
        LatencyFigures parts = LatencyFigures.together(List.of(
                of(2, Arrays.copyOf(times, 2000)),
                of(2, Arrays.copyOfRange(times, 2000, 2001)),
                of(2, Arrays.copyOfRange(times, 2001, 9000))));
        assertThat(parts.samples()).isEqualTo(9000);
        assertThat(parts.minimum()).isEqualTo(whole.minimum());
        assertThat(parts.maximum()).isEqualTo(whole.maximum());
        assertThat(parts.mean()).isCloseTo(whole.mean(), within(1e-9));
        assertThat(parts.deviation()).isCloseTo(whole.deviation(), Percentage.withPercentage(1e-6));
        assertThat(parts.histogram()).isEqualTo(whole.histogram());
        assertThat(parts.histogram().getStartTimeStamp()).isEqualTo(1000);
        assertThat(parts.histogram().getEndTimeStamp()).isEqualTo(2000);
    }

    @Test
    void namesOfPercentiles() {
        assertThat(LatencyFigures.PERCENTILES.stream().map(LatencyFigures::name))
                .containsExactly("50", "90", "99", "99.9", "99.99", "99.999");
    }

    @Test
    void nothingHasNoFigures() {
        assertThatThrownBy(() -> of(1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void spread() {
        assertThat(Spread.of(3, 1, 2)).isEqualTo(new Spread(1, 2, 3));
        assertThat(Spread.of(4, 1)).isEqualTo(new Spread(1, 2.5, 4));
        assertThat(Spread.of(9, 10, 11).percent()).isEqualTo(20);
        assertThat(Spread.of(0, 0).percent()).isZero();
        assertThatThrownBy(Spread::of).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void singleTimes() {
        SampleTimes times = SampleTimes.between(new long[] {0, 8000, 10_000, 16_000, 99}, 4, 2);
        assertThat(times.count()).isEqualTo(3);
        assertThat(times.microseconds(1)).isEqualTo(1);
        assertThat(times.sorted().microseconds(0)).isEqualTo(1);
        assertThat(times.sorted().microseconds(2)).isEqualTo(4);
        assertThat(times.microseconds(0)).isEqualTo(4);
    }
}
