// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.DeflaterOutputStream;
import org.HdrHistogram.Histogram;

/** Made-up results documents. */
final class SampleDocuments {
    static final String ENVIRONMENT = """
        "environment": {"rdma4j": "1.0", "device": "rxe0", "device_port": 1, "software_device": true, "firmware": null,
         "link_layer": "ETHERNET", "active_mtu": 4096, "gid_index": 1, "kernel": "Linux 6.1", "architecture": "amd64",
         "cpu_model": "QEMU TCG CPU", "processors": 2, "jvm": "A VM 25", "jvm_flags": ["-Xmx1g", "-Xms1g"], "c_version": "6.06"}\
        """;

    private SampleDocuments() {}

    /** A histogram of latencies of 1 to n microseconds. */
    static String histogram(int n) {
        return compressed(latencies(n));
    }

    static String compressed(Histogram histogram) {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    private static Histogram latencies(int n) {
        Histogram histogram = new Histogram(3);
        for (int i = 1; i <= n; i++) {
            histogram.recordValue(i * 1000L);
        }
        return histogram;
    }

    /** The same histogram before its compression. */
    static byte[] plainHistogram(int n) {
        Histogram histogram = latencies(n);
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        return Arrays.copyOf(buffer.array(), histogram.encodeIntoByteBuffer(buffer));
    }

    /** The compressed form of a histogram that may be spoilt. */
    static String compressed(byte[] plain) {
        ByteArrayOutputStream deflated = new ByteArrayOutputStream();
        try (DeflaterOutputStream out = new DeflaterOutputStream(deflated)) {
            out.write(plain);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        ByteBuffer buffer = ByteBuffer.allocate(2 * Integer.BYTES + deflated.size());
        buffer.putInt(0x1c849314).putInt(deflated.size()).put(deflated.toByteArray());
        return Base64.getEncoder().encodeToString(buffer.array());
    }

    static String latency(long size, double median) {
        return """
            {"MsgSize": %d, "n_iterations": 1000, "t_min": %s, "t_max": 99.5, "t_typical": %s, "t_avg": %s, "t_stdev": 0.5,
             "percentile_99": 40, "percentile_99.9": 50,
             "latency": {"unit": "usec", "samples": 1000, "percentiles": {"50": %3$s, "99": 40}, "loop": "closed",
              "histogram": "%s"},
             "rounds": [{"t_typical": %3$s, "t_avg": 9, "cpu_per_message": 20.5}, {"t_typical": 12, "t_avg": 13}],
             "cpu": {"utilisation": 1.5, "ns_per_message": 21000}}\
            """.formatted(size, median - 1, median, median + 1, histogram(1000));
    }

    /** As C's tools have it: no histogram. */
    static String few(long size, double median) {
        return """
            {"MsgSize": %d, "n_iterations": 1000, "t_min": 8, "t_max": 80, "t_typical": %s, "t_avg": 11, "t_stdev": 1,
             "percentile_99": 30, "percentile_99.9": 70}\
            """.formatted(size, median);
    }

    static String bandwidth(long size, double average) {
        return """
            {"MsgSize": %d, "n_iterations": 5000, "BW_unit": "MiB/sec", "BW_peak": 0, "BW_average": %s, "MsgRate": 0.001,
             "rounds": [{"BW_average": %2$s, "MsgRate": 0.001}]}\
            """.formatted(size, average);
    }

    static String test(String tool, String implementation, String more, String... results) {
        return """
            {"test_info": {"test": "A Test", "tool": "%s", "implementation": "%s", "role": "client"%s}, "results": [%s]}\
            """.formatted(tool, implementation, more, String.join(",", results));
    }

    static String rdma(String tool, String implementation, String... results) {
        return test(
                tool,
                implementation,
                ", \"Device\": \"rxe0\", \"Connection_type\": \"RC\", \"Number_of_qps\": 1, \"Mtu\": 4096",
                results);
    }

    /** A document of a comparison. */
    static String comparison(String... tests) {
        return """
            {"schema": "https://rdma4j.github.io/schema/results-1.json", "schema_version": 1,
             "started": "2026-11-21T12:13:14Z", "seconds": 95.5, %s, "tests": [%s], "comparison": []}\
            """.formatted(ENVIRONMENT, String.join(",", tests));
    }

    /** A comparison with something of everything. */
    static String everything() {
        return comparison(
                rdma("ib_write_lat", "java", latency(2, 10.5), latency(64, 11), latency(4096, 17)),
                rdma("ib_write_lat", "c", few(2, 10), few(64, 10.5), few(4096, 16)),
                test("ib_write_lat", "tcp-java", "", latency(2, 30), latency(64, 31), latency(4096, 33)),
                test("ib_write_lat", "tcp-c", "", few(14, 28), few(64, 29), few(4096, 30)),
                rdma("ib_write_bw", "java", bandwidth(65536, 70)),
                rdma("ib_write_bw", "c", bandwidth(65536, 71)));
    }

    static Path write(Path folder, String name, String text) {
        try {
            return Files.writeString(folder.resolve(name), text);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static List<Document> read(Path folder, String... texts) {
        return IntStream.range(0, texts.length)
                .mapToObj(i -> ResultsReader.read(write(folder, "file" + i + ".json", texts[i])))
                .collect(Collectors.toList());
    }
}
