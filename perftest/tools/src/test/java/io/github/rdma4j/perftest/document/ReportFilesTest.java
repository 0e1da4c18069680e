// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.result.Pace;
import io.github.rdma4j.perftest.result.Results;
import io.github.rdma4j.perftest.result.RunOutcome;
import io.github.rdma4j.perftest.result.SizeResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportFilesTest {
    @Test
    void rowsOfCommaSeparatedValues() throws IOException {
        assertThat(csv(Tool.WRITE_LATENCY, Results.latency(2, 100, 2, null), Results.timed(4, 10, new Pace(5, 4))))
                .containsExactly(
                        "tool,device,MsgSize,round,samples,min_usec,mean_usec,stdev_usec,p50_usec,p90_usec,p99_usec,"
                                + "p99.9_usec,p99.99_usec,p99.999_usec,max_usec,rate,rate_reached,state",
                        "ib_write_lat,rxe0,2,all,198,9.530000,10.414242,8.753553,9.532000,9.532000,97.056000,97.070000,"
                                + "97.070000,97.070000,97.070000,,,complete",
                        "ib_write_lat,rxe0,2,1,99,9.530000,10.414242,8.753553,9.532000,9.532000,97.070000,97.070000,"
                                + "97.070000,97.070000,97.070000,,,complete",
                        "ib_write_lat,rxe0,2,2,99,9.530000,10.414242,8.753553,9.532000,9.532000,97.070000,97.070000,"
                                + "97.070000,97.070000,97.070000,,,complete",
                        "ib_write_lat,rxe0,4,all,10,9.530000,18.284000,26.262000,9.532000,9.532000,97.070000,97.070000,"
                                + "97.070000,97.070000,97.070000,5.000000,4.000000,complete");
        assertThat(csv(Tool.WRITE_BANDWIDTH, Results.bandwidth(1 << 20, 1, false)))
                .containsExactly(
                        "tool,device,MsgSize,round,n_iterations,BW_peak,BW_average,BW_unit,MsgRate,state",
                        "ib_write_bw,rxe0,1048576,all,1000,2000.000000,1000.000000,MiB/sec,0.001000,complete");
    }

    private static List<String> csv(Tool tool, SizeResult... results) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        CsvReport.write(Results.outcome(Results.info(RunParameters.parse(tool, "localhost")), List.of(results)), out);
        return out.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void everyFileThatIsAskedForIsWritten(@TempDir Path folder) throws IOException {
        String[] arguments = {
            "localhost",
            "--out_csv=" + folder.resolve("a.csv"),
            "--out_hlog=" + folder.resolve("a.hlog"),
            "--out_hgrm=" + folder.resolve("a.hgrm"),
            "--out_json_file=" + folder.resolve("a.json")
        };
        ReportFiles.write(
                Results.outcome(
                        Results.info(RunParameters.parse(Tool.WRITE_LATENCY, arguments)),
                        List.of(Results.latency(2, 100), Results.latency(4, 100))),
                Optional.empty());
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("a.csv", "a.hlog", "a-2.hgrm", "a-4.hgrm", "a.json");
        }
    }

    /** As bash's process substitution, such as >(jq .), names one. */
    @Test
    void pipeReceivesTheReport(@TempDir Path folder) throws Exception {
        Path pipe = folder.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();
        RunParameters parameters =
                RunParameters.parse(Tool.WRITE_LATENCY, "localhost", "--out_csv=" + pipe, "--out_json_file=/dev/null");
        try (var executor = Executors.newSingleThreadExecutor()) {
            var read = executor.submit(() -> Files.readString(pipe));
            ReportFiles.write(
                    Results.outcome(Results.info(parameters), List.of(Results.latency(2, 100))), Optional.empty());
            assertThat(read.get(60, TimeUnit.SECONDS)).contains("ib_write_lat,rxe0,2,");
        }
    }

    @Test
    void sideThatHasMeasuredNothingLeavesTheOtherSidesFile(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("both.json"), "of the client");
        RunOutcome served = Results.outcome(
                Results.info(RunParameters.parse(Tool.READ_LATENCY, "--out_json_file=" + file)), List.of());
        Files.setLastModifiedTime(file, FileTime.from(served.started().plusSeconds(1)));
        ReportFiles.write(served, Optional.empty());
        assertThat(file).hasContent("of the client");
        Files.setLastModifiedTime(file, FileTime.from(served.started().minusSeconds(1)));
        ReportFiles.write(served, Optional.empty());
        assertThat(file).content().contains("\"results\": { }");
    }

    @Test
    void otherSideMayWriteTheSameFile(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("both.csv");
        RunParameters parameters = RunParameters.parse(Tool.WRITE_BANDWIDTH, "localhost", "--out_csv=" + file);
        Process other = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:-UsePerfData",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OtherSide.class.getName(),
                        file.toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var executor = Executors.newSingleThreadExecutor()) {
            assertThat(other.getInputStream().read()).isEqualTo('L');
            var writing = executor.submit(() -> {
                ReportFiles.write(
                        Results.outcome(Results.info(parameters), List.of(Results.bandwidth(4096, 1, false))),
                        Optional.empty());
                return null;
            });
            assertThatThrownBy(() -> writing.get(50, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            other.getOutputStream().close();
            writing.get(60, TimeUnit.SECONDS);
            assertThat(Files.readAllLines(file))
                    .hasSize(2)
                    .last()
                    .asString()
                    .startsWith("ib_write_bw,rxe0,4096,")
                    .endsWith(",complete");
        } finally {
            other.destroyForcibly();
        }
    }

    /** Takes the lock, waits for a byte of input, and then writes more than this side does. */
    static final class OtherSide {
        public static void main(String[] arguments) throws IOException {
            try (FileChannel channel =
                    FileChannel.open(Path.of(arguments[0]), StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
                channel.lock();
                System.out.print('L');
                System.out.flush();
                System.in.read();
                channel.write(ByteBuffer.allocate(10_000));
            }
        }
    }

    @Test
    void fileThatCannotBeWrittenTakesNoneOfTheOthersWithIt(@TempDir Path folder) throws IOException {
        Path json = folder.resolve("a.json");
        Path log = folder.resolve("a.hlog");
        RunParameters parameters = RunParameters.parse(
                Tool.WRITE_LATENCY,
                "localhost",
                "--out_json_file=" + json,
                "--out_csv=" + folder.resolve("a.csv"),
                "--out_hlog=" + log,
                "--out_hgrm=" + folder.resolve("a.hgrm"));
        // The files can be written when the test starts and not when it ends.
        Files.createDirectory(json);
        Files.createDirectory(log);

        assertThatThrownBy(() -> ReportFiles.write(
                        Results.outcome(Results.info(parameters), List.of(Results.latency(2, 100))), Optional.empty()))
                .isInstanceOf(IOException.class)
                .hasMessageContainingAll(json.toString(), log.toString());
        assertThat(folder.resolve("a.csv")).isNotEmptyFile();
        assertThat(folder.resolve("a.hgrm")).isNotEmptyFile();
    }

    @Test
    void fileKeepsItsContentIfTheReportCannotBeCreated(@TempDir Path folder) throws IOException {
        Path json = Files.writeString(folder.resolve("a.json"), "of an older test");
        RunParameters parameters = RunParameters.parse(Tool.WRITE_LATENCY, "localhost", "--out_json_file=" + json);

        // Without a limit, not even an unknown one, the report cannot be created.
        assertThatThrownBy(() -> ReportFiles.write(
                        Results.outcome(Results.info(parameters), List.of(Results.latency(2, 100))), null))
                .isInstanceOf(NullPointerException.class);
        assertThat(json).hasContent("of an older test");
    }
}
