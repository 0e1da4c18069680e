// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.net.ExtendedSocketOptions;

/**
 * The TCP connection between the two ends. Every wait has a timeout. One thread may send, one receive, and any thread
 * may close it.
 */
public final class Line implements AutoCloseable {
    /** A machine that vanishes without closing the connection is noticed after 60 + 6 × 10 seconds. */
    private static final int KEEP_ALIVE_IDLE_SECONDS = 60;

    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 10;
    private static final int KEEP_ALIVE_PROBES = 6;

    /** Only closing the socket ends a blocked write. */
    private static final ScheduledThreadPoolExecutor TIMER = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("rdma4j-peer-limit").factory());

    static {
        TIMER.setRemoveOnCancelPolicy(true);
    }

    private final Protocol protocol;
    private final Socket socket;
    private final Duration sendTimeout;

    /** Takes ownership of a connection. */
    public Line(Protocol protocol, Socket socket) throws IOException {
        this(protocol, socket, Limits.STEP);
    }

    /**
     * Takes ownership of a connection.
     *
     * @param sendTimeout how long a message may be blocked because the other end does not read
     */
    Line(Protocol protocol, Socket socket, Duration sendTimeout) throws IOException {
        this.protocol = protocol;
        this.socket = socket;
        this.sendTimeout = sendTimeout;
        socket.setTcpNoDelay(true);
        socket.setKeepAlive(true);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_SECONDS);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_INTERVAL_SECONDS);
        socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
    }

    /** The other end's address. */
    public InetAddress remoteAddress() {
        return socket.getInetAddress();
    }

    /** This end's address. */
    public InetAddress localAddress() {
        return socket.getLocalAddress();
    }

    /**
     * Sends a message. It fits into the socket's buffers, unless the other end sends and does not receive.
     *
     * @throws PeerLostException if the connection has ended, or the socket's buffers did not become free in time
     */
    public void send(Message message) {
        byte[] bytes = message.encode(protocol);
        AtomicBoolean late = new AtomicBoolean();
        ScheduledFuture<?> end = TIMER.schedule(
                () -> {
                    late.set(true);
                    close();
                },
                sendTimeout.toNanos(),
                TimeUnit.NANOSECONDS);
        try {
            socket.getOutputStream().write(bytes);
        } catch (IOException failure) {
            throw late.get()
                    ? new PeerLostException(
                            "the other end has not read a message for " + sendTimeout.toSeconds() + " s")
                    : lost(failure);
        } finally {
            end.cancel(false);
        }
    }

    /**
     * Waits for a message.
     *
     * @param limit the timeout
     * @throws PeerLostException if the connection has ended, or no message arrived in time
     * @throws BadMessageException if the data is not a message
     */
    public Message receive(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        byte[] start = read(Message.HEADER_BYTES, deadline, limit);
        // Refuses a truncated or invalid header before it waits for a body.
        Message.Header header = Message.header(protocol, start);
        byte[] body = read(header.length(), deadline, limit);
        if (body.length < header.length()) {
            throw new PeerLostException("the other end closed the connection in the middle of a message");
        }
        return Message.of(header, body);
    }

    /** Reads this many bytes; fewer, but at least one, if the connection ends or falls silent after them. */
    private byte[] read(int length, long deadline, Duration limit) {
        byte[] bytes = new byte[length];
        int got = 0;
        try {
            while (got < length) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                socket.setSoTimeout(Math.clamp(left, 1, Integer.MAX_VALUE));
                int read = socket.getInputStream().read(bytes, got, length - got);
                if (read < 0) {
                    if (got > 0) {
                        return Arrays.copyOf(bytes, got);
                    }
                    throw new PeerLostException("the other end has closed the connection");
                }
                got += read;
            }
            return bytes;
        } catch (SocketTimeoutException _) {
            if (got > 0) {
                return Arrays.copyOf(bytes, got);
            }
            throw new PeerLostException("the other end has sent nothing for " + limit.toSeconds() + " s");
        } catch (IOException failure) {
            throw lost(failure);
        }
    }

    private static PeerLostException lost(IOException failure) {
        return new PeerLostException("the connection to the other end broke: " + failure.getMessage());
    }

    /** Closes the connection; data already sent still arrives. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // The connection is not needed any more.
        }
    }
}
