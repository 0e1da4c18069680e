// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.IOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Listens for a TCP connection. */
final class TcpControlServer implements ControlServer {
    /** Strangers must not keep a client out. */
    private static final int BACKLOG = 16;

    /** The interval of reading from the connections. */
    private static final int POLL_MILLIS = 20;

    private final ServerSocket socket;

    private TcpControlServer(ServerSocket socket) {
        this.socket = socket;
    }

    static ControlServer listen(MeetingPoint where) {
        try {
            ServerSocket socket = new ServerSocket();
            try {
                socket.setReuseAddress(true);
                socket.bind(where.listeningAddress(), BACKLOG);
                return new TcpControlServer(socket);
            } catch (IOException failure) {
                socket.close();
                throw failure;
            }
        } catch (BindException failure) {
            throw new HandshakeException(
                    "cannot listen on TCP port " + where.port() + ": " + failure.getMessage(),
                    LocalAddress.remedy(
                            where, LocalAddress.errno(failure.getMessage()), "ss -ltnp 'sport = " + where.port() + "'"),
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
            throw ControlServer.noClient(port(), limit, failure);
        } catch (IOException failure) {
            throw new HandshakeException("waiting for a client failed: " + failure.getMessage(), "", failure);
        }
    }

    @Override
    public ControlChannel acceptClient(Duration limit, Duration timeout, Consumer<String> strangers) {
        long begin = System.nanoTime();
        List<PendingClient> newcomers = new ArrayList<>();
        try {
            while (true) {
                accept(newcomers);
                for (PendingClient newcomer : List.copyOf(newcomers)) {
                    PendingClient.Nature nature = newcomer.classify();
                    if (nature == PendingClient.Nature.CLIENT) {
                        newcomers.remove(newcomer);
                        close();
                        return newcomer.channel(timeout);
                    }
                    if (nature == PendingClient.Nature.STRANGER || newcomer.isOlderThan(timeout)) {
                        newcomers.remove(newcomer);
                        strangers.accept(newcomer.describe());
                        newcomer.close();
                    }
                }
                if (!limit.isZero() && System.nanoTime() - begin > limit.toNanos()) {
                    throw ControlServer.noClient(port(), limit, null);
                }
            }
        } catch (IOException failure) {
            throw new HandshakeException("waiting for a client failed: " + failure.getMessage(), "", failure);
        } finally {
            newcomers.forEach(PendingClient::close);
        }
    }

    private void accept(List<PendingClient> newcomers) throws IOException {
        try {
            socket.setSoTimeout(POLL_MILLIS);
            newcomers.add(new PendingClient(socket.accept()));
        } catch (SocketTimeoutException _) {
            // Read from the existing connections.
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
