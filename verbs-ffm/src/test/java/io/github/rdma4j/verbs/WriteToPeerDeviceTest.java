// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The example with queue pairs by hand, run as its reader would: two processes, one writes into the memory of the
 * other.
 */
@Tag("device")
@Tag("checkout")
class WriteToPeerDeviceTest {
    private static final String NAME = "WriteToPeer";
    /** The TCP port that the program uses. */
    private static final int PORT = 7471;

    @Test
    void oneProcessWritesIntoTheMemoryOfAnother() throws Exception {
        String device = TestDevice.name();
        try (ExamplePrograms programs = new ExamplePrograms()) {
            Process target = programs.start(NAME, device);
            awaitListener(target);
            assertThat(ExamplePrograms.output(programs.start(NAME, device, "127.0.0.1")))
                    .contains("success");
            assertThat(ExamplePrograms.output(target)).isEqualTo("written by the other process\n");
        }
    }

    /**
     * Waits until the kernel shows a listener (state 0A) on the port; connecting to find out would be taken for the
     * writer.
     */
    private static void awaitListener(Process target) throws Exception {
        String listener = ".*:%04X [0-9A-F]+:0000 0A .*".formatted(PORT);
        long deadline = System.nanoTime() + Duration.ofSeconds(180).toNanos();
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
}
