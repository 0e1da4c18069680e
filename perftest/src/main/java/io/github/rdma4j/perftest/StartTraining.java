// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Does what a tool does from its start on, for a JVM that records which classes that takes: its record becomes the
 * cache with which scripts/rdma4j starts the tools faster. Prints nothing, and its failures do not matter.
 *
 * <p>With an RDMA device, server and client of a short test run against each other on the first one. Without, what can
 * be done without is done, and the classes that would have been used are loaded.
 */
public final class StartTraining {
    private static final int PATIENCE_SECONDS = 5;
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    private StartTraining() {}

    /** Runs it and ends the JVM with status 0. */
    public static void main(String[] arguments) throws Exception {
        run();
        System.exit(0);
    }

    static void run() throws IOException, InterruptedException {
        for (Tool tool : List.of(Tool.WRITE_LATENCY, Tool.WRITE_BANDWIDTH)) {
            int port = freePort();
            String common = " -n 5 --no-warm-up --timeout " + PATIENCE_SECONDS + " -p " + port;
            Thread server = Thread.ofPlatform().daemon().start(() -> run(tool.command() + common));
            // Before it listens, the client would be refused; a training that misses half of it is one all the same.
            server.join(500);
            run(tool.command() + common + " 127.0.0.1");
            server.join(2000);
        }
        StandardOutput.status(ToolCommand.OK, NOWHERE, OutputStream.nullOutputStream(), Terminal.isPipe(), NOWHERE);
    }

    private static int run(String command) {
        return Main.run(List.of(command.split(" ")), NOWHERE, NOWHERE);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
