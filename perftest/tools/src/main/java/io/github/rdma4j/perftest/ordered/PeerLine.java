// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import io.github.rdma4j.perftest.exit.ConnectFailure;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.wire.Closing;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PushbackInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The TCP connection by which the two sides find each other, and begin and end together. */
final class PeerLine implements AutoCloseable {
    private static final int MAGIC = 0x52344a47;
    private static final int CONNECT_MILLIS = 10_000;
    /** A server may be started long before its client. */
    private static final int ACCEPT_MILLIS = 600_000;

    /** The timeout of a whole message. */
    private static final int READ_MILLIS = 120_000;

    /** When a process is killed, its queue pairs are closed before this connection. */
    private static final long FAREWELL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int WORD = Integer.BYTES;
    private static final int MOST = 65536;

    private final Socket socket;
    private final PushbackInputStream in;
    private final DataOutputStream out;

    private PeerLine(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new PushbackInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    static PeerLine open(OrderedOptions options) {
        try {
            return options.server() == null ? accept(options.port()) : connect(options.server(), options.port());
        } catch (UnknownHostException e) {
            if (ConnectFailure.of(e) == ConnectFailure.NO_INTERFACE) {
                throw new PerftestException(
                        options.server() + ": " + e.getMessage(), ConnectFailure.NO_INTERFACE.remedy(options.server()));
            }
            throw new PerftestException(
                    "no address is known for the name " + options.server(),
                    "give --connect an IP address, or a name that the resolver finds");
        } catch (IOException e) {
            throw options.server() == null
                    ? new PerftestException(
                            "no client on TCP port %d: %s".formatted(options.port(), e.getMessage()),
                            "start the other side with --connect and this machine's name; another port: --port",
                            e)
                    : new PerftestException(
                            "%s port %d: %s".formatted(options.server(), options.port(), e.getMessage()),
                            "start the server first: the same command without --connect",
                            e);
        }
    }

    private static PeerLine accept(int port) throws IOException {
        try (ServerSocket server = new ServerSocket(port)) {
            server.setSoTimeout(ACCEPT_MILLIS);
            return new PeerLine(server.accept());
        }
    }

    private static PeerLine connect(String host, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(InetAddress.getByName(host), port), CONNECT_MILLIS);
            return new PeerLine(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** Compares the settings of both sides, which must be equal, and exchanges a value in each direction. */
    byte[] exchange(int[] settings, byte[] mine) {
        try {
            out.writeInt(MAGIC);
            for (int setting : settings) {
                out.writeInt(setting);
            }
            out.writeInt(mine.length);
            out.write(mine);
            out.flush();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READ_MILLIS);
            ByteBuffer head = ByteBuffer.wrap(read((settings.length + 2) * WORD, deadline));
            if (head.getInt() != MAGIC) {
                throw new PerftestException("the peer is no " + OrderedCommand.NAME, "start the same command there");
            }
            for (int setting : settings) {
                int theirs = head.getInt();
                if (theirs != setting) {
                    throw new PerftestException(
                            "the peer was started with %d where this side has %d".formatted(theirs, setting),
                            "give both sides the same --size, --iters and --work");
                }
            }
            int length = head.getInt();
            if (length < 0 || length > MOST) {
                throw new PerftestException("the peer sends " + length + " bytes", "start the same version there");
            }
            return read(length, deadline);
        } catch (IOException e) {
            throw connectionLost(e);
        }
    }

    /** Both are as far. */
    void synchronize() {
        try {
            out.writeByte(1);
            out.flush();
            read(1, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READ_MILLIS));
        } catch (IOException e) {
            throw connectionLost(e);
        }
    }

    private byte[] read(int length, long deadline) throws IOException {
        byte[] bytes = new byte[length];
        for (int got = 0; got < length; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            socket.setSoTimeout(Math.clamp(left, 1, READ_MILLIS));
            int read = in.read(bytes, got, length - got);
            if (read < 0) {
                throw new EOFException("it has closed the connection");
            }
            got += read;
        }
        return bytes;
    }

    /**
     * Throws an exception if the peer has closed its end, which no side does during a run. An adapter that waits for a
     * write would not detect it. Takes up to a millisecond.
     */
    void requirePeer() {
        if (isGone()) {
            throw peerGone("");
        }
    }

    /**
     * Returns the cause of a failed run: that the peer has gone, or otherwise the failure itself. If the peer has gone,
     * the adapter reports a key or a timeout. Call this before this side closes anything, because closing also ends the
     * peer's run.
     */
    RuntimeException cause(RuntimeException failure) {
        if (failure instanceof PerftestException perftest && perftest.peerLost()) {
            return failure;
        }
        long start = System.nanoTime();
        while (!isGone()) {
            if (System.nanoTime() - start > FAREWELL_NANOS) {
                return failure;
            }
            LockSupport.parkNanos(CHECK_NANOS);
        }
        PerftestException gone = peerGone("; " + failure.getMessage());
        gone.addSuppressed(failure);
        return gone;
    }

    private boolean isGone() {
        return Closing.hasCome(socket, in);
    }

    private static PerftestException peerGone(String detail) {
        return RunFailedException.ofLostPeer(
                "the peer has gone: it closed the connection in the middle of the game" + detail,
                "look at what the other side has printed, or find out who ended it");
    }

    private static PerftestException connectionLost(IOException cause) {
        return RunFailedException.ofLostPeer(
                "the peer is gone or says nothing: " + cause.getMessage(), "look at what the other side has printed");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The peer does not read it any more.
        }
    }
}
