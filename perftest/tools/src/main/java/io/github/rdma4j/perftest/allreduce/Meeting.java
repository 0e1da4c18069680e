// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.allreduce;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * The control connections between the ranks, over TCP and independent of NCCL: each rank is connected to rank 0. Every
 * exchange is a barrier. There is no authentication: use it in a trusted network only.
 */
final class Meeting implements AutoCloseable {
    /** "rdma4jAR" and a version. */
    private static final long MAGIC = 0x7264_6d61_346a_4102L;

    private static final int MOST_BYTES = 1 << 20;
    private static final int POLL_MILLIS = 200;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final String TOGETHER = "start all ranks with the same version and the same options";

    private final int rank;
    private final Duration timeout;
    /** At rank 0, the connections to the other ranks, in their order; at each other rank, its connection to rank 0. */
    private final List<Connection> connections = new ArrayList<>();

    private Meeting(int rank, Duration timeout) {
        this.rank = rank;
        this.timeout = timeout;
    }

    private record Connection(int peer, Socket socket, DataInputStream in, DataOutputStream out) {
        static Connection of(int peer, Socket socket, Duration timeout) throws IOException {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
            return new Connection(
                    peer,
                    socket,
                    new DataInputStream(new BufferedInputStream(socket.getInputStream())),
                    new DataOutputStream(new BufferedOutputStream(socket.getOutputStream())));
        }
    }

    /** Returns the meeting of a single rank. */
    static Meeting alone() {
        return new Meeting(0, Duration.ZERO);
    }

