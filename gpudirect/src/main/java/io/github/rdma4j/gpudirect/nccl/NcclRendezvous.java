// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
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
     * @throws NcclTimeoutException if not all have come in time; the message says how many have
     */
    public static void serve(NcclUniqueId id, InetSocketAddress address, int peers, Duration timeout)
            throws IOException {
        try (ServerSocket server = new ServerSocket()) {
            server.setReuseAddress(true);
            server.bind(address, Math.max(peers, 1));
            serve(id, server, peers, timeout);
        }
    }

    /**
     * Serves the id at a socket that is open, so that its port can be told before.
     *
     * @param id made here
     * @param server bound; it stays open
     * @param peers how many fetch it
     * @param timeout how long at most
     * @throws IOException if the socket fails
     * @throws NcclTimeoutException if not all have come in time
     */
    public static void serve(NcclUniqueId id, ServerSocket server, int peers, Duration timeout) throws IOException {
        long limit = Limits.nanos(timeout);
        long start = System.nanoTime();
        for (int served = 0; served < peers; ) {
            long left = TimeUnit.NANOSECONDS.toMillis(limit - (System.nanoTime() - start));
            if (left <= 0) {
                throw late(served, peers, timeout);
            }
            server.setSoTimeout((int) Math.min(left, Integer.MAX_VALUE));
            try (Socket peer = server.accept()) {
                if (answer(id, peer, (int) Math.min(left, LONGEST_SILENCE_MILLIS))) {
                    served++;
                }
            } catch (SocketTimeoutException e) {
                throw late(served, peers, timeout);
            }
        }
    }

    private static NcclTimeoutException late(int served, int peers, Duration timeout) {
        return new NcclTimeoutException(
                "serving the id: %d of %d ranks have fetched it; it".formatted(served, peers), timeout);
    }

    private static boolean answer(NcclUniqueId id, Socket peer, int silenceMillis) {
        try {
            peer.setSoTimeout(Math.max(silenceMillis, 1));
            DataInputStream in = new DataInputStream(peer.getInputStream());
            if (in.readLong() != MAGIC) {
                return false;
            }
            DataOutputStream out = new DataOutputStream(peer.getOutputStream());
            out.writeLong(MAGIC);
            out.write(id.bytes());
            out.flush();
            return in.readByte() == GOT_IT;
        } catch (IOException e) {
            // One peer's failure is not the others'; it comes again, or is missed at the end.
            return false;
        }
    }

    /**
     * Fetches the id; tries again until the server is there.
     *
     * @param server where {@link #serve} listens
     * @param timeout how long at most
     * @return the id
     * @throws IOException if what answers is something else
     * @throws NcclTimeoutException if the server has not answered in time; the cause is the last failure
     */
    public static NcclUniqueId fetch(InetSocketAddress server, Duration timeout) throws IOException {
        long limit = Limits.nanos(timeout);
        long start = System.nanoTime();
        IOException last = null;
        while (true) {
            long left = TimeUnit.NANOSECONDS.toMillis(limit - (System.nanoTime() - start));
            if (left <= 0) {
                NcclTimeoutException failure = new NcclTimeoutException("fetching the id from " + server, timeout);
                failure.initCause(last);
                throw failure;
            }
            try (Socket socket = new Socket()) {
                int millis = (int) Math.min(left, Integer.MAX_VALUE);
                socket.connect(server, millis);
                socket.setSoTimeout(millis);
                return ask(socket, server);
            } catch (WrongServerException e) {
                throw e;
            } catch (IOException e) {
                last = e;
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private static NcclUniqueId ask(Socket socket, InetSocketAddress server) throws IOException {
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        out.writeLong(MAGIC);
        out.flush();
        DataInputStream in = new DataInputStream(socket.getInputStream());
        long magic = in.readLong();
        if (magic != MAGIC) {
            throw new WrongServerException(server + " serves no NCCL id: it says 0x%x".formatted(magic));
        }
        byte[] bytes = new byte[NcclUniqueId.SIZE];
        in.readFully(bytes);
        out.writeByte(GOT_IT);
        out.flush();
        return NcclUniqueId.of(bytes);
    }

    /** No use in trying again. */
    private static final class WrongServerException extends IOException {
        private static final long serialVersionUID = 1L;

        WrongServerException(String message) {
            super(message);
        }
    }
}
