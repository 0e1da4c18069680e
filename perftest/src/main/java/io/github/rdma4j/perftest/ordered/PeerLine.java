// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.TestFailedException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The TCP connection by which the two sides find each other, and begin and end together. */
final class PeerLine implements AutoCloseable {
    private static final int MAGIC = 0x52344a47;
    private static final int CONNECT_MILLIS = 10_000;
    /** A server may be started long before its client. */
    private static final int ACCEPT_MILLIS = 600_000;

    private static final int READ_MILLIS = 120_000;
    private static final int MOST = 65536;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    private PeerLine(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(READ_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    static PeerLine open(OrderedOptions options) {
        try {
            return options.server() == null ? accept(options.port()) : connect(options.server(), options.port());
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
            socket.connect(new InetSocketAddress(host, port), CONNECT_MILLIS);
            return new PeerLine(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** What both must have been asked for alike, and a value each way. */
    byte[] exchange(int[] settings, byte[] mine) {
        try {
            out.writeInt(MAGIC);
            for (int setting : settings) {
                out.writeInt(setting);
            }
            out.writeInt(mine.length);
            out.write(mine);
            out.flush();
            if (in.readInt() != MAGIC) {
                throw new PerftestException("the peer is no " + OrderedCommand.NAME, "start the same command there");
            }
            for (int setting : settings) {
                int theirs = in.readInt();
                if (theirs != setting) {
                    throw new PerftestException(
                            "the peer was started with %d where this side has %d".formatted(theirs, setting),
                            "give both sides the same --size, --iters and --work");
                }
            }
            int length = in.readInt();
            if (length < 0 || length > MOST) {
                throw new PerftestException("the peer sends " + length + " bytes", "start the same version there");
            }
            byte[] theirs = new byte[length];
            in.readFully(theirs);
            return theirs;
        } catch (IOException e) {
            throw lost(e);
        }
    }

    /** Both are as far. */
    void meet() {
        try {
            out.writeByte(1);
            out.flush();
            in.readByte();
        } catch (IOException e) {
            throw lost(e);
        }
    }

    private static PerftestException lost(IOException cause) {
        return TestFailedException.ofLostPeer(
                "the peer is gone or says nothing: " + cause, "look at what the other side has printed");
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nobody reads it any more.
        }
    }
}
