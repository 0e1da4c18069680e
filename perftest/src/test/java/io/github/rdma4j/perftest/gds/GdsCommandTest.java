// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.storage.StandInCuFile;
import io.github.rdma4j.perftest.Main;
import io.github.rdma4j.perftest.document.ResultsSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith({StandInDriver.class, StandInCuFile.class})
class GdsCommandTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return GdsCommand.run(
                Arrays.asList(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void nothingStaysOpen() {
        assertThat(StandInDriver.open()).isEmpty();
        assertThat(StandInCuFile.open()).isEmpty();
    }

    @Test
    void fileThatIsNotThereIsWrittenReadAndRemoved() throws IOException {
        StandInCuFile.set("module", 0);
        Path json = folder.resolve("out.json");
        assertThat(run(
                        "--file",
                        folder.resolve("made").toString(),
                        "--file-size",
                        "300001",
                        "-s",
                        "4K,100K",
                        "--threads",
                        "1,3",
                        "-n",
                        "2",
                        "--register",
                        "--json",
                        json.toString()))
                .as("%s", err)
                .isZero();
        assertThat(folder.resolve("made")).doesNotExist();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("gds     left out: not by GPUDirect Storage: the kernel module nvidia-fs is not loaded")
                .contains("compat  compatibility mode, ")
                .contains("staged  staged, ")
                .contains("direct  host memory, past the page cache")
                .containsPattern("direct +write +102400 +3 ")
                .containsPattern("direct +read +4096 +1 ")
                .contains("host    host memory, through the page cache");
        assertThat(ResultsSchema.faults(Files.readString(json))).isEmpty();
        JsonNode document = new ObjectMapper().readTree(Files.readAllBytes(json));
        assertThat(document.get("tests")).hasSize(4 * 2 * 2).allSatisfy(test -> {
            JsonNode info = test.get("test_info");
            assertThat(info.get("file_size").asLong()).isEqualTo(300_001);
            assertThat(info.get("methods").get("gds").asText()).startsWith("left out: ");
            assertThat(test.get("results")).hasSize(2).allSatisfy(result -> {
                assertThat(result.get("BW_average").asDouble()).isPositive();
                assertThat(result.get("rounds")).hasSize(2);
                assertThat(result.get("compared_bytes").asLong()).isEqualTo(300_001);
            });
        });
    }

    @Test
    void fileThatIsThereIsOnlyRead() throws IOException {
        byte[] contents = new byte[10_000];
        Arrays.fill(contents, (byte) 7);
        Path file = Files.write(folder.resolve("there"), contents);
        StandInCuFile.absent();
        assertThat(run("--file", file.toString(), "-s", "4K", "--threads", "2", "-n", "1", "--no-direct"))
                .isZero();
        assertThat(Files.readAllBytes(file)).isEqualTo(contents);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(
                        "compat  left out: not by compatibility mode: /no/such/libcufile.so.0: cannot open shared object file")
                .contains("staged, through the page cache")
                .containsPattern("direct +read +4096 +2 ")
                .doesNotContain(" write ");
    }

    /** O_DIRECT takes whole blocks. */
    @Test
    void withoutWholeBlocksNothingGoesPastThePageCache() throws IOException {
        Path file = Files.write(folder.resolve("there"), new byte[10_000]);
        assertThat(run("--file", file.toString(), "--methods", "direct,host", "-n", "1", "-s", "4K,1000"))
                .isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("direct  left out: 1000 bytes are no multiple of 4096")
                .containsPattern("host +read +1000 +1 ")
                .doesNotContainPattern("direct +read ");
    }

    @Test
    void whereNoWayCanBeMeasuredItFails() throws IOException {
        Path file = Files.write(folder.resolve("there"), new byte[10_000]);
        StandInCuFile.absent();
        Path json = folder.resolve("out.json");
        assertThat(run("--file", file.toString(), "--methods", "gds,compat", "--json", json.toString()))
                .isOne();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("gds     left out: ")
                .contains("broken off: no method could be measured");
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("gds_bw: no method could be measured")
                .contains("--methods");
        assertThat(ResultsSchema.faults(Files.readString(json))).isEmpty();
        JsonNode document = new ObjectMapper().readTree(Files.readAllBytes(json));
        assertThat(document.get("state").asText()).isEqualTo("failed");
    }

    @Test
    void missingFileIsNamed() throws IOException {
        for (String file : List.of("/dev/null", folder.toString())) {
            assertThat(run("--file", file)).isOne();
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("gds_bw: %s is no regular file".formatted(file))
                    .contains("name a file, or one that is not there");
        }
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
        assertThat(run("--file", link.toString())).isOne();
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("gds_bw: %s is a link to what is not there".formatted(link));
        assertThat(link).isSymbolicLink();
    }

    @Test
    void wrongBytesAreFound() throws IOException {
        Path file = Files.write(folder.resolve("there"), "x".repeat(10_000).getBytes(StandardCharsets.UTF_8));
        // cuFile reports a read that it has not done: the copy to the GPU is left out.
        StandInCuFile.set("module", 0);
        StandInCuFile.set("forget", 1);
        assertThat(run("--file", file.toString(), "--methods", "compat", "-n", "1", "-s", "1K"))
                .isOne();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("compat, read: byte 0 of the file is wrong");
    }

    @Test
    void resultsBeforeAFailureAreShown() throws IOException {
        Path file = Files.write(folder.resolve("there"), "x".repeat(10_000).getBytes(StandardCharsets.UTF_8));
        StandInCuFile.set("module", 0);
        StandInCuFile.set("forget", 1);
        Path json = folder.resolve("out.json");
        assertThat(run(
                        "--file",
                        file.toString(),
                        "--methods",
                        "host,compat",
                        "-n",
                        "2",
                        "-s",
                        "1K",
                        "--threads",
                        "1",
                        "--json",
                        json.toString()))
                .isOne();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .containsPattern("host +read +1024 +1 ")
                .contains("broken off: compat, read: byte 0 of the file is wrong");
        assertThat(ResultsSchema.faults(Files.readString(json))).isEmpty();
        JsonNode document = new ObjectMapper().readTree(Files.readAllBytes(json));
        assertThat(document.get("state").asText()).isEqualTo("failed");
        assertThat(document.get("failure").asText()).isEqualTo("compat, read: byte 0 of the file is wrong");
        JsonNode result = document.get("tests").get(0).get("results").get(0);
        double both = result.get("rounds").get(0).get("BW_average").asDouble()
                + result.get("rounds").get(1).get("BW_average").asDouble();
        assertThat(result.get("BW_average").asDouble()).as("of two").isCloseTo(both / 2, within(1e-3));
    }

    /** Passes with a transfer for each byte would take hours. */
    @Test
    void resultsBeforeASignalAreShown() throws Exception {
        Path file = folder.resolve("made");
        Path json = folder.resolve("out.json");
        Path printed = folder.resolve("printed");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1",
                        StandInDriver.jvmOption(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "gpu",
                        GdsCommand.NAME,
                        "--file",
                        file.toString(),
                        "--file-size",
                        "64K",
                        "--methods",
                        "host",
                        "--threads",
                        "1",
                        "-s",
                        "64K,1",
                        "-n",
                        "100000",
                        "--json",
                        json.toString())
                .redirectErrorStream(true)
                .redirectOutput(printed.toFile())
                .start();
        try {
            long deadline = System.nanoTime() + Duration.ofSeconds(120).toNanos();
            // Each byte alike, and none of those that the file is made of: the second size is being written.
            while (!Files.exists(file) || !isOfOneByte(Files.readAllBytes(file))) {
                assertThat(process.isAlive()).as(Files.readString(printed)).isTrue();
                assertThat(System.nanoTime()).as(Files.readString(printed)).isLessThan(deadline);
                Thread.sleep(10);
            }
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(printed))
                .containsPattern("host +write +65536 +1 ")
                .contains("broken off: ended by a signal");
        JsonNode document = new ObjectMapper().readTree(Files.readAllBytes(json));
        assertThat(document.get("state").asText()).isEqualTo("interrupted");
        assertThat(document.get("tests").get(0).get("results")).hasSize(1);
        assertThat(file).doesNotExist();
    }

    private static boolean isOfOneByte(byte[] bytes) {
        for (byte each : bytes) {
            if (each == 0 || each != bytes[0]) {
                return false;
            }
        }
        return bytes.length > 0;
    }

    @Test
    void contradictionsAreRefused() {
        assertThat(run()).isEqualTo(2);
        assertThat(run("--file", "x", "-s", "4X")).isEqualTo(2);
        assertThat(run("--file", "x", "-s", "0")).isEqualTo(2);
        assertThat(run("--file", "x", "--threads", "0")).isEqualTo(2);
        assertThat(run("--file", "x", "--methods", "cp")).isEqualTo(2);
        assertThat(run("--file", "x", "y")).isEqualTo(2);
        String data = folder.resolve("data").toString();
        assertThat(run("--file", data, "--json", folder.resolve("./data").toString()))
                .isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("which file? Give --file")
                .contains("'4X' is no number of bytes")
                .contains("--json: the document would take the place of " + data)
                .contains("--methods: 'cp' is none of gds, compat, staged, direct, host");
        assertThat(run("--file", folder.resolve("no/such").toString(), "-s", "64k"))
                .isOne();
        assertThat(run("--file", "/dev/null")).isOne();
        assertThat(run("--help")).isZero();
    }
}
