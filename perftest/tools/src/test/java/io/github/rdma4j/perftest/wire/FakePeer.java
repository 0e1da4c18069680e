// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;

/**
 * A server that accepts one client and runs a test's script with it, in its own thread. An assertion or a broken
 * connection in the script fails the test when the peer is closed, unless the close itself has caused it.
 */
public final class FakePeer implements AutoCloseable {
    /** Bounds a hang. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The steps of the peer. */
    public interface Script {
        /** Runs to the peer's end; the connection is closed behind it. */
        void play(Socket client) throws IOException, InterruptedException;
    }

    private final ServerSocket listening;
    private final Thread thread;
    private volatile boolean closing;
    private volatile Throwable failure;

    /** Begins to listen. */
    public FakePeer(Script script) throws IOException {
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        thread = Thread.ofVirtual().start(() -> {
            try (Socket client = listening.accept()) {
                script.play(client);
            } catch (InterruptedException | SocketException end) {
                failure = closing ? null : end;
            } catch (Throwable broken) {
                failure = broken;
            }
        });
    }

    /** Where it listens. */
    public int port() {
        return listening.getLocalPort();
    }

    /** Waits until the script has ended. */
    public void finish() {
        try {
            if (!thread.join(LIMIT)) {
                throw new AssertionError("the peer's script has not ended within " + LIMIT);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError("the test was interrupted", interrupted);
        }
        if (failure != null) {
            throw new AssertionError("the peer's script failed", failure);
        }
    }

    @Override
    public void close() throws IOException {
        closing = true;
        listening.close();
        thread.interrupt();
        finish();
    }
}
