// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Carries out orders on machine 2: starts the peer's process, applies faults at their time, fetches the report. Each
 * order has a separate TCP connection: after a long cut of the wire, a connection that was open would wait as long
 * again. An order may be any command, so each begins with a secret; without it, there is no answer.
 */
final class Agent implements AutoCloseable {
    static final int PORT = 7_001;
    /** A program that connects and sends nothing blocks other orders for at most this time. */
    private static final int SILENCE_MILLIS = 30_000;

    private final String secret;
    private final ServerSocket server;
    private final List<String> javaCommand;
    private final Shell shell = new Shell();
    private Process peer;
    private BufferedReader output;

    /** @param secret the first word of each order */
    Agent(InetSocketAddress address, String secret) throws IOException {
        this.secret = secret;
        server = new ServerSocket(address.getPort(), 10, address.getAddress());
        ProcessHandle.Info self = ProcessHandle.current().info();
        javaCommand = new ArrayList<>(List.of(self.command().orElseThrow()));
        javaCommand.addAll(
                java.lang.management.ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    InetSocketAddress address() {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** Returns after the final order. */
    void serve() {
        boolean more = true;
        while (more) {
            try (Socket socket = server.accept()) {
                socket.setSoTimeout(SILENCE_MILLIS);
                more = answer(
                        new BufferedReader(new InputStreamReader(socket.getInputStream())),
                        new PrintStream(socket.getOutputStream(), true));
            } catch (IOException e) {
                System.err.println("an order broke: " + e);
            }
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        endPeer();
        shell.close();
    }

    /** {@return whether more orders will follow} */
    private boolean answer(BufferedReader in, PrintStream out) throws IOException {
        String line = in.readLine();
        if (line == null || !line.startsWith(secret + "\t")) {
            System.err.println("an order without the secret is ignored");
            return true;
        }
        String[] words = line.substring(secret.length() + 1).split("\t", -1);
        switch (words[0]) {
            case "start" -> out.println(startPeer(List.of(words).subList(1, words.length)));
            case "steps" -> {
                List<Step> steps = new ArrayList<>();
                for (int n = Integer.parseInt(words[2]); n > 0; n--) {
                    String[] step = in.readLine().split("\t", 2);
                    steps.add(new Step(Long.parseLong(step[0]), Step.Place.THERE, step[1]));
                }
                shell.schedule(steps, Long.parseLong(words[1]), peer.pid());
                out.println("scheduled");
            }
            case "shell" -> out.println("done " + Shell.run(words[1], 0));
            case "report" -> out.println(report(Long.parseLong(words[1])));
            default -> {
                out.println("bye");
                return false;
            }
        }
        return true;
    }

    private String startPeer(List<String> orders) throws IOException {
        endPeer();
        List<String> command = new ArrayList<>(javaCommand);
        if (orders.getFirst().equals(Load.SOAK.name())) {
            command.addAll(SoakSamples.FLAGS);
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Peer.class.getName()));
        command.addAll(orders);
        peer = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        output = peer.inputReader();
        return String.valueOf(output.readLine());
    }

    /** {@return the peer's report} */
    private String report(long millis) throws IOException {
        try {
            if (!peer.waitFor(millis, TimeUnit.MILLISECONDS)) {
                return "the peer's process has not ended within " + millis + " ms";
            }
            return peer.exitValue() + "\t" + output.readLine();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void endPeer() {
        if (peer != null) {
            peer.destroyForcibly();
        }
    }
}
