// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.rdma4j.cuda.StandInDriver;
import io.github.rdma4j.gpudirect.nccl.StandInNccl;
import io.github.rdma4j.perftest.Main;
import io.github.rdma4j.perftest.allreduce.choice.RecordedLogs;
import io.github.rdma4j.perftest.doctor.nccl.Choices;
import io.github.rdma4j.perftest.document.ResultsSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One rank, in this process. */
@ExtendWith({StandInDriver.class, StandInNccl.class})
class AllReduceCommandTest {
    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    /** Without the warm-up, which takes seconds. */
    private int run(String... arguments) {
        return runAsIs(Stream.concat(Stream.of("--no-warm-up"), Arrays.stream(arguments))
                .toArray(String[]::new));
    }

    private int runAsIs(String... arguments) {
        return AllReduceCommand.run(
                Arrays.asList(arguments),
                Main.class,
                Choices::ofThisMachine,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private JsonNode document(Path json) throws IOException {
        String text = Files.readString(json);
        assertThat(ResultsSchema.faults(text)).isEmpty();
        return new ObjectMapper().readTree(text);
    }

    @AfterEach
    void nothingStaysOpen() {
        assertThat(StandInDriver.open()).isEmpty();
        assertThat(StandInNccl.open()).isEmpty();
    }

    @Test
    void oneRank() throws IOException {
        Path json = folder.resolve("out.json");
        StandInNccl.set("log", Files.writeString(folder.resolve("recorded"), RecordedLogs.ONE_MACHINE));
        assertThat(run(
                        "-b",
                        "8",
                        "-e",
                        "64K",
                        "-f",
                        "64",
                        "-n",
                        "4",
                        "--log",
                        folder.resolve("log").toString(),
                        "--json",
                        json.toString()))
                .as("%s", err)
                .isZero();
        assertThat(out())
                .contains("NCCL 2.30.7, ")
                .contains(", 1 rank\n  rank 0  ")
                .containsPattern(" 8 +2 +float +sum +[0-9.]+ +[0-9.]+ +0.000 +0  +[0-9.]+ +[0-9.]+ +0.000 +0\n")
                .containsPattern(" 32768 +8192 +float ")
                .contains("Values: 0 wrong of 16644\n")
                .contains("Bus bandwidth: none, of one rank")
                .contains("  NCCL: 2.27.3+cuda12.9\n")
                .contains("  network: Socket\n      predicted: Socket: no RDMA device can be used\n")
                .contains("  rank 0 to rank 1: SHM/direct/direct, 2 channels\n");
        JsonNode document = document(json);
        assertThat(document.get("state").asText()).isEqualTo("complete");
        assertThat(document.get("tests")).hasSize(2).allSatisfy(test -> {
            assertThat(test.get("test_info").get("ranks").asInt()).isOne();
            assertThat(test.get("test_info").get("choices")).hasSizeGreaterThan(3);
            assertThat(test.get("results")).hasSize(3).allSatisfy(result -> {
                double seconds = result.get("t_operation").asDouble() / 1e6;
                assertThat(result.get("algorithm_bandwidth").asDouble() * 1e9)
                        .isCloseTo(result.get("MsgSize").asLong() / seconds, Percentage.withPercentage(5));
                assertThat(result.get("bus_bandwidth").asDouble()).isZero();
                assertThat(result.get("values_wrong").asLong()).isZero();
            });
        });
        assertThat(folder.resolve("log")).content().isEqualTo(RecordedLogs.ONE_MACHINE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "1", "2"})
    void eachTypeAndEachOperation(String registration) {
        assertThat(run(
                        "-b",
                        "8",
                        "-e",
                        "9K",
                        "-i",
                        "9000",
                        "-n",
                        "1",
                        "-w",
                        "0",
                        "-m",
                        "2",
                        "-d",
                        "all",
                        "-o",
                        "all",
                        "-R",
                        registration))
                .as("%s", err)
                .isZero();
        assertThat(out().lines().filter(line -> line.matches(" +(8|9008|9004|9006|9007) .*")))
                .hasSize(2 * 12 * 5)
                .allSatisfy(line -> assertThat(line).contains(" 0 ").endsWith(" 0"));
        assertThat(out()).contains("NCCL's log is empty");
    }

    @ParameterizedTest
    @CsvSource({"wrong, 2 values of 4 are wrong, 1", "forget, 3 values of 4 are wrong, 2"})
    void wrongValuesAreFound(String how, String message, int wrong) throws IOException {
        StandInNccl.set(how, 1);
        Path json = folder.resolve("out.json");
        // Each has two elements. With one rank an in-place reduction has nothing to do, so a forgotten one is right.
        assertThat(run("-b", "8", "-e", "8", "-f", "2", "-n", "1", "--json", json.toString()))
                .isOne();
        if (how.equals("wrong")) {
            assertThat(err()).contains(message).contains("look at the counters of the GPUs' links");
        }
        assertThat(out()).containsPattern(" 8 +2 +float +sum .* " + wrong + " ");
        assertThat(document(json).get("state").asText()).isEqualTo("failed");
        assertThat(document(json).get("failure").asText()).endsWith("values were wrong");
        out.reset();
        assertThat(run("-b", "8", "-e", "8", "-f", "2", "-n", "1", "-c", "0")).isZero();
        assertThat(out()).contains("No values were compared.");
    }

    @Test
    void resultsBeforeAFailureAreShown() throws IOException {
        Path json = folder.resolve("out.json");
        // Of each size, out of place and in place: two of warm-up, two that are timed, one that is compared.
        StandInNccl.failAt("ncclAllReduce", 5 + 3, 3);
        assertThat(run("-b", "8", "-e", "8", "-w", "2", "-n", "2", "--json", json.toString()))
                .isOne();
        assertThat(out()).containsPattern(" 8 +2 +float +sum ").contains("broken off: ncclAllReduce");
        JsonNode document = document(json);
        assertThat(document.get("state").asText()).isEqualTo("failed");
        assertThat(document.get("failure").asText()).contains("ncclInternalError");
        assertThat(document.get("tests")).hasSize(1);
        assertThat(document.get("tests").get(0).get("results")).hasSize(1);
        assertThat(document.get("tests").get(0).get("test_info").get("places")).hasSize(1);
    }

    @Test
    void calls() {
        assertThat(run("-b", "1K", "-e", "1K", "-n", "7", "-w", "3", "-m", "4", "-c", "2", "-T", "20"))
                .isZero();
        // In place and out of place: 7 and 3 groups of 4, and 2 checks.
        assertThat(StandInNccl.calls("ncclAllReduce")).isEqualTo(2 * ((7 + 3) * 4 + 2));
        assertThat(StandInNccl.calls("ncclGroupStart")).isEqualTo(2 * (7 + 3));
    }

    /**
     * The options ask for two operations. The others are a warm-up for the JIT compiler, and the test waits only for
     * the first.
     */
    @Test
    void warmsUpUntilWhatIsMeasuredIsCompiled() {
        StandInNccl.failAt("ncclAllReduce", 400, 3);
        assertThat(runAsIs("-b", "8", "-e", "8", "-n", "1", "-w", "0", "-c", "0"))
                .isOne();
        assertThat(StandInNccl.calls("ncclAllReduce")).isEqualTo(400);
    }

    @Test
    void ranksWithoutAGpuAreNotStarted() {
        StandInDriver.devices(2);
        assertThat(run("-b", "8", "-e", "8", "-g", "99")).isOne();
        assertThat(err())
                .isEqualTo("nccl_allreduce_bw: rank 98 has no GPU: it would be CUDA device 98, and this machine has 2\n"
                        + "    start no more ranks than GPUs; CUDA_VISIBLE_DEVICES may hide some\n");
    }

    @Test
    void failuresAreReported() {
        for (String call : List.of("ncclGetUniqueId", "ncclCommInitRankConfig", "ncclAllReduce", "ncclCommDestroy")) {
            StandInNccl.failAt(call, 1, 3);
            assertThat(run("-b", "8", "-e", "8")).as(call).isOne();
            assertThat(err())
                    .contains("nccl_allreduce_bw: " + call.replace("Config", ""))
                    .contains("ncclInternalError");
            err.reset();
            assertThat(StandInNccl.open()).isEmpty();
        }
        StandInNccl.set("async", 6);
        assertThat(run("-b", "8", "-e", "8")).isOne();
        StandInNccl.set("async", 0);
        StandInNccl.absent();
        assertThat(run()).isOne();
        assertThat(err()).contains("/no/such/libnccl.so.2: cannot open shared object file");
        StandInNccl.use();
        assertThat(run("--use_cuda", "77")).isOne();
        assertThat(err()).contains("77");
        assertThat(run("--log", folder.resolve("no/such/folder/log").toString(), "-b", "8", "-e", "8"))
                .isOne();
        assertThat(err()).contains("NCCL's log cannot be written: ").contains("give --log a file in a folder");
        assertThat(run("--json", folder.resolve("no/such/folder").toString(), "-b", "8", "-e", "8"))
                .isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "-b 4X | -b: '4X' is no number of bytes",
                "-b 0 | -b: 0 is not in 1..",
                "-b 2G -e 1G | -b: 2147483648 is more than -e 1073741824",
                "-b 2 | -b: 2 bytes are less than an element of 4",
                "-e 4T | -e: '4T' is no number of bytes",
                "-i 0 | -i: 0 is not in 1..",
                "-i 1 -f 2 | -i and -f: one of the two",
                "-b 8 -e 1G -i 8 | -i: more than 10000 sizes: take -f",
                "-f 1 | -f: 1 is not in 2..1048576",
                "-n 0 | -n: 0 is not in 1..10000000",
                "-w -1 | -w: -1 is not in 0..10000000",
                "-m 0 | -m: 0 is not in 1..10000000",
                "-c -1 | -c: -1 is not in 0..10000000",
                "-a 4 | -a: 4 is not in 0..3",
                "-R 3 | -R: 3 is not in 0..2",
                "-T 0 | -T: 0 is not in 1..86400",
                "-d float16 | -d: 'float16' is none of int8, uint8",
                "-o mean | -o: 'mean' is none of sum, prod, max, min, avg, or all",
                "-g 0 | -g: 0 is not in 1..65536",
                "-g 2 --ranks 3 | -g 2 and --ranks 3: without --rank they mean the same",
                "-g 2 --ranks 2 --rank 0 | -g: a process with --rank is one rank",
                "--rank 1 | --rank: of how many?",
                "--ranks 2 --rank 2 --server a:1 | --rank: 2 is not in 0..1",
                "--ranks 2 --rank 1 | where do the 2 ranks meet?",
                "--server a:1 | --server is for one rank of several",
                "--ranks 2 --rank 1 --server a | --server: 'a' is not HOST:PORT",
                "--ranks 2 --rank 1 --server a:70000 | --server: 'a:70000' is not HOST:PORT",
                "--use_cuda -1 | --use_cuda: -1 is no number of a GPU",
                "-n x | Invalid value for option '--iters'",
                "-t 2 | Unknown option: '-t'",
                "more | 'more': what is that?"
            })
    void contradictionsAreRefused(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err())
                .startsWith("nccl_allreduce_bw: ")
                .contains(message)
                .contains("rdma4j gpu nccl_allreduce_bw --help");
        assertThat(out()).isEmpty();
    }

    @Test
    void help() {
        assertThat(run("--help")).isZero();
        assertThat(out()).contains("--stepfactor", "--local_register", "mpirun, srun and torchrun");
    }
}
