// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.engine.Link;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A TCP connection. As an event source it is readable when something has come. */
public final class TcpLink implements Link, EventSource {
    private final StreamSocket socket;
    private final InetSocketAddress local;
    private final InetSocketAddress peer;
    private String lost;
    private boolean lostByTheWire;

    /** Of a socket that is connected. */
    public TcpLink(StreamSocket socket) {
        this.socket = socket;
        this.local = socket.localAddress();
        this.peer = socket.peerAddress();
    }

    /**
     * Loses the connection, with an error of the kernel's.
     *
     * @param byTheWire whether the peer had no part in it
     */
    void lose(String reason, boolean byTheWire) {
        lostByTheWire |= lost == null && byTheWire;
        lose(reason);
    }

    boolean isLostByTheWire() {
        return lostByTheWire;
    }

    public StreamSocket socket() {
        return socket;
    }

    /** The connection has ended; the first reason counts. */
    void lose(String reason) {
        if (lost == null) {
            lost = reason;
        }
    }

    @Override
    public Optional<String> lost() {
        return Optional.ofNullable(lost);
    }

    @Override
    public Optional<InetSocketAddress> localAddress() {
        return Optional.ofNullable(local);
    }

    @Override
    public Optional<InetSocketAddress> peerAddress() {
        return Optional.ofNullable(peer);
    }

    @Override
    public int fileDescriptor() {
        return socket.fileDescriptor();
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public void close() {
        socket.close();
    }

    @Override
    public void free() {}

    @Override
    public String toString() {
        return "TCP %s to %s".formatted(local, peer);
    }
}
