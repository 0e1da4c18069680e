// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import jdk.net.ExtendedSocketOptions;

/**
 * The TCP connection over which the two sides of a test agree, before, between and after the runs.
 *
 * <p>The C tools read each message with one {@code read()} that must return all of it, so every message leaves here in
 * one write on a socket without Nagle's delay. Every wait has a limit; a limit that passes, a connection that the peer
 * closed and an answer that is too short are told apart, each with a {@link HandshakeException} that names the step.
 *
 * <p>One thread uses a channel at a time; {@link #peerClosed()} may be asked by another one while nobody receives.
 */
public final class ControlChannel implements AutoCloseable {
    private static final String SAME_OPTIONS =
            "see whether the peer still runs, and runs the same tool with the same -a -b -D -n -q -s and --report_gbits";

    /** A host that vanishes without closing the connection is noticed after 10 + 3 × 5 seconds. */
    private static final int KEEP_ALIVE_IDLE_SECONDS = 10;

    private static final int KEEP_ALIVE_INTERVAL_SECONDS = 5;
    private static final int KEEP_ALIVE_PROBES = 3;

    private final Socket socket;
    private final PushbackInputStream in;
    private final OutputStream out;
    private final boolean server;
    private final Duration timeout;

    ControlChannel(Socket socket, boolean server, Duration timeout) throws IOException {
        this.socket = socket;
        this.server = server;
        this.timeout = timeout;
        socket.setTcpNoDelay(true);
        socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
        if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
            socket.setOption(ExtendedSocketOptions.TCP_KEEPIDLE, KEEP_ALIVE_IDLE_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEP_ALIVE_INTERVAL_SECONDS);
            socket.setOption(ExtendedSocketOptions.TCP_KEEPCOUNT, KEEP_ALIVE_PROBES);
        }
        this.in = new PushbackInputStream(socket.getInputStream(), 1);
        this.out = socket.getOutputStream();
    }

    /**
     * Connects to a waiting server.
     *
     * @param host name or address; a name with several addresses is tried in order, IPv4 first as the C tools do
     * @param port TCP port
     * @param timeout limit of the connection and of every later wait
     * @throws HandshakeException when nobody listens there
     */
    public static ControlChannel connect(String host, int port, Duration timeout) {
        InetAddress[] addresses = resolve(host);
        String where = host + ":" + port;
        IOException last = null;
        for (InetAddress address : addresses) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, port), milliseconds(timeout));
                return new ControlChannel(socket, false, timeout);
            } catch (IOException failure) {
                closeQuietly(socket);
                last = failure;
            }
        }
        throw unreachable(where, timeout, last);
    }

    private static InetAddress[] resolve(String host) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(host);
            Arrays.sort(addresses, Comparator.comparingInt(address -> address.getAddress().length));
            return addresses;
        } catch (UnknownHostException failure) {
            throw new HandshakeException(
                    "the server's name " + host + " is not known", "give its address or a name that resolves", failure);
        }
    }

    private static HandshakeException unreachable(String where, Duration timeout, IOException failure) {
        String message = switch (failure) {
            case SocketTimeoutException _ -> "no answer from " + where + " within " + text(timeout) + " (--timeout)";
            case NoRouteToHostException _ -> "no route to " + where;
            case ConnectException _ -> "nobody accepts connections at " + where;
            default -> "cannot connect to " + where + ": " + failure.getMessage();
        };
        return new HandshakeException(
                message, "start the server side first, with the same -p, and see that no firewall is between", failure);
    }

    /** Whether this is the server's end, which in every exchange reads first. */
    public boolean isServer() {
        return server;
    }

    /** The address of the other side, for messages. */
    public String peer() {
        return socket.getRemoteSocketAddress().toString().replaceFirst("^.*/", "");
    }

    /**
     * Exchanges one message with the peer: the client writes and then reads, the server reads and then writes.
     *
     * @param mine what to send
     * @param step what is exchanged, for messages: "version"
     * @return what the peer sent, of the same length
     */
    public byte[] exchange(byte[] mine, String step) {
        return exchange(mine, step, timeout);
    }

    /**
     * Exchanges one message, and waits for the peer's as long as given here: a run may lie between.
     *
     * @param mine what to send
     * @param step what is exchanged, for messages
     * @param limit the longest wait for the peer's message; zero for none
     * @return what the peer sent, of the same length
     */
    public byte[] exchange(byte[] mine, String step, Duration limit) {
        if (server) {
            byte[] theirs = receive(mine.length, step, limit);
            send(mine, step);
            return theirs;
        }
        send(mine, step);
        return receive(mine.length, step, limit);
    }

    private void send(byte[] message, String step) {
        try {
            out.write(message);
        } catch (IOException failure) {
            throw closed(step, failure);
        }
    }

    private synchronized byte[] receive(int length, String step, Duration limit) {
        byte[] message = new byte[length];
        int got = 0;
        Duration patience = limit;
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (got < length) {
                int wait = 0;
                if (!patience.isZero()) {
                    wait = (int) Math.clamp((deadline - System.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
                }
                socket.setSoTimeout(wait);
                int read = in.read(message, got, length - got);
                if (read < 0) {
                    throw new EOFException(got + " of " + length + " bytes arrived");
                }
                if (got == 0) {
                    // Whatever the peer was busy with, it has begun to speak: the rest is due at once.
                    patience = timeout;
                    deadline = System.nanoTime() + timeout.toNanos();
                }
                got += read;
            }
            return message;
        } catch (SocketTimeoutException failure) {
            throw new HandshakeException(
                    "the peer " + peer() + " sent "
                            + (got == 0 ? "nothing" : "only " + got + " of " + length + " bytes") + " for "
                            + text(patience) + " where its " + step + " was due",
                    SAME_OPTIONS,
                    failure);
        } catch (IOException failure) {
            throw closed(step, failure);
        }
    }

    private HandshakeException closed(String step, IOException failure) {
        return new HandshakeException(
                "the peer " + peer() + " closed the connection before the " + step + " was exchanged ("
                        + failure.getMessage() + ")",
                "read what the peer printed; " + SAME_OPTIONS,
                failure);
    }

    /**
     * Whether the peer has closed its end, asked without waiting. False as long as an unread message lies before the
     * end of the stream.
     */
    public synchronized boolean peerClosed() {
        try {
            socket.setSoTimeout(1);
            int next = in.read();
            if (next < 0) {
                return true;
            }
            in.unread(next);
            return false;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) {
            return true;
        } catch (IOException _) {
            // The pushed-back byte fills the buffer: a message waits to be read, so the peer is ahead of us, not gone.
            return false;
        }
    }

    /**
     * Ends the conversation. C tools up to 23.07 send five bytes ("done" and a NUL) that nobody expects after the last
     * message: what comes is read and dropped, for a moment, so that closing does not reset the connection under a peer
     * that still reads.
     */
    @Override
    public void close() {
        if (socket.isClosed()) {
            return;
        }
        try {
            socket.shutdownOutput();
            socket.setSoTimeout(100);
            while (in.read() >= 0) {
                continue;
            }
        } catch (IOException _) {
            // The peer is slow or gone: nothing is left to say to it.
        }
        closeQuietly(socket);
    }

    static int milliseconds(Duration timeout) {
        return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }

    static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // Nothing was in flight.
        }
    }
}
