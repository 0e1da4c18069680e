// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.net.InetAddress;
import java.time.Duration;

/**
 * The connection over which the two sides of a test agree, before, between and after the runs: a TCP connection, or
 * with -z and -R a queue pair that rdma_cm has connected.
 *
 * <p>Every wait has a limit; a limit that passes, a connection that the peer closed and an answer of the wrong length
 * are told apart, each with a {@link HandshakeException} that names the step.
 *
 * <p>One thread uses a channel at a time; {@link #peerClosed()} may be asked by another one while nobody receives.
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
     * Connects to a waiting server over TCP.
     *
     * @param host name or address; a name with several addresses is tried in order, IPv4 first as the C tools do
     * @param port TCP port
     * @param timeout limit of the connection and of every later wait
     * @throws HandshakeException when nobody listens there
     */
    public static ControlChannel connect(String host, int port, Duration timeout) {
        return connect(MeetingPoint.overTcp(host, port), timeout, timeout);
    }

    /**
     * Connects to a waiting server.
     *
     * @param where the server's address, and how to get there
     * @param timeout limit of the connection and of every later wait
     * @param preparation limit of the connection with rdma_cm, where a server answers only when it is prepared
     * @throws HandshakeException when nobody listens there
     */
    public static ControlChannel connect(MeetingPoint where, Duration timeout, Duration preparation) {
        return where.overRdma()
                ? CmControlChannel.open(where, timeout, preparation)
                : TcpControlChannel.open(where, timeout);
    }

    /** Whether this is the server's end, which in every exchange reads first. */
    public final boolean isServer() {
        return server;
    }

    /** The address of the other side, for messages. */
    public abstract String peer();

    /** The one of the other side's addresses that has answered. */
    public abstract InetAddress peerAddress();

    /** Whether {@link PeerKeys} travel as a structure here, not as text. */
    abstract boolean carriesBinaryKeys();

    /** Whether that structure is the longer one, which the C tools have from wire version 6.29 (26.04) on. */
    final boolean carriesKeysWithMarkers() {
        return keysWithMarkers;
    }

    /** The peer has said which version it speaks: the messages behind it follow from that. */
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

    /** The longest wait within a message, and for one that no run lies before. */
    final Duration timeout() {
        return timeout;
    }

    /**
     * Exchanges one message with the peer: the client writes and then reads, the server reads and then writes.
     *
     * @param mine what to send
     * @param step what is exchanged, for messages: "version"
     * @return what the peer sent, of the same length
     */
    public final byte[] exchange(byte[] mine, String step) {
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
    public final byte[] exchange(byte[] mine, String step, Duration limit) {
        return exchange(mine, step, limit, () -> {});
    }

    /**
     * Exchanges one message, with something to do before this side listens to the peer: for the client, whose message
     * then is on its way already, while the peer does whatever it does at this point. A server does it first.
     *
     * @param limit the longest wait for the peer's message, counted from then on; zero for none
     * @param meanwhile what to do
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

    /** The peer said nothing, or only the beginning of a message, for too long. */
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
     * Whether the peer has closed its end, asked without waiting. False as long as an unread message lies before the
     * end.
     */
    public abstract boolean peerClosed();

    /**
     * Waits until the peer has begun to say something or has closed its end. Asked by the thread that receives.
     *
     * @param limit the longest wait
     * @return whether it has
     */
    public abstract boolean awaitNews(Duration limit);

    /** Ends the conversation, so that what was sent last still arrives. */
    @Override
    public abstract void close();

    static int milliseconds(Duration timeout) {
        return (int) Math.min(Integer.MAX_VALUE, timeout.toMillis());
    }

    static String text(Duration duration) {
        return duration.toMillis() % 1000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }
}
