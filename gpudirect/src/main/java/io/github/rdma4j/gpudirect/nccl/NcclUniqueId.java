// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.gpudirect.nccl.bindings.ncclUniqueId;
import io.github.rdma4j.gpudirect.nccl.internal.NcclFunction;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;

/**
 * The identifier by which the ranks of a communicator find each other ({@code ncclUniqueId}). One process creates it
 * and sends its bytes to all others. The bytes contain the creator's address and a secret. Everybody who has them can
 * join instead of a rank, so send them over a trusted network. {@link NcclRendezvous} does that over TCP.
 *
 * <p>Thread safety: immutable.
 *
 * @since 0.1.0
 */
public final class NcclUniqueId {
    /** The number of its bytes. */
    public static final int SIZE = 128;

    private final byte[] bytes;

    private NcclUniqueId(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Creates an id (ncclGetUniqueId). This process must keep running until all ranks have joined: NCCL listens for
     * them here.
     *
     * @return an id for one communicator
     * @throws NcclException if NCCL finds no network on which to listen
     * @throws NcclUnavailableException if NCCL cannot be used
     */
    public static NcclUniqueId create() {
        Library library = Library.current();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = ncclUniqueId.allocate(arena);
            library.check(library.calls().call(NcclFunction.GET_UNIQUE_ID, id.address()), "ncclGetUniqueId()", 0);
            return new NcclUniqueId(id.toArray(ValueLayout.JAVA_BYTE));
        }
    }

    /**
     * Returns the id that another process has created.
     *
     * @param bytes its {@link #bytes}, exactly 128
     * @return the id
     */
    public static NcclUniqueId of(byte[] bytes) {
        if (bytes.length != SIZE) {
            throw new IllegalArgumentException("%d bytes: an id has %d".formatted(bytes.length, SIZE));
        }
        return new NcclUniqueId(bytes.clone());
    }

    /** {@return its 128 bytes} */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * Sends the id to one peer, which calls {@link #receive}.
     *
     * @param peer an endpoint with messages of at least 128 bytes
     * @param timeout the longest wait for a buffer of the peer
     * @return false if the peer had no free buffer in time
     */
    public boolean send(Endpoint peer, Duration timeout) {
        return peer.send(bytes, timeout);
    }

    /**
     * Receives the id that the peer sends with {@link #send}.
     *
     * @param peer the endpoint of the process that created the id
     * @param timeout the longest wait
     * @return the id
     * @throws NcclTimeoutException if no message has arrived in time
     * @throws IllegalArgumentException if the message is something else
     */
    public static NcclUniqueId receive(Endpoint peer, Duration timeout) {
        return of(peer.receive(timeout)
                .orElseThrow(() -> new NcclTimeoutException("receiving the id from " + peer, timeout)));
    }

    MemorySegment struct(SegmentAllocator arena) {
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NcclUniqueId that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /** {@return a text without the bytes, which are secret} */
    @Override
    public String toString() {
        return "NCCL id of %d bytes".formatted(SIZE);
    }
}
