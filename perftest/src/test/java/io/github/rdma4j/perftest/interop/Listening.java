// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.interop;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Whether a server is ready, asked without connecting: a tool takes one connection only. */
final class Listening {
    private Listening() {}

    /** A port that nobody uses. */
    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    /** Whether somebody listens on a TCP port, or, when asked so, on that port of rdma_cm. */
    static boolean on(int port, boolean rdmaCm) throws IOException, InterruptedException {
        return rdmaCm ? onRdmaCm(port) : onTcp(port);
    }

    private static boolean onTcp(int port) throws IOException {
        String local = String.format(":%04X ", port);
        for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            if (Files.exists(Path.of(table))
                    && Files.readAllLines(Path.of(table)).stream()
                            .anyMatch(line -> line.contains(local) && line.contains(":0000 0A "))) {
                return true;
            }
        }
        return false;
    }

    private static boolean onRdmaCm(int port) throws IOException, InterruptedException {
        Process rdma = new ProcessBuilder("rdma", "resource", "show", "cm_id")
                .redirectErrorStream(true)
                .start();
        String text = new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (rdma.waitFor() != 0) {
            throw new AssertionError("rdma resource show cm_id: " + text);
        }
        return text.lines().anyMatch(line -> line.contains(" state LISTEN ") && line.contains(":" + port + " "));
    }
}
