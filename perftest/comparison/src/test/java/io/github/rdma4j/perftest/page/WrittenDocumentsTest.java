// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.document.EnvironmentJson;
import io.github.rdma4j.perftest.document.JsonReport;
import io.github.rdma4j.perftest.document.ResultsSchema;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page reads the documents that the tools and compare write. */
class WrittenDocumentsTest {
    @TempDir
    private Path folder;

    private Document written(Tool tool, SizeResult... results) throws IOException {
        Path file = folder.resolve(tool.command() + ".json");
        try (OutputStream out = Files.newOutputStream(file)) {
            JsonReport.write(
                    Results.outcome(Results.info(RunParameters.parse(tool, "localhost")), List.of(results)), out);
        }
        return ResultsReader.read(file);
    }

    @Test
    void schemaIsTheWriters() {
        assertThat(EnvironmentJson.SCHEMA).startsWith(ResultsReader.SCHEMA);
        assertThat(EnvironmentJson.SCHEMA_VERSION).isEqualTo(ResultsReader.SCHEMA_VERSION);
        assertThat(ResultsSchema.faults(SampleDocuments.everything()))
                .filteredOn(fault -> !fault.contains("required") && !fault.contains("environment"))
                .isEmpty();
    }

    @Test
    void latencyOfOneTool() throws IOException {
        Document document = written(
                Tool.WRITE_LATENCY,
                Results.latency(2, 1000),
                Results.latency(4, 1000, 3, null),
                Results.timed(8, 1000, null),
                Results.latency(2, 1000, 1, new Pace(1000, 999.5)));

        List<Chapter> chapters = Chapters.of(List.of(document));
        assertThat(chapters)
                .extracting(Chapter::title)
                .containsExactly("ib_write_lat", "ib_write_lat, open loop at 1\u202f000/s");
        Series java = chapters.getFirst().series().getFirst();
        assertThat(java.name()).isEqualTo("Java");
        assertThat(java.results()).containsOnlyKeys(2L, 4L, 8L);
        java.results().values().forEach(result -> {
            assertThat(result.percentiles().complete()).isTrue();
            // The histogram and the columns have the same unit.
            assertThat(result.percentiles().points().getFirst().microseconds())
                    .isCloseTo(result.figure("t_min"), within(0.01 * result.figure("t_min")));
            assertThat(result.percentiles().points().getLast().microseconds())
                    .isCloseTo(result.figure("t_max"), within(0.01 * result.figure("t_max")));
            assertThat(result.metric(Metric.MEDIAN)).isPositive();
        });
        assertThat(java.results().get(4L).rounds()).hasSize(3);
    }

    @Test
    void bandwidthOfOneTool() throws IOException {
        Document document =
                written(Tool.WRITE_BANDWIDTH, Results.bandwidth(4096, 3, false), Results.bandwidth(65536, 1, true));

        Chapter chapter = Chapters.of(List.of(document)).getFirst();
        assertThat(chapter.latency()).isFalse();
        assertThat(chapter.at(chapter.series().getFirst(), 4096, Metric.BANDWIDTH))
                .isPositive();
        assertThat(chapter.at(chapter.series().getFirst(), 4096).rounds()).hasSize(3);
    }

    @Test
    void comparisonThatWasCaptured() throws IOException {
        Path file = folder.resolve("compare.json");
        try (InputStream in = getClass().getResourceAsStream("compare.json")) {
            Files.copy(in, file);
        }
        assertThat(ResultsSchema.faults(Files.readString(file, StandardCharsets.UTF_8)))
                .isEmpty();

        Document document = ResultsReader.read(file);

        List<Chapter> chapters = Chapters.of(List.of(document));
        assertThat(chapters)
                .extracting(Chapter::title, Chapter::latency)
                .containsExactly(tuple("ib_write_lat", true), tuple("ib_write_bw", false));
        for (Chapter chapter : chapters) {
            assertThat(chapter.series()).extracting(Series::name).containsExactly("Java", "C", "TCP Java", "TCP C");
            for (long size : chapter.sizes()) {
                for (Series line : chapter.series()) {
                    assertThat(chapter.at(line, size, chapter.principal())).isPositive();
                    assertThat(chapter.at(line, size, Metric.CPU)).isPositive();
                    assertThat(chapter.at(line, size).best(chapter.principal())).isPositive();
                    assertThat(chapter.at(line, size).best(Metric.CPU)).isPositive();
                }
            }
        }
        assertThat(Jsoup.parse(Page.of(List.of(document), null)).text())
                .contains("on 21 November 2026, 12:19 UTC", "Device rxe0, port 1", "TCP C", "14 B");
    }
}
