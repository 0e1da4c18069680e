// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.compare.endpoints.EchoSamples;
import io.github.rdma4j.perftest.compare.print.EndpointsJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What compare --endpoints writes is what the page draws: latency over the offered rate. */
class EchoPageTest {
    @TempDir
    private Path folder;

    private Document document() throws IOException {
        Path file = folder.resolve("echo.json");
        try (OutputStream out = Files.newOutputStream(file)) {
            EndpointsJson.write(EchoSamples.result(), out);
        }
        return ResultsReader.read(file);
    }

    @Test
    void aChapterForEachSizeAndNumberOfConnections() throws IOException {
        List<Chapter> chapters = Chapters.of(List.of(document()));

        assertThat(chapters)
                .extracting(Chapter::title)
                .containsExactlyInAnyOrder(
                        "echo, 64 B, 1 connection",
                        "echo, 64 B, 64 connections",
                        "echo, 8 KiB, 1 connection",
                        "echo, 8 KiB, 64 connections");
        assertThat(chapters).allSatisfy(chapter -> {
            assertThat(chapter.series())
                    .extracting(Series::name)
                    .containsExactly("Endpoint", "Endpoint, failover", "Endpoint, TCP", "TCP Java");
            assertThat(chapter.sizes()).containsExactly(1000L, 2000L, 3000L);
        });
    }

    @Test
    void latencyIsDrawnOverTheOfferedRate() throws IOException {
        List<Chart> charts = Charts.of(Chapters.of(List.of(document())).getFirst());

        Chart first = charts.getFirst();
        assertThat(first.kind()).isEqualTo(Chart.Kind.RATES);
        assertThat(first.title()).isEqualTo("Latency over the offered rate");
        assertThat(first.panels()).extracting(Chart.Panel::label).startsWith("99 %", "Median");
        Chart.Line endpoint = first.panels().getFirst().lines().getFirst();
        assertThat(endpoint.name()).isEqualTo("Endpoint");
        assertThat(endpoint.points()).hasSize(3);
        assertThat(endpoint.points().getLast()[0]).isEqualTo(3000);
        assertThat(endpoint.points().getLast()[1]).isBetween(600.0, 602.0);
        assertThat(endpoint.rounds()).hasSize(9);
        assertThat(first.panels().getFirst().lines())
                .extracting(line -> line.series().party() + " " + line.series().variant())
                .containsExactly("ENDPOINT 0", "ENDPOINT 1", "ENDPOINT 2", "TCP_JAVA 0");
        assertThat(charts)
                .extracting(Chart::title)
                .containsExactly(
                        "Latency over the offered rate",
                        "Latency by percentile",
                        "CPU time per message over the offered rate",
                        "Median latency of each round");
    }

    @Test
    void thePageHasEveryFigure() throws IOException {
        String page = Jsoup.parse(Page.of(List.of(document()), null)).text();

        assertThat(page)
                .contains("Endpoints beside TCP on rxe0")
                .contains("Endpoint ÷ TCP", "Endpoint, failover ÷ TCP", "Endpoint, TCP ÷ TCP")
                .contains("Server system µs/msg")
                .contains("CPU of the server per message, system, µs")
                .contains("Endpoints and TCP answer the same requests")
                .contains("rxe0 is a software device")
                .doesNotContain("half of a round trip")
                .doesNotContain("Latency of reads and atomic operations");
    }
}
