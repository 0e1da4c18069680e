// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import io.github.rdma4j.perftest.command.ToolCommand;
import io.github.rdma4j.perftest.environment.Terminal;
import io.github.rdma4j.perftest.options.Tool;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Runs the start of a tool in a JVM that records the loaded classes. The record becomes the cache with which
 * scripts/rdma4j starts the tools faster. Prints nothing, and ignores its failures.
 *
 * <p>With an RDMA device, the server and the client of a short test run against each other on the first device. Without
 * a device, it runs the parts that need none, and loads the classes of the other parts.
 */
public final class StartTraining {
    private static final int PATIENCE_SECONDS = 5;
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    private StartTraining() {}

    /** Runs the training and ends the JVM with status 0. */
    public static void main(String[] arguments) throws Exception {
        run();
        System.exit(0);
    }

    static void run() throws IOException, InterruptedException {
        for (Tool tool : List.of(Tool.WRITE_LATENCY, Tool.WRITE_BANDWIDTH)) {
            int port = freePort();
            String common = " -n 5 --no-warm-up --timeout " + PATIENCE_SECONDS + " -p " + port;
            Thread server = Thread.ofPlatform().daemon().start(() -> run(tool.command() + common));
            // Wait, because the server would refuse a client before it listens. If it still does, half of the training
            // is lost, which is acceptable.
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
