// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;

/** Machine 1's side of the orders for {@link Agent}. */
final class Remote {
    private static final int ANSWER_MILLIS = 60_000;

    private final InetSocketAddress agent;
    private final String secret;

    Remote(InetSocketAddress agent, String secret) {
        this.agent = agent;
        this.secret = secret;
    }

    int start(Peer.Orders orders) throws IOException {
        return Integer.parseInt(order("start\t" + String.join("\t", orders.words())));
    }

    /** @param delayMillis from now to the first of the steps */
    void schedule(List<Step> steps, long delayMillis) {
        StringBuilder order = new StringBuilder("steps\t" + delayMillis + "\t" + steps.size());
        steps.forEach(step -> order.append('\n').append(step.line()));
        try {
            order(order.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void shell(String command) throws IOException {
        order("shell\t" + command);
    }

    /** {@return the exit status of the peer's process, a tab and its report; or the error} */
    String report(long millis) throws IOException {
        return order("report\t" + millis, millis);
    }

    void end() throws IOException {
        order("end");
    }

    private String order(String text) throws IOException {
        return order(text, 0);
    }

    /** @param millis how long the response may take */
    private String order(String text, long millis) throws IOException {
        long until = System.nanoTime() + ANSWER_MILLIS * 1_000_000L;
        while (true) {
            try (Socket socket = new Socket()) {
                socket.connect(agent, 2_000);
                socket.setSoTimeout(ANSWER_MILLIS + (int) millis);
                new PrintStream(socket.getOutputStream(), true).println(secret + "\t" + text);
                String answer = new BufferedReader(new InputStreamReader(socket.getInputStream())).readLine();
                if (answer == null) {
                    throw new IllegalStateException("machine 2 did not answer: " + text);
                }
                return answer;
            } catch (SocketException | SocketTimeoutException e) {
                if (System.nanoTime() > until) { // it starts, or the wire is being restored
                    throw e;
                }
                pause();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(50);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
