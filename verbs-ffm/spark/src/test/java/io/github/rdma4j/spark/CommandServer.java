// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * Runs commands for {@link SparkCluster}, in this JVM or in another machine: {@code java CommandServer ADDRESS}. A
 * connection sends a line with the words of a command between tabs, and gets the output. Its end ends the process and
 * the process's children.
 */
final class CommandServer implements AutoCloseable {
    static final int PORT = 7099;

    /** Kills a child of a process. The answer is {@link #KILLED}, and whether it was killed. */
    static final String KILL = "kill a child";

    static final String KILLED = "killed: ";

    /** Ends the server. */
    static final String EXIT = "exit";

    private final ServerSocket server;
    private final Queue<Process> processes = new ConcurrentLinkedQueue<>();

    CommandServer(String address) throws IOException {
        server = new ServerSocket(PORT, 50, InetAddress.getByName(address));
        Thread.ofPlatform().daemon().start(this::accept);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        new CommandServer(arguments[0]);
        Thread.currentThread().join();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                Thread.ofPlatform().daemon().start(() -> run(client));
            } catch (IOException e) {
                if (!server.isClosed()) {
                    throw new UncheckedIOException(e);
                }
            }
        }
    }

    private void run(Socket client) {
        try (client;
                BufferedReader words = new BufferedReader(new InputStreamReader(client.getInputStream()))) {
            String command = words.readLine();
            switch (command) {
                case EXIT -> System.exit(0);
                case KILL -> {
                    ProcessHandle child = processes.stream()
                            .flatMap(Process::children)
                            .findFirst()
                            .orElseThrow();
                    String killed = KILLED + child.destroyForcibly() + " " + child.pid() + "\n";
                    client.getOutputStream().write(killed.getBytes());
                }
                default -> run(List.of(command.split("\t")), client, words);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(List<String> words, Socket client, BufferedReader end) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("SPARK_"));
        Process process = builder.start();
        processes.add(process);
        Thread.ofPlatform().daemon().start(() -> {
            try {
                process.getInputStream().transferTo(client.getOutputStream());
                client.shutdownInput();
            } catch (IOException e) {
                // The test has ended.
            }
        });
        end.readLine();
        List<ProcessHandle> all = Stream.concat(process.descendants(), Stream.of(process.toHandle()))
                .toList();
        all.forEach(ProcessHandle::destroyForcibly);
        all.forEach(one -> one.onExit().join());
        processes.remove(process);
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
