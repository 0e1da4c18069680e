// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.ExclusiveGuard;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import io.github.rdma4j.verbs.internal.datapath.SendFunctions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A send request that is written and checked once and posted many times, as C programs keep a
 * {@code struct ibv_send_wr} outside the loop. Values that change are set between posts. {@link QueuePair#prepare()}
 * creates it:
 *
 * <pre>{@code
 * PreparedRequest write = queuePair.prepare().length(64).write(ring, peersRing, SendFlags.SIGNALED);
 * for (long i = 0; i < 16; i++) {
 *     write.local(i * 64).remote(i * 64);
 *     while (!write.tryPost(i)) {
 *         completionQueue.poll(completions);
 *     }
 * }
 * }</pre>
 *
 * <p>A post uses the values of the request at that moment; later changes do not affect requests that were posted
 * before. As with all posts, the memory belongs to the adapter until the completion is polled. Inline data is copied at
 * each post, unless {@link #data(MemorySegment)} has set it.
 *
 * <p>It needs no close: the garbage collector frees its memory. It can be used as long as the queue pair, the region
 * and the address handle that it was prepared with are open; later posts throw an {@link IllegalStateException}. After
 * a region is {@linkplain MemoryRegion#reregister reregistered}, prepare its requests again. Setting and posting
 * allocate nothing.
 *
 * <p>Thread safety: for one thread at a time; hand it over to another thread with the usual synchronization. If two
 * threads use it at once, a post may take each value from either of them, and so name other bytes of the region or of
 * the peer's memory than either intended; nothing worse happens. Other threads may post on the same queue pair, each
 * with its own request.
 *
 * @since 0.1.0
 */
public final class PreparedRequest {
    private static final int WITH_IMMEDIATE =
            SendOpcode.mask(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, SendOpcode.SEND_WITH_IMMEDIATE);
    private static final int ATOMIC = SendOpcode.mask(SendOpcode.COMPARE_AND_SWAP, SendOpcode.FETCH_AND_ADD);

    private final QueuePair queue;
    private final int opcode;
    private final boolean withImmediate;
    private final MemorySlice local;
    private final MemoryRegion region;
    /** Null if the operation names no remote memory. */
    private final RemoteMemory remote;
    /** The address of a datagram; otherwise null. */
    private final AddressHandle addressHandle;
    /** Whether it is a request of an SRD queue pair. */
    private final boolean reliableDatagram;
    /** Null unless the request is inline. */
    private final InlineData inlineData;

    private final long maxLength;
    private final SendRequests request;
    /** The queue pair's functions and guard, without the indirection. */
    private final SendFunctions functions;

    private final ExclusiveGuard sendGuard;

    private long localOffset;
    /** Whether the inline data is set already, and not copied by a post. */
    private boolean brought;

    private long length;
    /** The bytes from the position of the request to the end of the peer's memory. */
    private long remoteRoom = Long.MAX_VALUE;
    /** Whether a post is a single call. One field, because each post reads it. */
    private boolean plain;

    /**
     * Writes the request; the arguments were checked.
     *
     * @param arena an automatic arena, for its memory
     * @param opcode of {@link SendOpcode}
     * @param local the slice in which the request may move
     * @param length the length of the first post
     * @param remote the memory in which the request may move; null if the operation names none
     * @param destination the destination of a datagram; otherwise null
     * @param flags a combination of {@link SendFlags}
     */
    PreparedRequest(
            QueuePair queue,
            Arena arena,
            int opcode,
            MemorySlice local,
            long length,
            RemoteMemory remote,
            Destination destination,
            int flags) {
        PostingChecks limits = queue.checks();
        boolean inline = (flags & SendFlags.INLINE) != 0;
        this.queue = queue;
        this.opcode = opcode;
        this.withImmediate = (1 << opcode & WITH_IMMEDIATE) != 0;
        this.local = local;
        this.region = local.region();
        this.remote = remote;
        this.addressHandle = destination == null ? null : destination.addressHandle();
        this.inlineData = inline ? new InlineData(arena, 1, limits.maxInlineData()) : null;
        this.maxLength =
                inline ? limits.maxInlineData() : remote == null ? limits.maxMessageSize() : limits.maxRdmaSize();
        this.reliableDatagram = limits.type() == QueuePairType.DRIVER;
        this.request = new SendRequests(arena, 1, 1);
        queue.requireOpen();
        this.functions = queue.functions();
        this.sendGuard = queue.sendGuard();
        request.fill(0, opcode, 0, inline ? inlineData.address() : local.address(), local.lengthAndKey(), 0, flags);
        local(0, length);
        if (isAtomic()) {
            request.atomic(0, remote.address(), remote.remoteKey(), 0, 0);
            remoteRoom = remote.length();
        } else if (remote != null) {
            request.remote(0, remote.address(), remote.remoteKey());
            remoteRoom = remote.length();
        }
        if (reliableDatagram) {
            request.reliableDatagram(0, addressHandle.address(), destination.queuePairNumber(), destination.queueKey());
        } else if (destination != null) {
            request.datagram(0, addressHandle.address(), destination.queuePairNumber(), destination.queueKey());
        }
        moved();
    }

    /** For {@link RequestPreparation}. */
    PreparedRequest toSharedReceiveQueue(int number) {
        request.sharedReceiveQueue(0, number);
        return this;
    }

    private boolean isAtomic() {
        return (1 << opcode & ATOMIC) != 0;
    }

    /**
     * Posts the request (ibv_post_send(3), or ibv_wr_start(3) and what follows it).
     *
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException if the bytes do not fit into the peer's memory at the offset that
     *     {@link #remote} has set
     * @throws IllegalStateException if the queue pair, the region or the address handle is closed, or the queue pair's
     *     state does not allow posting
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPost() {
        region.requireOpenSoon();
        boolean alone = plain;
        if (!alone) {
            requireRoomAtThePeer();
        }
        int result;
        // A local, because the compiler loads a field again after the native call.
        ExclusiveGuard guard = sendGuard;
        int entry = guard.enter();
        if (entry == ExclusiveGuard.CLOSED) {
            throw queue.closedException();
        }
        try {
            result = alone ? call() : postEntered();
        } finally {
            guard.exit(entry);
        }
        // The request's memory lives as long as this object.
        Reference.reachabilityFence(this);
        return result == 0 || PostRefusal.ofSend(queue, result);
    }

    private void requireRoomAtThePeer() {
        if (Checks.ENABLED && length > remoteRoom) {
            throw new IllegalArgumentException("%d bytes from offset %d on do not fit into %s"
                    .formatted(length, remote.length() - remoteRoom, remote));
        }
    }

    private int call() {
        return functions.post(request);
    }

    private int postEntered() {
        if (inlineData != null && !brought) {
            inlineData.copy(local, localOffset, length);
        }
        if (addressHandle != null) {
            // Closing the address handle then waits for threads inside the guard: see AddressHandle.
            addressHandle.requireOpen();
        }
        if (reliableDatagram) {
            queue.checks().requireFlagsOfSrd(opcode, request.flags(0));
        }
        return queue.isExtended() ? queue.postRequests(request, 0, 1) : call();
    }

    /**
     * Sets the number and posts the request.
     *
     * @param workRequestId identifies the request in its completion
     * @return true if it was posted, false if the queue is full
     * @throws IllegalArgumentException as {@link #tryPost()}
     * @throws IllegalStateException as {@link #tryPost()}
     * @throws VerbsException if it was refused for another reason
     */
    public boolean tryPost(long workRequestId) {
        return workRequestId(workRequestId).tryPost();
    }

    /**
     * Sets the number that completions of later posts carry; initially 0.
     *
     * @param workRequestId any number
     * @return this
     */
    public PreparedRequest workRequestId(long workRequestId) {
        request.workRequestId(0, workRequestId);
        return set();
    }

    /**
     * Sets whether later posts make a work completion; initially as in the flags. The other flags do not change.
     *
     * @param signaled as with {@link SendFlags#SIGNALED}
     * @return this
     */
    public PreparedRequest signaled(boolean signaled) {
        int others = request.flags(0) & ~SendFlags.SIGNALED;
        request.flags(0, signaled ? others | SendFlags.SIGNALED : others);
        return set();
    }

    /**
     * Moves the local bytes; their number stays.
     *
     * @param offset from the start of the slice that was prepared, in bytes
     * @return this
     * @throws IndexOutOfBoundsException if they would not lie within that slice
     */
    public PreparedRequest local(long offset) {
        return local(offset, length);
    }

    /**
     * Moves the local bytes and sets their number for later posts.
     *
     * @param offset from the start of the slice that was prepared, in bytes
     * @param length in bytes; of an atomic operation always 8
     * @return this
     * @throws IndexOutOfBoundsException if they would not lie within that slice
     * @throws IllegalArgumentException if a message, or inline data, cannot be that long
     */
    public PreparedRequest local(long offset, long length) {
        if (Checks.ENABLED) {
            Objects.checkFromIndexSize(offset, length, local.length());
        }
        // This check cannot be turned off: the adapter's library copies that many bytes of inline data.
        if (Long.compareUnsigned(length, maxLength) > 0 || isAtomic() && length != Long.BYTES) {
            throw badLength(length);
        }
        localOffset = offset;
        brought = false;
        this.length = length;
        if (inlineData == null) {
            request.localAddress(0, local.address() + offset);
        }
        request.localLength(0, (int) length);
        return moved();
    }

    /**
     * Sets the data of an inline request. The data is copied now, from any memory, and later posts carry it until
     * {@link #local} selects a part of the slice again.
     *
     * @param data at most as long as the queue pair carries inline; may be reused when this returns
     * @return this
     * @throws IllegalArgumentException if it is longer; the request carries what it carried before
     * @throws UnsupportedOperationException if the request is not inline
     */
    public PreparedRequest data(MemorySegment data) {
        inline().copy(data);
        return brought(data.byteSize());
    }

    /**
     * Sets the data of an inline request to the remaining bytes of a buffer, which are copied now. The buffer's
     * position does not change.
     *
     * @param data at most as long as the queue pair carries inline; may be reused when this returns
     * @return this
     * @throws IllegalArgumentException if it is longer; the request carries what it carried before
     * @throws UnsupportedOperationException if the request is not inline
     */
    public PreparedRequest data(ByteBuffer data) {
        inline().copy(data);
        return brought(data.remaining());
    }

    private InlineData inline() {
        if (inlineData == null) {
            throw lacks("inline data");
        }
        return inlineData;
    }

    private PreparedRequest brought(long bytes) {
        if (brought && length == bytes) {
            // The same length as before, as for most messages: the request already has it.
            return set();
        }
        // An error may interrupt this method: the next call must not rely on a length that the request does not have.
        brought = false;
        plain = false;
        length = bytes;
        request.localLength(0, (int) bytes);
        brought = true;
        return moved();
    }

    private IllegalArgumentException badLength(long length) {
        if (isAtomic()) {
            return new IllegalArgumentException("an atomic operation returns 8 bytes, not " + length);
        }
        return inlineData != null
                ? Checks.tooLongInline(length, queue.maxInlineData())
                : new IllegalArgumentException(
                        "a message of %d bytes: the port carries at most %d".formatted(length, maxLength));
    }

    /**
     * Moves the request in the peer's memory. {@link #tryPost()} checks that the bytes fit there, so this and
     * {@link #local} may be called in any order.
     *
     * @param offset from the start of the memory that was prepared, in bytes; of an atomic operation a multiple of
     *     eight
     * @return this
     * @throws IndexOutOfBoundsException if it lies outside that memory
     * @throws IllegalArgumentException if an atomic operation would not be at a multiple of eight
     * @throws UnsupportedOperationException if the operation names no memory of the peer
     */
    public PreparedRequest remote(long offset) {
        if (remote == null) {
            throw lacks("memory of the peer");
        }
        if (Checks.ENABLED) {
            Objects.checkFromIndexSize(offset, 0, remote.length());
        }
        long address = remote.address() + offset;
        if (isAtomic()) {
            if (Checks.ENABLED && (address & Long.BYTES - 1) != 0) {
                throw new IllegalArgumentException(
                        "an atomic operation works on 8 bytes at a multiple of 8, not at offset %d of %s"
                                .formatted(offset, remote));
            }
            request.atomicAddress(0, address);
        } else {
            request.remoteAddress(0, address);
        }
        remoteRoom = remote.length() - offset;
        return moved();
    }

    /**
     * Sets the number that is sent with the data.
     *
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @return this
     * @throws UnsupportedOperationException if the operation has no immediate data
     */
    public PreparedRequest immediate(int immediate) {
        if (!withImmediate) {
            throw lacks("immediate data");
        }
        request.immediate(0, ByteOrders.toNetwork(immediate));
        return set();
    }

    /**
     * Sets the number that a fetch-and-add adds.
     *
     * @param addend any number, wrapping around
     * @return this
     * @throws UnsupportedOperationException if the operation is not a fetch-and-add
     */
    public PreparedRequest addend(long addend) {
        if (opcode != SendOpcode.FETCH_AND_ADD) {
            throw lacks("addend");
        }
        request.compareOrAdd(0, addend);
        return set();
    }

    /**
     * Sets the value that a compare-and-swap expects.
     *
     * @param expected any number
     * @return this
     * @throws UnsupportedOperationException if the operation is not a compare-and-swap
     */
    public PreparedRequest expected(long expected) {
        if (opcode != SendOpcode.COMPARE_AND_SWAP) {
            throw lacks("expected value");
        }
        request.compareOrAdd(0, expected);
        return set();
    }

    /**
     * Sets the value that a compare-and-swap stores if the comparison holds.
     *
     * @param newValue any number
     * @return this
     * @throws UnsupportedOperationException if the operation is not a compare-and-swap
     */
    public PreparedRequest newValue(long newValue) {
        if (opcode != SendOpcode.COMPARE_AND_SWAP) {
            throw lacks("new value");
        }
        request.swap(0, newValue);
        return set();
    }

    private UnsupportedOperationException lacks(String what) {
        return new UnsupportedOperationException("%s has no %s".formatted(SendOpcode.withArticle(opcode), what));
    }

    private PreparedRequest moved() {
        plain = !queue.isExtended() && (inlineData == null || brought) && addressHandle == null && length <= remoteRoom;
        return set();
    }

    /** The memory that was written to lives as long as this object. */
    private PreparedRequest set() {
        Reference.reachabilityFence(this);
        return this;
    }

    /** {@return operation and queue pair} */
    @Override
    public String toString() {
        return "a prepared %s of %s".formatted(SendOpcode.name(opcode), queue);
    }
}
