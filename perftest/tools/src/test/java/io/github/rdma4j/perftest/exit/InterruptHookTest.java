// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** In a JVM of its own, which ends. */
@Timeout(300)
class InterruptHookTest {
    /** Asks before the end and within it. */
    static final class Ending {
        private Ending() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                System.out.println("ending " + InterruptHook.isJvmEnding() + " " + InterruptHook.isDueToSignal());
                try (InterruptHook _ = new InterruptHook(() -> System.out.println("too late"))) {
                    System.out.println("opened");
                }
            }));
            try (InterruptHook _ = new InterruptHook(() -> System.out.println("forgotten"))) {
                System.out.println("before " + InterruptHook.isJvmEnding() + " " + InterruptHook.isDueToSignal());
            }
            new InterruptHook(() -> System.out.println("interrupted"));
            System.exit(3);
        }
    }

    @Test
    void signalIsNotifiedWhileOpenAndCanBeQueried() throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Ending.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isEqualTo(3);
        assertThat(output.lines())
                .containsExactlyInAnyOrder("before false false", "interrupted", "ending true true", "opened");
    }
}
