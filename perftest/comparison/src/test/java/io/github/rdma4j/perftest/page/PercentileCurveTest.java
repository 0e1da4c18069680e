// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PercentileCurveTest {
    @Test
    void histogramGoesFromTheSmallestToTheLargestSample() {
        PercentileCurve curve = PercentileCurve.ofHistogram(SampleDocuments.histogram(1000));

        assertThat(curve.samples()).isEqualTo(1000);
        assertThat(curve.complete()).isTrue();
        assertThat(curve.points().getFirst().tail()).isEqualTo(1);
        assertThat(curve.points().getFirst().microseconds()).isCloseTo(1, within(0.01));
        assertThat(curve.points().getLast().tail()).isEqualTo(1000);
        assertThat(curve.points().getLast().microseconds()).isCloseTo(1000, within(1.0));
        for (int i = 1; i < curve.points().size(); i++) {
            assertThat(curve.points().get(i).tail())
                    .isGreaterThan(curve.points().get(i - 1).tail());
            assertThat(curve.points().get(i).microseconds())
                    .isGreaterThanOrEqualTo(curve.points().get(i - 1).microseconds());
        }
    }

    @Test
    void pointOfAHistogramIsThePercentile() {
        PercentileCurve curve = PercentileCurve.ofHistogram(SampleDocuments.histogram(1000));

        // Of 1 to 1000 the percentile p is 10 p.
        for (PercentileCurve.Point point : curve.points()) {
            double percent = 100 - 100 / point.tail();
            assertThat(point.microseconds()).isCloseTo(Math.max(10 * percent, 1), within(2.0));
        }
    }

    @ParameterizedTest
    @CsvSource({"1125899906842624, true", "1125899906842625, false", "4611686018427387904, false"})
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void ofMoreSamplesThanAnyRunHasThereIsNoCurve(long samples, boolean taken) {
        Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(1000, samples - 1);
        histogram.recordValue(9000);
        String text = SampleDocuments.compressed(histogram);
        if (taken) {
            assertThat(PercentileCurve.ofHistogram(text).samples()).isEqualTo(samples);
        } else {
            assertThatThrownBy(() -> PercentileCurve.ofHistogram(text)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void figuresOfCAreItsPoints() {
        PercentileCurve curve = PercentileCurve.ofFigures(
                Map.of("t_min", 8.0, "t_typical", 10.0, "percentile_99", 30.0, "percentile_99.9", 70.0, "t_max", 80.0),
                Map.of(),
                5000);

        assertThat(curve.complete()).isFalse();
        assertThat(curve.points())
                .extracting(PercentileCurve.Point::tail)
                .containsExactly(1.0, 2.0, 100.0, 1000.0, 5000.0);
        assertThat(curve.points())
                .extracting(PercentileCurve.Point::microseconds)
                .containsExactly(8.0, 10.0, 30.0, 70.0, 80.0);
    }

    @Test
    void nothingLiesBeyondTheLargestSample() {
        PercentileCurve curve = PercentileCurve.ofFigures(
                Map.of("t_typical", 10.0, "percentile_99.9", 70.0, "t_max", 80.0), Map.of(99.999, 75.0), 500);

        assertThat(curve.points()).extracting(PercentileCurve.Point::tail).containsExactly(2.0, 500.0);
        assertThat(curve.points().getLast().microseconds()).isEqualTo(80);
    }

    @Test
    void emptyHistogramHasNoPoints() {
        assertThat(PercentileCurve.ofHistogram(SampleDocuments.histogram(0)).points())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"4, 2147483647", "4, -1", "12, 9", "12, -1"})
    void histogramThatAsksForMoreThanThereIsIsRefused(int offset, int value) {
        ByteBuffer plain = ByteBuffer.wrap(SampleDocuments.plainHistogram(10)).putInt(offset, value);
        String bad = SampleDocuments.compressed(plain.array());
        assertThatThrownBy(() -> PercentileCurve.ofHistogram(bad))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("is not a compressed HdrHistogram");
    }

    @Test
    void invalidHistogramIsRefused() {
        String good = SampleDocuments.histogram(10);
        for (String bad : List.of("", "%", "AAAA", good.substring(0, good.length() / 2), "AAAA" + good)) {
            assertThatThrownBy(() -> PercentileCurve.ofHistogram(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("is not a compressed HdrHistogram");
        }
    }
}
