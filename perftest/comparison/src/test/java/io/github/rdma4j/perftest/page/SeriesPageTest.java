// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.nccl.StandInNccl;
import io.github.rdma4j.gpudirect.storage.StandInCuFile;
import io.github.rdma4j.perftest.allreduce.AllReduceCommand;
import io.github.rdma4j.perftest.gds.GdsCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The page draws the documents that gds_bw and nccl_allreduce_bw write. */
@ExtendWith({StandInDriver.class, StandInCuFile.class, StandInNccl.class})
class SeriesPageTest {
    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

    /** The documents of two ranks, which differ. NCCL's figures of one rank have no bus bandwidth. */
    private static final String TWO_RANKS = """
            {"schema": "https://rdma4j.github.io/schema/results-1.json", "schema_version": 1,
             "started": "2026-11-25T09:00:00Z", "seconds": 2, "environment": {"kernel": "Linux 6.12"},
             "tests": [
              {"test_info": {"test": "NCCL AllReduce", "tool": "nccl_allreduce_bw", "role": "rank",
                "implementation": "java", "variant": "out of place", "ranks": 2, "datatype": "half", "operation": "max",
                "choices": [
                 {"ranks": "0", "subject": "network", "chosen": "Socket", "predicted": "RDMA: mlx5_0",
                  "verdict": "differs", "remark": "there are RDMA devices <b>"},
                 {"ranks": "0-1", "subject": "NCCL", "chosen": "2.27.3", "predicted": "", "verdict": "not predicted",
                  "remark": ""}]},
               "results": [{"MsgSize": 1024, "n_iterations": 20, "t_operation": 10, "algorithm_bandwidth": 0.1024,
                "bus_bandwidth": 0.1024, "values_compared": 1024, "values_wrong": 3}]},
              {"test_info": {"test": "NCCL AllReduce", "tool": "nccl_allreduce_bw", "role": "rank",
                "implementation": "java", "variant": "in place", "ranks": 2, "datatype": "half", "operation": "max"},
               "results": [{"MsgSize": 1024, "n_iterations": 20, "t_operation": 20, "algorithm_bandwidth": 0.0512,
                "bus_bandwidth": 0.0512, "values_compared": 0, "values_wrong": 0}]}]}
            """;

    @TempDir
    private Path folder;

    @Test
    void filesAndGpuMemory() throws IOException {
        StandInCuFile.set("module", 0);
        Path json = folder.resolve("gds.json");
        assertThat(GdsCommand.run(
                        List.of(
                                "--file",
                                folder.resolve("file").toString(),
                                "--file-size",
                                "100K",
                                "-s",
                                "4K,8K,16K",
                                "--threads",
                                "1,2",
                                "-n",
                                "3",
                                "--json",
                                json.toString()),
                        NOWHERE,
                        System.err))
                .isZero();
        Document document = ResultsReader.read(json);
        List<Chapter> chapters = Chapters.of(List.of(document));
        assertThat(chapters)
                .extracting(Chapter::title)
                .containsExactly(
                        "gds_bw, write, 1 thread",
                        "gds_bw, write, 2 threads",
                        "gds_bw, read, 1 thread",
                        "gds_bw, read, 2 threads");
        assertThat(chapters).allSatisfy(chapter -> {
            assertThat(chapter.series()).extracting(Series::name).containsExactly("compat", "staged", "direct", "host");
            assertThat(Charts.of(chapter))
                    .extracting(Chart::title)
                    .containsExactly(
                            "Bandwidth over message size", "Message rate over message size", "Bandwidth of each round");
        });
        org.jsoup.nodes.Document html = Jsoup.parse(Page.of(List.of(document), null));
        assertThat(html.select("table").text()).contains("left out: not by GPUDirect Storage", "compat");
        assertThat(html.select(".notes").text()).contains("through the page cache");
        assertThat(html.select(".caveats").text()).doesNotContain("Both ends ran on one machine");
    }

    @Test
    void allReduceOfOneRank() throws IOException {
        Path json = folder.resolve("nccl.json");
        assertThat(AllReduceCommand.run(
                        List.of(
                                "--no-warm-up",
                                "-b",
                                "8",
                                "-e",
                                "32K",
                                "-f",
                                "16",
                                "-n",
                                "2",
                                "--json",
                                json.toString()),
                        SeriesPageTest.class,
                        (_, _) -> List.of(),
                        NOWHERE,
                        System.err))
                .isZero();
        Document document = ResultsReader.read(json);
        Chapter chapter = Chapters.of(List.of(document)).getFirst();
        assertThat(chapter.title()).isEqualTo("nccl_allreduce_bw, float, sum, 1 rank");
        assertThat(chapter.series()).extracting(Series::name).containsExactly("out of place", "in place");
        List<Chart> charts = Charts.of(chapter);
        assertThat(charts)
                .extracting(Chart::title)
                .containsExactly("Bandwidth over message size", "Time of an operation over message size");
        assertThat(charts.getFirst().panels()).extracting(Chart.Panel::label).containsExactly("Algorithm bandwidth");
        assertThat(Jsoup.parse(Page.of(List.of(document), null)).select("h1").text())
                .isEqualTo("nccl_allreduce_bw");
    }

    @Test
    void choiceOfNcclStandsBesideThePrediction() throws IOException {
        Document document = ResultsReader.read(Files.writeString(folder.resolve("two.json"), TWO_RANKS));
        Chapter chapter = Chapters.of(List.of(document)).getFirst();
        assertThat(chapter.title()).isEqualTo("nccl_allreduce_bw, half, max, 2 ranks");
        assertThat(chapter.principal()).isEqualTo(Metric.BUS_BANDWIDTH);
        org.jsoup.nodes.Document html = Jsoup.parse(Page.of(List.of(document), null));
        String tables = html.select("section.chapter table").text();
        assertThat(tables)
                .contains("1 KiB out of place 20 10.00 0.10240 0.10240 1\u202f024 3")
                .contains("1 KiB in place 20 20.00 0.05120 0.05120 0 –")
                .contains("0 network Socket RDMA: mlx5_0 differs: there are RDMA devices <b>")
                .contains("0-1 NCCL 2.27.3 – not predicted");
        assertThat(html.select("#glance ~ table, section table").text()).contains("1 KiB: bus bandwidth, GB/s");
        // Two documents: each has its own choices, and series carry their names.
        Page both = new Page(List.of(document, document.named("other")));
        assertThat(both.model(null).get("chapters").toString())
                .contains("beside what doctor --gpu predicts (two)")
                .contains("beside what doctor --gpu predicts (other)")
                .contains("in place · other");
    }
}
