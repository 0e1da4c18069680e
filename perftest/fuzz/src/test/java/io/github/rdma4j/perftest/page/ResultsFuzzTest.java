// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.fuzz.Fuzzer;
import io.github.rdma4j.fuzz.Spoiler;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files that {@code report} reads, and the histograms in them. */
@Timeout(7200)
class ResultsFuzzTest {
    private static final String[] WORDS = {
        "{",
        "}",
        "[",
        "]",
        "{}",
        "[]",
        "\"schema\"",
        "\"results\"",
        "\"rounds\"",
        "\"latency\"",
        "\"histogram\"",
        "\"percentiles\"",
        "\"tests\"",
        "\"MsgSize\": 0",
        "\"test_info\": []",
        "[".repeat(2000)
    };

    /** A short document of the tools' --out_json. */
    private static final String ONE_TEST = """
        {"schema": "https://rdma4j.github.io/schema/results-1.json", "schema_version": 1, "started": "2026-11-01T10:00:00Z", "seconds": 12.5,
         "environment": {"rdma4j": "1.0", "device": "rxe0", "firmware": null, "jvm_flags": ["-Xmx1g"], "processors": 2},
         "test_info": {"tool": "ib_write_lat", "implementation": "java", "settings": {"Number of qps": "1"}},
         "results": [{"MsgSize": 2, "n_iterations": 1000, "t_min": 8, "t_max": 80, "t_typical": 10, "t_avg": 11, "t_stdev": 1,
          "percentile_99": 30, "percentile_99.9": 70, "cpu": {"utilisation": 1.5},
          "latency": {"unit": "usec", "samples": 1000, "percentiles": {"50": 10, "99": 40}, "loop": "closed", "histogram": "%s"},
          "rounds": [{"t_typical": 10, "cpu_per_message": 20.5}, {"t_typical": 12}]}]}""";

    private static final String OF_C = """
        {"test_info": {"test": "RDMA_Write BW Test", "Device": "rxe0"},
         "results": {"MsgSize": 65536, "n_iterations": 5000, "BW_unit": "MiB/sec", "BW_peak": 0, "BW_average": 54.2, "MsgRate": 0.001}}""";

    private static byte[] histogram(int digits, int samples) {
        Histogram histogram = new Histogram(digits);
        for (int i = 1; i <= samples; i++) {
            histogram.recordValue(i * 1000L);
        }
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        return Arrays.copyOf(buffer.array(), histogram.encodeIntoByteBuffer(buffer));
    }

    /** The form that HdrHistogram compresses to, of any bytes. */
    private static String compressed(byte[] plain) throws Exception {
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(deflated)) {
            out.write(plain);
        }
        ByteBuffer buffer = ByteBuffer.allocate(8 + deflated.size());
        buffer.putInt(0x1c849304).putInt(deflated.size()).put(deflated.toByteArray());
        return Base64.getEncoder().encodeToString(buffer.array());
    }

    @Test
    void documents(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("results.json");
        String one = ONE_TEST.formatted(compressed(histogram(2, 20)));
        String all = """
            {"schema": "https://rdma4j.github.io/schema/results-1.json", "schema_version": 1, "tests": [%s, %s]}""".formatted(one, OF_C);
        new Fuzzer(
                        new Spoiler(Fuzzer.bytes(one, OF_C, all), WORDS),
                        ReportException.class,
                        PercentileCurve.MOST_MEMORY + (1 << 20),
                        1024)
                .feed(input -> {
                    Files.write(file, input);
                    Document document = ResultsReader.read(file);
                    assertThat(document.tests()).isNotEmpty();
                });
    }

    /** A document that the reader accepts can be shown as a page. */
    @Test
    void pages(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("results.json");
        String one = ONE_TEST.formatted(compressed(histogram(2, 20)));
        new Fuzzer(new Spoiler(Fuzzer.bytes(one, OF_C), WORDS), ReportException.class, 1 << 28, 1 << 16)
                .oneIn(200)
                .feed(input -> {
                    Files.write(file, input);
                    assertThat(Page.of(List.of(ResultsReader.read(file)), "title"))
                            .contains("<html");
                });
    }

    @Test
    void histogramsBeforeTheirCompression() throws Exception {
        Spoiler spoiler = new Spoiler(List.of(histogram(2, 20), histogram(3, 200)));
        new Fuzzer(spoiler, IllegalArgumentException.class, PercentileCurve.MOST_MEMORY, 64)
                .feed(input -> check(PercentileCurve.ofHistogram(compressed(input))));
    }

    @Test
    void histogramsAsText() throws Exception {
        Spoiler spoiler = new Spoiler(Fuzzer.bytes(compressed(histogram(2, 20)), compressed(histogram(3, 200))));
        new Fuzzer(spoiler, IllegalArgumentException.class, PercentileCurve.MOST_MEMORY, 64)
                .feedText(input -> check(PercentileCurve.ofHistogram(input)));
    }

    private static void check(PercentileCurve curve) {
        assertThat(curve.samples()).isNotNegative();
        assertThat(curve.points().isEmpty()).isEqualTo(curve.samples() == 0);
    }
}