    /** Opens the socket where rank 0 listens. */
    static ServerSocket listen(InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw unknown(address);
        }
        try {
            ServerSocket server = new ServerSocket();
            try {
                server.bind(address);
                return server;
            } catch (IOException e) {
                server.close();
                throw e;
            }
        } catch (IOException e) {
            throw new PerftestException(
                    "rank 0 cannot wait for the others at %s: %s".formatted(address, e.getMessage()),
                    "give --server an address of this machine and a port that is free");
        }
    }

    /** Parses HOST:PORT. */
    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String port = text.substring(colon + 1);
        if (colon < 1 || !port.matches("\\d{1,5}") || Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65_535) {
            throw new IllegalParameterException("--server: '" + text + "' is not HOST:PORT, such as 10.0.0.1:18520");
        }
        return new InetSocketAddress(text.substring(0, colon).replaceAll("^\\[|\\]$", ""), Integer.parseInt(port));
    }

    private static PerftestException unknown(InetSocketAddress address) {
        return new PerftestException(
                "nobody knows the host " + address.getHostString(), "give --server a name or an address that is known");
    }

    /**
     * Waits, as rank 0, for all other ranks.
     *
     * @param common the options that all ranks must share
     * @param watch is called repeatedly, and may throw an exception to end a useless wait
     */
    static Meeting host(ServerSocket server, int ranks, String common, Duration timeout, Runnable watch) {
        Meeting meeting = new Meeting(0, timeout);
        Connection[] seats = new Connection[ranks];
        boolean complete = false;
        long start = System.nanoTime();
        try {
            server.setSoTimeout(POLL_MILLIS);
            for (int here = 1; here < ranks; ) {
                watch.run();
                if (System.nanoTime() - start > timeout.toNanos()) {
                    throw RunFailedException.ofLostPeer(
                            "%d of %d ranks have come within %d s".formatted(here, ranks, timeout.toSeconds()),
                            "see whether the others were started and can reach %s; -T gives them more time"
                                    .formatted(server.getLocalSocketAddress()));
                }
                try {
                    if (handshake(server.accept(), seats, common, timeout)) {
                        here++;
                    }
                } catch (SocketTimeoutException _) {
                    // No rank has connected yet.
                }
            }
            for (int i = 1; i < ranks; i++) {
                meeting.connections.add(seats[i]);
            }
            complete = true;
            return meeting;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            if (!complete) {
                for (Connection seat : seats) {
                    close(seat);
                }
            }
        }
    }

    /** Accepts a connection if the peer is one of the ranks, and refuses it otherwise. */
    private static boolean handshake(Socket socket, Connection[] seats, String common, Duration timeout) {
        boolean welcome = false;
        try {
            Connection guest = Connection.of(-1, socket, Duration.ofSeconds(Math.min(5, timeout.toSeconds())));
            if (guest.in.readLong() != MAGIC) {
                return false;
            }
            int rank = guest.in.readInt();
            int ranks = guest.in.readInt();
            String theirs = guest.in.readUTF();
            String refusal = ranks != seats.length
                    ? "rank 0 expects %d ranks, this one %d".formatted(seats.length, ranks)
                    : rank < 1 || rank >= ranks || seats[rank] != null
                            ? "there is a rank %d already".formatted(rank)
                            : theirs.equals(common) ? "" : "rank 0 measures %s, this one %s".formatted(common, theirs);
            guest.out.writeUTF(refusal);
            guest.out.flush();
            if (refusal.isEmpty()) {
                socket.setSoTimeout(Math.toIntExact(timeout.toMillis()));
                seats[rank] = new Connection(rank, socket, guest.in, guest.out);
                welcome = true;
            }
            return welcome;
        } catch (IOException _) {
            // A port scanner, or a rank that is gone: the timeout reports the missing rank.
            return false;
        } finally {
            if (!welcome) {
                try {
                    socket.close();
                } catch (IOException _) {
                    // It is not needed.
                }
            }
        }
    }

    /** Connects to rank 0, as another rank. The name is resolved again for each attempt. */
    static Meeting join(InetSocketAddress server, int rank, int ranks, String common, Duration timeout) {
        long start = System.nanoTime();
        IOException last = null;
        while (System.nanoTime() - start < timeout.toNanos()) {
            Socket socket = new Socket();
            boolean joined = false;
            try {
                InetSocketAddress found = new InetSocketAddress(server.getHostString(), server.getPort());
                if (found.isUnresolved()) {
                    throw unknown(server);
                }
                socket.connect(found, Math.toIntExact(timeout.toMillis()));
                Connection host = Connection.of(0, socket, timeout);
                host.out.writeLong(MAGIC);
                host.out.writeInt(rank);
                host.out.writeInt(ranks);
                host.out.writeUTF(common);
                host.out.flush();
                String refusal = host.in.readUTF();
                if (!refusal.isEmpty()) {
                    throw new RunFailedException("rank %d was sent away: %s".formatted(rank, refusal), TOGETHER);
                }
                Meeting meeting = new Meeting(rank, timeout);
                meeting.connections.add(host);
                joined = true;
                return meeting;
            } catch (IOException e) {
                last = e;
                LockSupport.parkNanos(RETRY_NANOS);
            } finally {
                if (!joined) {
                    close(socket);
                }
            }
        }
        throw RunFailedException.ofLostPeer(
                "rank %d has not found rank 0 at %s within %d s%s"
                        .formatted(rank, server, timeout.toSeconds(), last == null ? "" : ": " + last.getMessage()),
                "see whether rank 0 was started, and whether a firewall is between");
    }

    /** Returns an address of this machine that no other machine can reach. */
    static InetSocketAddress here() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Waits until all ranks have called this. */
    void barrier() {
        exchange(new byte[0], _ -> new byte[0]);
    }

    /**
     * Collects a value from each rank at rank 0, which computes an answer for every rank.
     *
     * @param mine the value of this rank, at most 1 MiB
     * @param answer computes the answer from the values, in the order of ranks; called only at rank 0
     */
    byte[] exchange(byte[] mine, Function<List<byte[]>, byte[]> answer) {
        if (rank > 0) {
            send(connections.getFirst(), mine);
            return receive(connections.getFirst());
        }
        List<byte[]> all = new ArrayList<>();
        all.add(mine);
        connections.forEach(each -> all.add(receive(each)));
        byte[] made = answer.apply(all);
        connections.forEach(each -> send(each, made));
        return made;
    }

    private static void send(Connection to, byte[] bytes) {
        if (bytes.length > MOST_BYTES) {
            throw new IllegalArgumentException("%d bytes".formatted(bytes.length));
        }
        try {
            to.out.writeInt(bytes.length);
            to.out.write(bytes);
            to.out.flush();
        } catch (IOException e) {
            throw peerGone(to, e);
        }
    }

    private byte[] receive(Connection from) {
        try {
            int length = from.in.readInt();
            if (length < 0 || length > MOST_BYTES) {
                throw new RunFailedException("rank %d announces %d bytes".formatted(from.peer, length), TOGETHER);
            }
            byte[] bytes = new byte[length];
            from.in.readFully(bytes);
            return bytes;
        } catch (SocketTimeoutException e) {
            throw RunFailedException.ofLostPeer(
                    "rank %d has said nothing for %d s".formatted(from.peer, timeout.toSeconds()),
                    "see what holds it up; -T gives it more time");
        } catch (IOException e) {
            throw peerGone(from, e);
        }
    }

    private static RunFailedException peerGone(Connection peer, IOException e) {
        return RunFailedException.ofLostPeer(
                "rank %d has gone (%s)".formatted(peer.peer, e.getMessage() == null ? "end of data" : e.getMessage()),
                "see what it said before");
    }

    private static void close(Connection connection) {
        if (connection != null) {
            close(connection.socket);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // The connection is not needed any more.
        }
    }

    @Override
    public void close() {
        connections.forEach(Meeting::close);
    }
}
