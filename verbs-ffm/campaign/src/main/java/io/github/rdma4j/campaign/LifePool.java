// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

/** Machine 2's side of {@link Lives}: starts each process in advance, sends it its seed, and reports what it left. */
final class LifePool {
    /** The answer is {@link System#nanoTime}. */
    static final String TIME = "time";

    private final Path folder;
    /** The kernel's own objects. */
    private final Map<String, Integer> before = kernel();

    private long lives;

    /** A process that waits for its seed. */
    private record Ready(Process process, Path file, BufferedReader output) {}

    private LifePool(Path folder) {
        this.folder = folder;
    }

    /** @param port gets the port for the orders, lines of {@link #TIME}, or of a seed and the servers' ports */
    static EndReport run(InetAddress address, IntConsumer port) throws IOException, InterruptedException {
        Leftovers.openJars();
        LifePool pool = new LifePool(Files.createTempDirectory("lives"));
        try (ServerSocket server = new ServerSocket(0, 1, address)) {
            port.accept(server.getLocalPort());
            try (Socket socket = server.accept()) {
                BufferedReader orders = new BufferedReader(new InputStreamReader(socket.getInputStream()));
                PrintStream answers = new PrintStream(socket.getOutputStream(), true);
                Ready next = pool.start();
                for (String line = orders.readLine(); line != null; line = orders.readLine()) {
                    if (line.equals(TIME)) {
                        answers.println(System.nanoTime());
                    } else {
                        answers.println(pool.live(next, line));
                        next = pool.start();
                    }
                }
                next.process().destroyForcibly();
            }
        }
        return new EndReport("machine 2", pool.lives, 0, 0, true, "", 0, "", "", List.of());
    }

    private Ready start() throws IOException {
        Path file = folder.resolve(Long.toString(lives));
        List<String> command =
                new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow()));
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Life.class.getName(), file.toString()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader();
        String line = output.readLine();
        if (!Life.READY.equals(line)) {
            throw new IOException("a process said " + line);
        }
        return new Ready(process, file, output);
    }

    /** {@return the time of its death, its exit status, its output, its remaining kernel objects, and its ledgers} */
    private String live(Ready one, String order) throws IOException, InterruptedException {
        try (BufferedReader output = one.output();
                PrintStream orders = new PrintStream(one.process().getOutputStream(), true)) {
            orders.println(order);
            String said = output.lines().collect(Collectors.joining("; "));
            int status = one.process().waitFor();
            lives++;
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment memory = Ledger.file(one.file(), Life.CONNECTIONS, arena);
                List<String> words = new ArrayList<>();
                words.add(Long.toString(Ledger.word(memory)));
                words.add(Integer.toString(status));
                words.add(said.replaceAll("\\s+", " "));
                Map<String, Integer> left = Leftovers.since(before, LifePool::kernel);
                words.add(left.isEmpty() ? "" : left.toString());
                for (int n = 0; n < Life.CONNECTIONS; n++) {
                    words.add(Ledger.in(memory, n, phase -> {}).page().words());
                }
                return String.join("\t", words);
            } finally {
                Files.delete(one.file());
            }
        }
    }

    /** {@return the RDMA objects of this machine, on which no other program has any} */
    private static Map<String, Integer> kernel() {
        return Leftovers.objects(Shell.run("rdma resource", 0));
    }
}
