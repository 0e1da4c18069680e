// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.util.Optional;
import java.util.function.Function;

/** Waits for the one other end that is served, and sends away whoever else connects. */
public final class Reception {
    private Reception() {}

    /**
     * Accepts connections until one is served.
     *
     * @param protocol that is spoken
     * @param socket listens; closed before the one is served, so that who else comes sees at once that nobody is there
     * @param limits of the wait
     * @param greet the conversation with who has connected; empty if he is sent away
     * @throws SocketTimeoutException if nobody to be served has come in time
     * @throws IOException if nobody can be accepted any more
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
