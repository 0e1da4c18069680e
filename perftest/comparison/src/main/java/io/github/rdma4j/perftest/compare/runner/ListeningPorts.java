// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.runner;

import io.github.rdma4j.perftest.exit.CompareException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The TCP ports of this machine. A server that accepts only one client cannot be probed with a connection, so this
 * class queries the kernel.
 */
public final class ListeningPorts {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));
    private static final int LOCAL_ADDRESS = 1;
    private static final int STATE = 3;
    private static final String LISTENING = "0A";

    private ListeningPorts() {}

    /** Returns whether a program listens on the port. */
    static boolean contains(int port) {
        for (Path table : TABLES) {
            try (Stream<String> lines = Files.lines(table)) {
                if (listens(lines, port)) {
                    return true;
                }
            } catch (IOException _) {
                // A kernel without IPv6 has only one of the tables.
            }
        }
        return false;
    }

    static boolean listens(Stream<String> lines, int port) {
        String suffix = String.format(Locale.ROOT, ":%04X", port);
        return lines.map(line -> line.strip().split("\\s+"))
                .anyMatch(words -> words.length > STATE
                        && words[STATE].equals(LISTENING)
                        && words[LOCAL_ADDRESS].endsWith(suffix));
    }

    /** Returns a port that is free now. */
    public static int free() {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(0));
            return socket.getLocalPort();
        } catch (IOException failure) {
            throw new CompareException("no free TCP port was found: " + failure.getMessage(), "give one with -p");
        }
    }
}
