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
import io.github.rdma4j.perftest.document.ResultsSchema;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Several ranks, each a process. */
@ExtendWith({StandInDriver.class, StandInNccl.class})
class RanksTest {
    private static final long LIMIT_SECONDS = 120;

    @TempDir
    Path folder;

    private final List<Process> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(Process::destroyForcibly);
    }

    private Process start(String name, Map<String, String> environment, String more, String... arguments)
            throws IOException {
        List<String> command = java(Main.class, "gpu", AllReduceCommand.NAME, "--no-warm-up");
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("RDMA4J_STANDIN", "devices=3");
        builder.environment().put("RDMA4J_NCCL_STANDIN", "cuda=" + StandInDriver.library() + more);
        builder.environment().putAll(environment);
        return started(name, builder);
    }

    private static List<String> java(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                StandInDriver.jvmOption(),
                "-Dio.github.rdma4j.nccl.library=" + StandInNccl.library(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private Process started(String name, ProcessBuilder builder) throws IOException {
        Process process = builder.redirectOutput(folder.resolve(name + ".out").toFile())
                .redirectError(folder.resolve(name + ".err").toFile())
                .start();
        processes.add(process);
        return process;
    }

    private int status(Process process) throws InterruptedException {
        assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private String text(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    private static String free() throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return "127.0.0.1:" + free.getLocalPort();
        }
    }

    @Test
    void threeRanksOfOneCommand() throws Exception {
        Path log = Files.writeString(folder.resolve("recorded"), RecordedLogs.ONE_MACHINE);
        Process process = start(
                "all",
                Map.of(),
                ",log=" + log,
                "-g",
                "3",
                "-b",
                "1K",
                "-e",
                "64K",
                "-f",
                "64",
                "-n",
                "3",
                "--log",
                folder.resolve("log").toString(),
                "--json",
                folder.resolve("json").toString());
        int status = status(process);
        assertThat(text("all.err")).isEmpty();
        assertThat(status).isZero();
        assertThat(text("all.out"))
                .contains(", 3 ranks\n  rank 0  ")
                .contains("\n  rank 2  ")
                .contains(" wrong of " + 3 * 2 * (256 + 16384))
                .contains("Values: 0 wrong")
                .contains("  ranks 0-2: NCCL: 2.27.3+cuda12.9\n");
        assertThat(folder.resolve("log.2")).hasContent(RecordedLogs.ONE_MACHINE);
        assertThat(ResultsSchema.faults(text("json"))).isEmpty();
        JsonNode test = new ObjectMapper().readTree(text("json")).get("tests").get(0);
        assertThat(test.get("test_info").get("ranks").asInt()).isEqualTo(3);
        assertThat(test.get("test_info").get("places")).hasSize(3);
        JsonNode result = test.get("results").get(0);
        assertThat(result.get("bus_bandwidth").asDouble()
                        / result.get("algorithm_bandwidth").asDouble())
                .isCloseTo(4 / 3.0, Offset.offset(0.05));
    }

    @Test
    void resultsBeforeASignalAreWritten() throws Exception {
        assertWrittenAfter("TERM", 128 + 15);
    }

    @Test
    @Tag("full")
    void resultsBeforeCtrlCAreWritten() throws Exception {
        assertWrittenAfter("INT", 128 + 2);
    }

    private void assertWrittenAfter(String signal, int wanted) throws Exception {
        // A shell without job control has what it starts in the background ignore SIGINT, and all that starts from
        // there.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=" + signal));
        command.addAll(java(SignalledRun.class, signal, folder.resolve("json").toString()));
        Process process = started("signalled", new ProcessBuilder(command));
        assertThat(status(process)).as(text("signalled.err")).isEqualTo(wanted);
        assertThat(text("signalled.out"))
                .containsPattern(" 8 +2 +float +sum ")
                .contains("broken off: ended by a signal");
        assertThat(ResultsSchema.faults(text("json"))).isEmpty();
        JsonNode document = new ObjectMapper().readTree(text("json"));
        assertThat(document.get("state").asText()).isEqualTo("interrupted");
        assertThat(document.get("tests"))
                .hasSize(2)
                .allSatisfy(test -> assertThat(test.get("results"))
                        .singleElement()
                        .satisfies(result ->
                                assertThat(result.get("MsgSize").asLong()).isEqualTo(8)));
    }

    /**
     * The ranks are started one by one. The second one gets its rank from a launcher's variables, its language has
     * other digits, and its sums are wrong.
     */
    @Test
    @Tag("full")
    void faultOfOneRankIsReported() throws Exception {
        String server = free();
        Process first =
                start("0", Map.of(), "", "--rank", "0", "--ranks", "2", "--server", server, "-b", "8", "-e", "8");
        Process stranger = start(
                "s", Map.of(), "", "--rank", "1", "--ranks", "2", "--server", server, "-b", "8", "-e", "8", "-n", "3");
        assertThat(status(stranger)).isOne();
        assertThat(text("s.err"))
                .contains("rank 1 was sent away: rank 0 measures -b 8.. (1 sizes, 8), -n 20 ")
                .contains("start all ranks with the same version and the same options");
        Process second = start(
                "1",
                Map.of(
                        "RANK", "1",
                        "WORLD_SIZE", "2",
                        "LOCAL_RANK", "1",
                        "JAVA_TOOL_OPTIONS", "-Duser.language=ar -Duser.country=EG"),
                ",wrong=1",
                "--server",
                server,
                "-b",
                "8",
                "-e",
                "8");
        assertThat(status(first)).as(text("0.err")).isOne();
        assertThat(status(second)).as(text("1.err")).isOne();
        assertThat(text("0.err")).contains("2 values of 8 are wrong");
        assertThat(text("0.out")).contains("Values: 2 wrong of 8");
        assertThat(text("1.out")).isEmpty();
    }

    @Test
    @Tag("full")
    void rankThatFailsEndsTheOthers() throws Exception {
        String server = free();
        Process first = start(
                "0", Map.of(), "", "--rank", "0", "--ranks", "2", "--server", server, "-b", "8", "-e", "8", "-T", "3");
        Process second = start(
                "1",
                Map.of(),
                ",fail=ncclCommInitRankConfig:1:2",
                "--rank",
                "1",
                "--ranks",
                "2",
                "--server",
                server,
                "-b",
                "8",
                "-e",
                "8",
                "-T",
                "3");
        assertThat(status(second)).isOne();
        assertThat(text("1.err")).contains("ncclSystemError");
        assertThat(status(first)).isOne();
        assertThat(text("0.err"))
                .containsAnyOf("nothing has happened for 3 s (ncclCommInitRank)", "rank 1 has gone")
                .contains("see w");
        // Nobody comes.
        Process alone = start("2", Map.of(), "", "--rank", "1", "--ranks", "2", "--server", free(), "-T", "3");
        assertThat(status(alone)).isOne();
        assertThat(text("2.err")).contains("rank 1 has not found rank 0 at");
    }
}
