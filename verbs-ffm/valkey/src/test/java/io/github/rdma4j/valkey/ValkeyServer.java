// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process of the server that scripts/lib/valkey-server has built, on RDMA and TCP. */
final class ValkeyServer implements AutoCloseable {
    private static final String FOLDER = "RDMA4J_VALKEY";
    private static final int PATIENCE_SECONDS = 120;

    private final Process process;
    private final List<String> log = new ArrayList<>();
    private final CountDownLatch ready = new CountDownLatch(1);

    private ValkeyServer(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon().start(this::readLog);
    }

    /** Starts a server on one port of both transports, and waits until it accepts clients. */
    static ValkeyServer start(InetAddress address, int port, String... options) throws Exception {
        String folder = System.getProperty("rdma4j.valkey", System.getenv(FOLDER));
        if (folder == null) {
            throw new AssertionError(FOLDER
                    + " is not set: set it to what scripts/lib/valkey-server prints (scripts/lib/device-tests does)");
        }
        String host = address.getHostAddress();
        List<String> command = new ArrayList<>(List.of(
                Path.of(folder, "valkey-server").toString(),
                "--bind",
                host,
                "--port",
                Integer.toString(port),
                "--rdma-bind",
                host,
                "--rdma-port",
                Integer.toString(port),
                "--protected-mode",
                "no",
                "--save",
                "",
                "--enable-debug-command",
                "yes",
                "--loglevel",
                "verbose"));
        command.addAll(List.of(options));
        ValkeyServer server = new ValkeyServer(
                new ProcessBuilder(command).redirectErrorStream(true).start());
        if (!server.ready.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            server.close();
            throw new AssertionError("the server does not start:\n" + server.log());
        }
        return server;
    }

    private void readLog() {
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                synchronized (log) {
                    log.add(line);
                }
                if (line.contains("Ready to accept connections rdma")) {
                    ready.countDown();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What the server has printed. */
    String log() {
        synchronized (log) {
            return String.join("\n", log);
        }
    }

    /** Kills it, as a crash would. */
    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }
}
