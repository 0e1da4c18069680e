// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.predict.machine.DescribedMachines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuidesTest {
    private static final String LIMIT = "\"path_limit\": {\"bytes_per_second\": 24843000000, \"link\": \"InfiniBand\"}";

    @TempDir
    private Path folder;

    private Path document(String limit) throws IOException {
        String results = "";
        for (long size = 4096; size <= 1 << 20; size *= 16) {
            double rate = Math.min(2.6, 23e9 / size / 1e6);
            results += (results.isEmpty() ? "" : ",") + """
                    {"MsgSize": %d, "n_iterations": 5000, "BW_peak": 0, "BW_average": %s, "MsgRate": %s,
                     "BW_unit": "MiB/sec"}
                    """.formatted(size, rate * size * 1e6 / (1 << 20), rate);
        }
        return Files.writeString(
                folder.resolve("results.json"), """
            {"schema": "https://rdma4j.github.io/schema/results-1.json", "schema_version": 1,
             "started": "2026-11-25T03:00:00Z", "seconds": 1, "state": "complete", "environment": {},
             "test_info": {"test": "RDMA_Write BW Test", "tool": "ib_write_bw", "role": "client",
              "implementation": "java", "Device": "mlx5_0", "TX_depth": 128, "Mtu": 4096%s},
             "results": [%s]}
            """.formatted(limit.isEmpty() ? "" : ", " + limit, results));
    }

    private Chapter chapter(String limit) throws IOException {
        return Chapters.of(List.of(ResultsReader.read(document(limit)))).getFirst();
    }

    @Test
    void linksOfADocumentAreALine() throws IOException {
        List<Chart.Guide> guides = Guides.of(chapter(LIMIT), Optional.empty());
        assertThat(guides).extracting(Chart.Guide::name).containsExactly("limit: InfiniBand");
        assertThat(guides.getFirst().points()).hasSize(2);
        assertThat(guides.getFirst().points().getLast()[0]).isEqualTo(1 << 20);
        assertThat(guides.getFirst().points().getLast()[1]).isCloseTo(24_843e6 / (1 << 20), within(0.1));
        assertThat(Guides.of(chapter(""), Optional.empty())).isEmpty();
    }

    @Test
    void machineAddsItsLinksAndAPrediction() throws IOException {
        List<Chart.Guide> guides = Guides.of(chapter(""), Optional.of(DescribedMachines.of("connectx6-pcie4")));
        assertThat(guides)
                .extracting(Chart.Guide::name)
                .containsExactly("predicted", "limit: PCIe 4 x16", "limit: InfiniBand 200 Gbit/s, MTU 4096");
        // Of both ends' links the slower one.
        assertThat(guides.get(1).points().getFirst()[1]).isCloseTo(26_462e6 / (1 << 20), within(1.0));
        assertThat(guides.getFirst().points()).hasSize(3);
        assertThat(guides.getFirst().points().getFirst()[1]).isCloseTo(10_779e6 / (1 << 20), within(1.0));
    }

    @Test
    void latencyHasNone() throws IOException {
        Chapter latency = new Chapter("ib_write_lat", true, chapter(LIMIT).series());
        assertThat(Guides.of(latency, Optional.of(DescribedMachines.of("dgx-h100"))))
                .isEmpty();
    }

    private static CommandRun report(Path page, Path document, String machine) {
        List<String> arguments = List.of(document.toString(), "--out", page.toString(), "--machine", machine);
        return CommandRun.of((out, err) -> ReportCommand.run(arguments, out, err));
    }

    @Test
    void pageHasTheLines() throws IOException {
        Path page = folder.resolve("page.html");
        CommandRun run = report(page, document(LIMIT), "connectx6-pcie4");
        assertThat(run.err()).isEmpty();
        assertThat(Files.readString(page))
                .contains("\"guides\":[{\"name\":\"predicted\"", "limit: InfiniBand", "24.84 GB/s, InfiniBand");
        CommandRun unknown = report(page, document(""), "no-such-machine");
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).contains("there is no machine and no file 'no-such-machine'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "\"path_limit\": 3|path_limit is not an object",
                "\"path_limit\": {\"link\": \"x\"}|path_limit.bytes_per_second is not above 0",
                "\"path_limit\": {\"bytes_per_second\": -1}|path_limit.bytes_per_second is not above 0",
                "\"path_limit\": {\"bytes_per_second\": \"x\"}|path_limit.bytes_per_second is not a number",
                "\"path_limit\": {\"bytes_per_second\": 1, \"link\": 2}|path_limit.link is not a string",
            })
    void spoiltLimitIsRefused(String limit, String message) {
        assertThatThrownBy(() -> chapter(limit))
                .isInstanceOf(ReportException.class)
                .hasMessageContaining(message);
    }
}
