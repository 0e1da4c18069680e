// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;

/** HdrHistogram's own reader reads the written files. */
class HistogramFilesTest {
    private static LatencyFigures figures(int count) {
        LatencySamples samples = new LatencySamples(1);
        for (int i = 1; i <= count; i++) {
            samples.record(1000L * i);
        }
        return samples.figures(1_700_000_001_000L, 1_700_000_003_500L);
    }

    @Test
    void percentilesInMicroseconds() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HistogramFiles.writePercentiles(figures(1000), out);
        String text = out.toString(StandardCharsets.UTF_8);
        assertThat(text).startsWith("       Value     Percentile TotalCount 1/(1-Percentile)\n");
        assertThat(text).containsPattern("\\n +500\\.\\d+ 0\\.500000000000 +500 +2\\.00\\n");
        assertThat(text).containsPattern("Total count +=? +1000]");
    }

    @Test
    void logHasAllOfThem() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        HistogramFiles.Log log = new HistogramFiles.Log(out, "ib_write_lat", 1_700_000_000_000L);
        log.add("2B", figures(10));
        log.add("4B", figures(20));
        log.flush();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("ib_write_lat", "Tag=2B,1.000,2.500,10.0");
        HistogramLogReader reader = new HistogramLogReader(new ByteArrayInputStream(out.toByteArray()));
        Histogram first = (Histogram) reader.nextIntervalHistogram();
        Histogram second = (Histogram) reader.nextIntervalHistogram();
        assertThat(first.getTag()).isEqualTo("2B");
        assertThat(first.getTotalCount()).isEqualTo(10);
        assertThat(first.getStartTimeStamp()).isEqualTo(1_700_000_001_000L);
        assertThat(second).isEqualTo(figures(20).histogram());
        assertThat(reader.nextIntervalHistogram()).isNull();
    }

    @Test
    void histogramOfTheJsonCanBeReadAgain() throws Exception {
        Histogram histogram = figures(500).histogram();
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(HistogramFiles.encode(histogram)));
        assertThat(Histogram.decodeFromCompressedByteBuffer(bytes, 0)).isEqualTo(histogram);
    }

    @Test
    void severalSizesHaveSeveralFiles() {
        assertThat(HistogramFiles.ofSize(Path.of("a.b/x.hgrm"), 64)).isEqualTo(Path.of("a.b/x-64.hgrm"));
        assertThat(HistogramFiles.ofSize(Path.of("a.b/x"), 2)).isEqualTo(Path.of("a.b/x-2"));
        assertThat(HistogramFiles.ofSize(Path.of(".x"), 2)).isEqualTo(Path.of(".x-2"));
    }

    @Test
    void fullDiskIsAnError() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("no space");
            }
        };
        assertThatThrownBy(() -> HistogramFiles.writePercentiles(figures(9), full))
                .isInstanceOf(IOException.class);
    }
}
