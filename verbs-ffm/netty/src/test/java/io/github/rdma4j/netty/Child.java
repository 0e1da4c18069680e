// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A program in a JVM of its own, which prints what it sees and does what it reads: what it breaks is its own. */
final class Child implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    private final Process process;
    private final BlockingQueue<String> coming = new LinkedBlockingQueue<>();
    private final List<String> all = new ArrayList<>();

    /**
     * Starts it with the class path of this JVM.
     *
     * @param main with a {@code main} method
     * @param environment what stands before the command, as env(1) has it
     */
    Child(Class<?> main, String... environment) throws IOException {
        List<String> command = new ArrayList<>(List.of("env"));
        command.addAll(List.of(environment));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread.ofVirtual().start(() -> {
            try (BufferedReader lines = process.inputReader()) {
                lines.lines().forEach(coming::add);
            } catch (IOException e) {
                coming.add(e.toString());
            }
        });
    }

    /** Has it do something. */
    void write(String word) throws IOException {
        OutputStream input = process.getOutputStream();
        input.write((word + "\n").getBytes(StandardCharsets.UTF_8));
        input.flush();
    }

    /** The rest of the next line that begins so; others are kept for {@link #lines}. */
    String await(String begin) throws InterruptedException {
        while (true) {
            String line = coming.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(line).as("%s in: %s", begin, all).isNotNull();
            all.add(line);
            if (line.startsWith(begin)) {
                return line.substring(begin.length());
            }
        }
    }

    /** The lines that it has printed, as far as they were waited for. */
    List<String> lines() {
        return all;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
