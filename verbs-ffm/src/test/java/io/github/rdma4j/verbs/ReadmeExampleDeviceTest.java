// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's program, run as its reader would: two processes, one writes into the other's memory. */
@Tag("device")
class ReadmeExampleDeviceTest {

    @Test
    void oneProcessWritesIntoTheMemoryOfAnother(@TempDir Path classes) throws Exception {
        assertThat(ReadmeExample.compileInto(classes)).isTrue();
        String device = Device.list().getFirst().name();
        Process target = start(classes, device);
        Process writer = null;
        try {
            awaitListener(target);
            writer = start(classes, device, "127.0.0.1");
            assertThat(output(writer)).contains("success");
            assertThat(output(target)).isEqualTo("written by the other process\n");
        } finally {
            if (writer != null) {
                writer.destroyForcibly();
            }
            target.destroyForcibly();
        }
    }

    private static Process start(Path classes, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes + File.pathSeparator + System.getProperty("java.class.path"),
                ReadmeExample.MAIN_CLASS));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Waits until the kernel shows a listener (state 0A) on the port; connecting to find out would be taken for the writer. */
    private static void awaitListener(Process target) throws Exception {
        String listener = ".*:%04X [0-9A-F]+:0000 0A .*".formatted(ReadmeExample.PORT);
        long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (System.nanoTime() < deadline && target.isAlive()) {
            for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
                if (Files.readAllLines(Path.of(table)).stream().anyMatch(line -> line.matches(listener))) {
                    return;
                }
            }
            Thread.sleep(50);
        }
        throw new AssertionError("the target does not listen");
    }

    private static String output(Process process) throws Exception {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
