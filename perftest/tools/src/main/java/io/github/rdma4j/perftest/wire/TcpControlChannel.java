// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import io.github.rdma4j.perftest.exit.ConnectFailure;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.time.Duration;
import jdk.net.ExtendedSocketOptions;

/**
 * The conversation over TCP. The C tools read each message with one {@code read()} that must return the whole message,
 * so every message is sent in one write on a socket without Nagle's delay.
 */
final class TcpControlChannel extends ControlChannel {
    /** A host that vanishes without closing the connection is noticed after 10 + 3 × 5 seconds. */
    private static final int KEEP_ALIVE_IDLE_SECONDS = 10;

    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 5;
    private static final int KEEP_ALIVE_PROBES = 3;

    /** The longest wait for data that is still in flight from the peer. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(100);

    private final Socket socket;
    private final PushbackInputStream in;
    private final OutputStream out;

    TcpControlChannel(Socket socket, boolean server, Duration timeout) throws IOException {
        this(socket, server, timeout, new byte[0]);
    }

    /**
     * Continues a conversation that has begun.
     *
     * @param alreadyRead the bytes that were read before
     */
    TcpControlChannel(Socket socket, boolean server, Duration timeout, byte[] alreadyRead) throws IOException {
        super(server, timeout);
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_INTERVAL_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
        }
        this.in = new PushbackInputStream(socket.getInputStream(), alreadyRead.length + 1);
        in.unread(alreadyRead);
        this.out = socket.getOutputStream();
    }

    /** Tries the server's addresses one after the other. */
    static ControlChannel open(MeetingPoint where, Duration timeout) {
        IOException reported = null;
        for (InetAddress address : where.addresses()) {
            Socket socket = new Socket();
            try {
                if (where.source() != null) {
                    bind(socket, where, address);
                }
                socket.connect(new InetSocketAddress(address, where.port()), milliseconds(timeout));
                return new TcpControlChannel(socket, false, timeout);
            } catch (IOException failure) {
                closeQuietly(socket);
                reported = ConnectFailure.ofHost(reported, failure);
            } catch (HandshakeException failure) {
                closeQuietly(socket);
                throw failure;
            }
        }
        throw unreachable(where, timeout, reported);
    }

    private static void bind(Socket socket, MeetingPoint where, InetAddress destination) throws IOException {
        InetSocketAddress source = where.source(destination);
        try {
            socket.bind(source);
        } catch (BindException failure) {
            throw new HandshakeException(
                    "cannot connect from " + where.sourceName() + ": " + failure.getMessage(),
                    LocalAddress.isForeign(source.getAddress()) ? LocalAddress.foreign(where) : "",
                    failure);
        }
    }

    private static HandshakeException unreachable(MeetingPoint where, Duration timeout, IOException failure) {
        String name = where.name();
        ConnectFailure kind = ConnectFailure.of(failure);
        String message = switch (kind) {
            case NO_ANSWER -> "no answer from " + name + " within " + text(timeout) + " (--timeout)";
            case UNREACHABLE -> name + " cannot be reached: " + failure.getMessage();
            case NO_ROUTE -> "this machine has no route to " + name + ": " + failure.getMessage();
            case NOBODY_LISTENS -> "nobody accepts connections at " + name;
            default -> "cannot connect to " + name + ": " + failure.getMessage();
        };
        String start = "start the server side first, with the same -p, and see that no firewall is between";
        String remedy = kind.remedy(where.host());
        return new HandshakeException(message, remedy.isEmpty() ? start : remedy, failure);
    }

    @Override
    public InetAddress peerAddress() {
        return socket.getInetAddress();
    }

    @Override
    public String peer() {
        return socket.getRemoteSocketAddress().toString().replaceFirst("^.*/", "");
    }

    @Override
    boolean carriesBinaryKeys() {
        return false;
    }

    @Override
    void send(byte[] message, String step) {
        try {
            out.write(message);
        } catch (IOException failure) {
            throw closed(step, failure.getMessage(), failure);
        }
    }

    /** Returns as many bytes as requested, because TCP does not preserve message boundaries. */
    @Override
    synchronized byte[] receive(int length, String step, Duration limit) {
        byte[] message = new byte[length];
        int got = 0;
        Duration patience = limit;
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (got < length) {
                int wait = 0;
                if (!patience.isZero()) {
                    wait = Math.clamp((deadline - System.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
                }
                socket.setSoTimeout(wait);
                int read = in.read(message, got, length - got);
                if (read < 0) {
                    throw new EOFException(got + " of " + length + " bytes arrived");
                }
                if (got == 0) {
                    // The peer has started to send, so the rest is due soon.
                    patience = timeout();
                    deadline = System.nanoTime() + timeout().toNanos();
                }
                got += read;
            }
            return message;
        } catch (SocketTimeoutException failure) {
            throw silent(got, length, patience, step, failure);
        } catch (IOException failure) {
            throw closed(step, failure.getMessage(), failure);
        }
    }

    @Override
    public synchronized boolean peerClosed() {
        return Closing.hasCome(socket, in);
    }

    @Override
    public synchronized boolean awaitNews(Duration limit) {
        try {
            socket.setSoTimeout(Math.max(1, milliseconds(limit)));
            int next = in.read();
            if (next >= 0) {
                in.unread(next);
            }
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (IOException _) {
            // The next read reports it.
            return true;
        }
    }

    /**
     * Closes the connection. C tools up to 23.07 send five more bytes ("done" and a NUL) after the last message. They
     * are read and dropped for a moment, so that closing does not reset the connection under a peer that still reads. A
     * peer that keeps sending is dropped after that.
     */
    @Override
    public void close() {
        if (socket.isClosed()) {
            return;
        }
        long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        byte[] dropped = new byte[64];
        try {
            socket.shutdownOutput();
            socket.setSoTimeout(milliseconds(CLOSE_TIMEOUT));
            while (in.read(dropped) >= 0 && System.nanoTime() < deadline) {
                continue;
            }
        } catch (IOException _) {
            // The peer is slow or has gone, and needs no more messages.
        }
        closeQuietly(socket);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing was in flight.
        }
    }
}
