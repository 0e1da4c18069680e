// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** Listens for a TCP connection. */
final class TcpControlServer implements ControlServer {
    private final ServerSocket socket;

    private TcpControlServer(ServerSocket socket) {
        this.socket = socket;
    }

    static ControlServer listen(MeetingPoint where) {
        try {
            ServerSocket socket = new ServerSocket();
            try {
                socket.setReuseAddress(true);
                socket.bind(where.listeningAddress(), 1);
                return new TcpControlServer(socket);
            } catch (IOException failure) {
                socket.close();
                throw failure;
            }
        } catch (BindException failure) {
            throw new HandshakeException(
                    "cannot listen on TCP port " + where.port() + ": " + failure.getMessage(),
                    "another program listens there (ss -ltnp 'sport = " + where.port()
                            + "'): end it, or give another port with -p",
                    failure);
        } catch (IOException failure) {
            throw new HandshakeException(
                    "cannot listen on TCP port " + where.port() + ": " + failure.getMessage(), "", failure);
        }
    }

    @Override
    public int port() {
        return socket.getLocalPort();
    }

    @Override
    public ControlChannel accept(Duration limit, Duration timeout) {
        try {
            socket.setSoTimeout(ControlChannel.milliseconds(limit));
            Socket client = socket.accept();
            close();
            return new TcpControlChannel(client, true, timeout);
        } catch (SocketTimeoutException failure) {
            throw ControlServer.nobodyCame(port(), limit, failure);
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
