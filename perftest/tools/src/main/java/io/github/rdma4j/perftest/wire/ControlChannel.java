// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.net.InetAddress;
import java.time.Duration;

/**
 * The connection over which the two sides of a test agree before, between and after the runs: a TCP connection or, with
 * -z and -R, a queue pair that rdma_cm has connected.
 *
 * <p>Every wait has a timeout. A timeout, a connection that the peer closed and an answer of the wrong length are
 * distinct errors: each has a {@link HandshakeException} that names the step.
 *
 * <p>For use by one thread at a time. Another thread may call {@link #peerClosed()} while no thread receives.
 */
public abstract class ControlChannel implements AutoCloseable {
    static final String SAME_OPTIONS =
            "see whether the peer still runs, and runs the same tool with the same -a -b -D -n -q -s and"
                    + " --report_gbits";

    static final String SAME_TOOL = "see that the other side is the same tool, of C or of rdma4j";

    private final boolean server;
    private final Duration timeout;
    private boolean keysWithMarkers;

    ControlChannel(boolean server, Duration timeout) {
        this.server = server;
        this.timeout = timeout;
    }

    /**
     * Connects over TCP to a server that is listening.
     *
     * @param host name or address; a name with several addresses is tried in order, IPv4 first as the C tools do
     * @param port TCP port
     * @param timeout the timeout of the connection and of every later wait
     * @throws HandshakeException when no server listens there
     */
    public static ControlChannel connect(String host, int port, Duration timeout) {
        return connect(MeetingPoint.overTcp(host, port), timeout, timeout);
    }

    /**
     * Connects to a waiting server.
     *
     * @param where the server's address, and the path to it
     * @param timeout the timeout of the connection and of every later wait
     * @param preparation the timeout of the connection with rdma_cm, whose server answers only when it is prepared
     * @throws HandshakeException when no server listens there
     */
    public static ControlChannel connect(MeetingPoint where, Duration timeout, Duration preparation) {
        return where.overRdma()
                ? CmControlChannel.open(where, timeout, preparation)
                : TcpControlChannel.open(where, timeout);
    }

    /** Returns whether this is the server's end, which in every exchange reads first. */
    public final boolean isServer() {
        return server;
    }

    /** The address of the other side, for messages. */
    public abstract String peer();

    /** Returns the other side's address that has answered. */
    public abstract InetAddress peerAddress();

    /** Returns whether {@link PeerKeys} travel as a structure here, not as text. */
    abstract boolean carriesBinaryKeys();

    /** Returns whether that structure is the longer one, which the C tools have from wire version 6.29 (26.04) on. */
    final boolean carriesKeysWithMarkers() {
        return keysWithMarkers;
    }

    /** Sets the peer's version, which determines the later messages. */
    final void peerSpeaks(double version) {
        keysWithMarkers = version >= PeerKeys.FIRST_WITH_MARKERS;
    }

    /** Sends one message. */
    abstract void send(byte[] message, String step);

    /**
     * Waits for one message.
     *
     * @return what arrived, of any length where the connection keeps messages apart
     */
    abstract byte[] receive(int length, String step, Duration limit);

    /** Returns the longest wait within a message, and for a message that is not preceded by a run. */
    final Duration timeout() {
        return timeout;
    }

    /**
     * Exchanges one message with the peer: the client writes and then reads, the server reads and then writes.
     *
     * @param mine the message to send
     * @param step the name of the exchange in error messages: "version"
     * @return the peer's message, of equal length
     */
    public final byte[] exchange(byte[] mine, String step) {
        return exchange(mine, step, timeout);
    }

    /**
     * Exchanges one message, with a timeout for the peer's message, because a run may precede it.
     *
     * @param mine the message to send
     * @param step the name of the exchange in error messages
     * @param limit the longest wait for the peer's message; zero for none
     * @return the peer's message, of equal length
     */
    public final byte[] exchange(byte[] mine, String step, Duration limit) {
        return exchange(mine, step, limit, () -> {});
    }

    /**
     * Exchanges one message, and runs a task before it receives the peer's message. The client sends its message first,
     * so that it is in flight while the task runs; a server runs the task first.
     *
     * @param limit the longest wait for the peer's message, counted from then on; zero for none
     * @param meanwhile the task
     */
    public final byte[] exchange(byte[] mine, String step, Duration limit, Runnable meanwhile) {
        if (server) {
            meanwhile.run();
            byte[] theirs = receiveExactly(mine.length, step, limit);
            send(mine, step);
            return theirs;
        }
        send(mine, step);
        meanwhile.run();
        return receiveExactly(mine.length, step, limit);
    }

    private byte[] receiveExactly(int length, String step, Duration limit) {
        byte[] message = receive(length, step, limit);
        if (message.length != length) {
            throw new HandshakeException(
                    "the peer %s sent %d bytes where its %s of %d was due (%s)"
                            .formatted(peer(), message.length, step, length, Garbage.show(message)),
                    SAME_OPTIONS);
        }
        return message;
    }

    /** Returns the failure of a peer that sent nothing, or only a part of a message, for too long. */
    final HandshakeException silent(int got, int length, Duration patience, String step, Throwable cause) {
        return HandshakeException.ofLostPeer(
                "the peer " + peer() + " sent "
                        + (got == 0 ? "nothing" : "only " + got + " of " + length + " bytes") + " for "
                        + text(patience) + " where its " + step + " was due",
                SAME_OPTIONS,
                cause);
    }

    /** The connection ended. */
    final HandshakeException closed(String step, String detail, Throwable cause) {
        return HandshakeException.ofLostPeer(
                "the peer " + peer() + " closed the connection before the " + step + " was exchanged (" + detail + ")",
                "read what the peer printed; " + SAME_OPTIONS,
                cause);
    }

    /**
     * Returns whether the peer has closed its end, without waiting. Returns false while there is an unread message.
     */
    public abstract boolean peerClosed();

    /**
     * Waits until the peer has started to send or has closed its end. Called by the receiving thread.
     *
     * @param limit the longest wait
     * @return whether it has
     */
    public abstract boolean awaitNews(Duration limit);

    /** Closes the connection, so that the last message still arrives. */
    @Override
    public abstract void close();

    static int milliseconds(Duration timeout) {
        return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }

    static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }
}
