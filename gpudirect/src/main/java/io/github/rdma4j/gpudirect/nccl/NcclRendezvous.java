// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Timeouts;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Distributes an {@link NcclUniqueId} to the other ranks over TCP: rank 0 serves it, the others fetch it. The bytes are
 * not encrypted, and everyone who connects receives them, so use a trusted network.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclRendezvous {
    /** "rdma4jN1": the first 8 bytes in each direction. */
    private static final long MAGIC = 0x72646d61346a4e31L;

    private static final byte RECEIVED = 1;
    private static final int LONGEST_SILENCE_MILLIS = 2_000;
    /** The thread checks for an interrupt after this time, because an interrupt does not end a call of a socket. */
    private static final int LONGEST_SLEEP_MILLIS = 100;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private NcclRendezvous() {}

    /**
     * Serves the id until all peers have fetched it. Ignores a client that sends nothing, or something else.
     *
     * @param id created by this process
     * @param address the address to listen on
     * @param peers the number of peers: the ranks without this one
     * @param timeout the longest wait
     * @throws IOException if the address cannot be used
     * @throws InterruptedIOException soon after the thread is interrupted; its interrupt flag stays set
     * @throws NcclTimeoutException if not all peers have fetched it in time; the message contains their number
     */
    public static void serve(NcclUniqueId id, InetSocketAddress address, int peers, Duration timeout)
            throws IOException {
        // With null, the socket would listen on any free port, which no peer knows.
        Objects.requireNonNull(address, "address");
        try (ServerSocket server = new ServerSocket()) {
            server.setReuseAddress(true);
            server.bind(address, Math.max(peers, 1));
            serve(id, server, peers, timeout);
        }
    }

    /**
     * Serves the id on an open socket, whose port can be announced first.
     *
     * @param id created by this process
     * @param server a bound socket, which stays open, except that the JDK closes it if a virtual thread is interrupted.
     *     A close by another thread ends the wait
     * @param peers the number of peers: the ranks without this one
     * @param timeout the longest wait
     * @throws IOException if the socket fails or is closed meanwhile
     * @throws InterruptedIOException soon after the thread is interrupted; its interrupt flag stays set
     * @throws NcclTimeoutException if not all peers have fetched it in time
     */
    public static void serve(NcclUniqueId id, ServerSocket server, int peers, Duration timeout) throws IOException {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(server, "server");
        long limit = Timeouts.checkedNanos(timeout);
        long start = System.nanoTime();
        for (int served = 0; served < peers; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(limit - (System.nanoTime() - start));
            if (left <= 0) {
                throw new NcclTimeoutException(
                        "serving the id, which %d of %d ranks have fetched,".formatted(served, peers), timeout);
            }
            requireNoInterrupt("serving the id");
            server.setSoTimeout((int) Math.min(left, LONGEST_SLEEP_MILLIS));
            try (Socket peer = server.accept()) {
                if (answer(id, peer, Math.min(left, LONGEST_SILENCE_MILLIS))) {
                    served++;
                }
            } catch (SocketTimeoutException e) {
                // The loop checks the timeout and the interrupt flag.
            } catch (SocketException e) {
                // The JDK closes a socket if a virtual thread is interrupted in it.
                requireNoInterrupt("serving the id");
                throw e;
            }
        }
    }

    private static void requireNoInterrupt(String operation) throws InterruptedIOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedIOException(operation + ": the thread was interrupted");
        }
    }

    private static boolean answer(NcclUniqueId id, Socket peer, long silenceMillis) {
        try {
            if (readLong(peer, after(silenceMillis)) != MAGIC) {
                return false;
            }
            DataOutputStream out = new DataOutputStream(peer.getOutputStream());
            out.writeLong(MAGIC);
            out.write(id.bytes());
            out.flush();
            return read(peer, 1, after(silenceMillis))[0] == RECEIVED;
        } catch (IOException e) {
            // The failure of one peer does not affect the others: the peer tries again, or is missing at the end.
            return false;
        }
    }

    /**
     * Fetches the id. Tries again until the server answers.
     *
     * @param server the address on which {@link #serve} listens; an unresolved name is looked up for each attempt
     * @param timeout the longest wait; with zero, there is one attempt
     * @return the id
     * @throws IOException if the server is not an {@link NcclRendezvous}
     * @throws InterruptedIOException soon after the thread is interrupted; its interrupt flag stays set. During
     *     connecting, this can take two seconds
     * @throws NcclTimeoutException if the server has not answered in time; the cause is the last failure
     */
    public static NcclUniqueId fetch(InetSocketAddress server, Duration timeout) throws IOException {
        long limit = Timeouts.checkedNanos(timeout);
        long start = System.nanoTime();
        IOException last = null;
        while (true) {
            long left = TimeUnit.NANOSECONDS.toMillis(limit - (System.nanoTime() - start));
            // A late thread also makes one attempt, so that the exception has a cause.
            if (left <= 0 && last != null) {
                NcclTimeoutException failure = new NcclTimeoutException("fetching the id from " + server, timeout);
                failure.initCause(last);
                throw failure;
            }
            try (Socket socket = new Socket()) {
                socket.connect(resolved(server), (int) Math.clamp(left, 1, LONGEST_SILENCE_MILLIS));
                return request(socket, server, limit - (System.nanoTime() - start));
            } catch (WrongServerException e) {
                throw e;
            } catch (IOException e) {
                requireNoInterrupt("fetching the id from " + server);
                last = e;
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    /** Looks an unresolved name up for each attempt. */
    private static InetSocketAddress resolved(InetSocketAddress server) {
        return server.isUnresolved() ? new InetSocketAddress(server.getHostString(), server.getPort()) : server;
    }

    private static NcclUniqueId request(Socket socket, InetSocketAddress server, long nanos) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeLong(MAGIC);
        out.flush();
        long deadline = System.nanoTime() + nanos;
        long magic = readLong(socket, deadline);
        if (magic != MAGIC) {
            throw new WrongServerException(server + " serves no NCCL id: it says 0x%x".formatted(magic));
        }
        byte[] bytes = read(socket, NcclUniqueId.SIZE, deadline);
        out.writeByte(RECEIVED);
        out.flush();
        return NcclUniqueId.of(bytes);
    }

    private static long after(long millis) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static long readLong(Socket socket, long deadline) throws IOException {
        return ByteBuffer.wrap(read(socket, Long.BYTES, deadline)).getLong();
    }

    /** Reads with short timeouts, to notice an interrupt: a server answers its clients one after the other. */
    private static byte[] read(Socket socket, int length, long deadline) throws IOException {
        byte[] bytes = new byte[length];
        for (int count = 0; count < length; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            socket.setSoTimeout((int) Math.clamp(left, 1, LONGEST_SLEEP_MILLIS));
            try {
                int more = socket.getInputStream().read(bytes, count, length - count);
                if (more < 0) {
                    throw new EOFException("the peer has closed the connection");
                }
                count += more;
            } catch (SocketTimeoutException e) {
                if (left <= 0 || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
            }
        }
        return bytes;
    }

    /** Another attempt would not help. */
    private static final class WrongServerException extends IOException {
        private static final long serialVersionUID = 1L;

        WrongServerException(String message) {
            super(message);
        }
    }
}
