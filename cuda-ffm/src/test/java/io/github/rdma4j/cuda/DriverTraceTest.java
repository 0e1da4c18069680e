// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A program on the stand-in, with the trace of the driver's calls. */
class DriverTraceTest {
    static final class Program {
        public static void main(String[] arguments) {
            try (CudaContext context = Cuda.device(0).createContext()) {
                context.allocate(4096).fill(0, 4096, (byte) 7);
                assertThatThrownBy(() -> context.allocate(8192)).isInstanceOf(OutOfDeviceMemoryException.class);
            }
            System.out.println("done");
        }
    }

    private static String run(String trace) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        StandInDriver.jvmOption(),
                        "-Dio.github.rdma4j.cuda.trace=" + trace,
                        "-cp",
                        System.getProperty("java.class.path"),
                        Program.class.getName())
                .redirectErrorStream(true);
        builder.environment().put("RDMA4J_STANDIN", "fail=cuMemAlloc:2:2");
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }

    @Test
    void traceHasEveryCallWithItsResult(@TempDir Path folder) throws Exception {
        assertThat(run(folder + "/trace.%p")).isEqualTo("done\n");
        List<String> lines;
        try (var files = Files.list(folder)) {
            lines = Files.readAllLines(files.findFirst().orElseThrow());
        }
        assertThat(lines.getFirst()).matches("# .* process \\d+: native calls of rdma4j");
        assertThat(lines.subList(1, lines.size()))
                .allMatch(line -> line.matches("[0-9:.]{15} \\[main] cu\\w+\\(.*\\) = .+ <\\d+\\.\\d{9}>"));
        String text = String.join("\n", lines);
        assertThat(text)
                .containsPattern("cuInit\\(0\\) = 0 <"
                        + "(?s:.*)cuMemAlloc\\(0x\\w+, 4096\\) = 0 <"
                        + "(?s:.*)cuMemsetD8\\w*\\(0x\\w+, 7, 4096.*\\) = 0 <"
                        + "(?s:.*)cuMemAlloc\\(0x\\w+, 8192\\) = 2 CUDA_ERROR_OUT_OF_MEMORY <"
                        + "(?s:.*)cuMemFree\\(0x\\w+\\) = 0 <"
                        + "(?s:.*)cuCtxDestroy\\(0x\\w+\\) = 0 <");
    }

    @Test
    void withoutAFileTheLinesGoToStderrAndOffThereAreNone() throws Exception {
        assertThat(run("true")).contains("] cuInit(0) = 0 <");
        assertThat(run("false")).isEqualTo("done\n");
    }
}
