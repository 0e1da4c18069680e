// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

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
 * Gives a {@link NcclUniqueId} to the other ranks by TCP: rank 0 serves it, the others fetch it. The bytes go in the
 * clear and whoever connects gets them, so use a network that is trusted.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class NcclRendezvous {
    /** "rdma4jN1": the first 8 bytes each way. */
    private static final long MAGIC = 0x72646d61346a4e31L;

    private static final byte GOT_IT = 1;
    private static final int LONGEST_SILENCE_MILLIS = 2_000;
    /** After it the thread looks whether it was interrupted, which does not end a call of a socket. */
    private static final int LONGEST_SLEEP_MILLIS = 100;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private NcclRendezvous() {}

    /**
     * Serves the id until so many ranks have it. One that connects and says nothing, or something else, is left.
     *
     * @param id made here
     * @param address to listen at
     * @param peers how many fetch it: the ranks less this one
     * @param timeout how long at most
     * @throws IOException if the address cannot be used
     * @throws InterruptedIOException soon after the thread is interrupted, which it stays
     * @throws NcclTimeoutException if not all have come in time; the message says how many have
     */
    public static void serve(NcclUniqueId id, InetSocketAddress address, int peers, Duration timeout)
            throws IOException {
        // A socket would take a null for any port, which nobody knows.
        Objects.requireNonNull(address, "address");
        try (ServerSocket server = new ServerSocket()) {
            server.setReuseAddress(true);
            server.bind(address, Math.max(peers, 1));
            serve(id, server, peers, timeout);
        }
    }

    /**
     * Serves the id at an open socket, so that its port can be announced before.
     *
     * @param id made here
     * @param server bound; it stays open, unless a virtual thread is interrupted, where the JDK closes it. A close by
     *     another thread ends the wait
     * @param peers how many fetch it
     * @param timeout how long at most
     * @throws IOException if the socket fails, or is closed meanwhile
     * @throws InterruptedIOException soon after the thread is interrupted, which it stays
     * @throws NcclTimeoutException if not all have come in time
     */
    public static void serve(NcclUniqueId id, ServerSocket server, int peers, Duration timeout) throws IOException {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(server, "server");
        long limit = Limits.nanos(timeout);
        long start = System.nanoTime();
        for (int served = 0; served < peers; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(limit - (System.nanoTime() - start));
            if (left <= 0) {
                throw new NcclTimeoutException(
                        "serving the id: %d of %d ranks have fetched it; it".formatted(served, peers), timeout);
            }
            requireNoInterrupt("serving the id");
            server.setSoTimeout((int) Math.min(left, LONGEST_SLEEP_MILLIS));
            try (Socket peer = server.accept()) {
                if (answer(id, peer, Math.min(left, LONGEST_SILENCE_MILLIS))) {
                    served++;
                }
            } catch (SocketTimeoutException e) {
                // The loop looks at the time and the interrupt status.
            } catch (SocketException e) {
                // The JDK closes the socket in which a virtual thread is interrupted.
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
            return read(peer, 1, after(silenceMillis))[0] == GOT_IT;
        } catch (IOException e) {
            // One peer's failure is not the others'; it comes again, or is missed at the end.
            return false;
        }
    }

    /**
     * Fetches the id; tries again until the server is there.
     *
     * @param server where {@link #serve} listens; a name that is not resolved is looked up for each attempt
     * @param timeout how long at most; with zero it tries once
     * @return the id
     * @throws IOException if what answers is something else
     * @throws InterruptedIOException soon after the thread is interrupted, which it stays; two seconds where connecting
     *     itself waits
     * @throws NcclTimeoutException if the server has not answered in time; the cause is the last failure
     */
    public static NcclUniqueId fetch(InetSocketAddress server, Duration timeout) throws IOException {
        long limit = Limits.nanos(timeout);
        long start = System.nanoTime();
        IOException last = null;
        while (true) {
            long left = TimeUnit.NANOSECONDS.toMillis(limit - (System.nanoTime() - start));
            // A late thread also tries once, so that the exception has a cause.
            if (left <= 0 && last != null) {
                NcclTimeoutException failure = new NcclTimeoutException("fetching the id from " + server, timeout);
                failure.initCause(last);
                throw failure;
            }
            try (Socket socket = new Socket()) {
                socket.connect(resolved(server), (int) Math.clamp(left, 1, LONGEST_SILENCE_MILLIS));
                return ask(socket, server, limit - (System.nanoTime() - start));
            } catch (WrongServerException e) {
                throw e;
            } catch (IOException e) {
                requireNoInterrupt("fetching the id from " + server);
                last = e;
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    /** A name that is not resolved is looked up for each attempt. */
    private static InetSocketAddress resolved(InetSocketAddress server) {
        return server.isUnresolved() ? new InetSocketAddress(server.getHostString(), server.getPort()) : server;
    }

    private static NcclUniqueId ask(Socket socket, InetSocketAddress server, long nanos) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeLong(MAGIC);
        out.flush();
        long deadline = System.nanoTime() + nanos;
        long magic = readLong(socket, deadline);
        if (magic != MAGIC) {
            throw new WrongServerException(server + " serves no NCCL id: it says 0x%x".formatted(magic));
        }
        byte[] bytes = read(socket, NcclUniqueId.SIZE, deadline);
        out.writeByte(GOT_IT);
        out.flush();
        return NcclUniqueId.of(bytes);
    }

    private static long after(long millis) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    private static long readLong(Socket socket, long deadline) throws IOException {
        return ByteBuffer.wrap(read(socket, Long.BYTES, deadline)).getLong();
    }

    /** In slices, between which it sees an interrupt; a server takes those who connect in turn. */
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

    /** No use in trying again. */
    private static final class WrongServerException extends IOException {
        private static final long serialVersionUID = 1L;

        WrongServerException(String message) {
            super(message);
        }
    }
}
