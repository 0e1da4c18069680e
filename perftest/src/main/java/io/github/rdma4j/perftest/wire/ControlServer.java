// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** The server's listening socket: takes one client, as the C tools do. */
public final class ControlServer implements AutoCloseable {
    private final ServerSocket socket;

    private ControlServer(ServerSocket socket) {
        this.socket = socket;
    }

    /**
     * Listens on all interfaces.
     *
     * @param port TCP port; 0 takes a free one
     * @throws HandshakeException when the port is taken
     */
    public static ControlServer listen(int port) {
        try {
            ServerSocket socket = new ServerSocket();
            try {
                socket.setReuseAddress(true);
                socket.bind(new InetSocketAddress(port), 1);
                return new ControlServer(socket);
            } catch (IOException failure) {
                socket.close();
                throw failure;
            }
        } catch (BindException failure) {
            throw new HandshakeException(
                    "cannot listen on TCP port " + port + ": " + failure.getMessage(),
                    "another program listens there (ss -ltnp 'sport = " + port
                            + "'): end it, or give another port with -p",
                    failure);
        } catch (IOException failure) {
            throw new HandshakeException(
                    "cannot listen on TCP port " + port + ": " + failure.getMessage(), "", failure);
        }
    }

    /** The port listened on. */
    public int port() {
        return socket.getLocalPort();
    }

    /**
     * Waits for the client and stops listening.
     *
     * @param limit the longest wait for a client; zero for none
     * @param timeout limit of every later wait on the channel
     */
    public ControlChannel accept(Duration limit, Duration timeout) {
        try {
            socket.setSoTimeout(ControlChannel.milliseconds(limit));
            Socket client = socket.accept();
            close();
            return new ControlChannel(client, true, timeout);
        } catch (SocketTimeoutException failure) {
            throw new HandshakeException(
                    "no client connected to port " + port() + " within " + ControlChannel.text(limit) + " (--timeout)",
                    "start the client with this host's name or address and the same -p",
                    failure);
        } catch (IOException failure) {
            throw new HandshakeException("waiting for a client failed: " + failure.getMessage(), "", failure);
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing was in flight.
        }
    }
}
