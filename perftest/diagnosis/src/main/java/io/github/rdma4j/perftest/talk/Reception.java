// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.function.Function;

/** Waits for one peer to serve, and rejects all others. */
public final class Reception {
    private Reception() {}

    /**
     * Accepts connections until one is served.
     *
     * @param protocol the protocol
     * @param socket listens; it is closed before the peer is served, so that another one is refused at once
     * @param limits the timeouts
     * @param greet returns the conversation with a connected peer; empty to refuse it
     * @throws SocketTimeoutException if no valid peer has connected in time
     * @throws IOException if connections cannot be accepted any more
     */
    public static void serveOne(
            Protocol protocol, ServerSocket socket, Limits limits, Function<Line, Optional<Runnable>> greet)
            throws IOException {
        while (true) {
            long left = limits.left().toMillis();
            if (left == 0) {
                throw new SocketTimeoutException();
            }
            socket.setSoTimeout(Math.clamp(left, 1, Integer.MAX_VALUE));
            try (Line line = new Line(protocol, socket.accept())) {
                Optional<Runnable> conversation = greet.apply(line);
                if (conversation.isPresent()) {
                    socket.close();
                    conversation.get().run();
                    return;
                }
            }
        }
    }
}
