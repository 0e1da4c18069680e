// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** A server that takes one client and does with it what the test says, on a thread of its own. */
public final class FakePeer implements AutoCloseable {
    /** What the peer does. */
    public interface Script {
        /** Runs to the peer's end; the connection is closed behind it. */
        void play(Socket client) throws IOException, InterruptedException;
    }

    private final ServerSocket listening;
    private final Thread thread;

    /** Begins to listen. */
    public FakePeer(Script script) throws IOException {
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        thread = Thread.ofVirtual().start(() -> {
            try (Socket client = listening.accept()) {
                script.play(client);
            } catch (IOException | InterruptedException _) {
                // The test is over.
            }
        });
    }

    /** Where it listens. */
    public int port() {
        return listening.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        thread.interrupt();
    }
}
