// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import io.github.rdma4j.verbs.internal.datapath.SendPath;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A send request that is written and checked once, and posted many times, as C programs keep their
 * {@code struct ibv_send_wr} outside the loop; what changes is set in between. {@link QueuePair#prepare()} makes it:
 *
 * <pre>{@code
 * PreparedRequest write = queuePair.prepare().length(64).write(ring, peersRing, SendFlags.SIGNALED);
 * for (long i = 0; i < 16; i++) {
 *     write.local(i * 64).remote(i * 64).post(i);
 * }
 * }</pre>
 *
 * <p>What is posted is what the request says at that moment; setting something later changes nothing of what was posted
 * before, and as with all posts the memory belongs to the adapter until the completion is polled. Inline data is copied
 * at each post, unless {@link #data(MemorySegment)} has brought it.
 *
 * <p>It has nothing to close: its memory is the garbage collector's. It is of use as long as the queue pair, the region
 * and the address handle that it was prepared with are open; a post after that is an {@link IllegalStateException}. A
 * region that is {@linkplain MemoryRegion#reregister registered anew} needs a request that is prepared anew. Setting
 * and posting allocate nothing.
 *
 * <p>Thread safety: for one thread at a time; another one that takes it over must see what was set. If two use it at
 * once, a post may take each value from either of them, and so name other bytes of the region or of the peer's than
 * either meant; nothing worse happens. Other threads may post on the same queue pair, each with a request of its own.
 *
 * @since 0.1.0
 */
public final class PreparedRequest {
    private static final int WITH_IMMEDIATE =
            SendOpcode.mask(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, SendOpcode.SEND_WITH_IMMEDIATE);
    private static final int ATOMIC = SendOpcode.mask(SendOpcode.COMPARE_AND_SWAP, SendOpcode.FETCH_AND_ADD);

    private final QueuePair queue;
    private final int opcode;
    private final MemorySlice local;
    private final MemoryRegion region;
    /** Null if the operation names none. */
    private final RemoteMemory remote;
    /** Of a datagram; otherwise null. */
    private final AddressHandle addressHandle;
    /** Null unless the request is inline. */
    private final InlineData inlineData;

    private final long maxLength;
    private final SendRequests request;
    /** The queue's, without a way through it. */
    private final SendPath path;

    private long localOffset;
    /** Inline data is with the request already, and is not copied at a post. */
    private boolean brought;

    private long length;
    /** The bytes from where the request writes or reads to the end of the peer's memory. */
    private long remoteRoom = Long.MAX_VALUE;
    /** Whether a post is one call and nothing else. One field, because each post asks. */
    private boolean plain;

    /**
     * Writes the request; the arguments were checked.
     *
     * @param arena an automatic one, for its memory
     * @param opcode of {@link SendOpcode}
     * @param local in which the request may move
     * @param length of the first post
     * @param remote in which the request may move; null if the operation names none
     * @param destination of a datagram; otherwise null
     * @param flags of {@link SendFlags}
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
        this.local = local;
        this.region = local.region();
        this.remote = remote;
        this.addressHandle = destination == null ? null : destination.addressHandle();
        this.inlineData = inline ? new InlineData(arena, 1, limits.maxInlineData()) : null;
        this.maxLength = inline ? limits.maxInlineData() : limits.maxMessageSize();
        this.request = new SendRequests(arena, 1, 1);
        queue.requireOpen();
        this.path = queue.path();
        request.fill(0, opcode, 0, inline ? inlineData.address() : local.address(), local.lengthAndKey(), 0, flags);
        local(0, length);
        if (isAtomic()) {
            request.atomic(0, remote.address(), remote.remoteKey(), 0, 0);
            remoteRoom = remote.length();
        } else if (remote != null) {
            request.remote(0, remote.address(), remote.remoteKey());
            remoteRoom = remote.length();
        } else if (destination != null) {
            request.datagram(
                    0,
                    addressHandle.address(),
                    addressHandle.ringNumber(),
                    destination.queuePairNumber(),
                    destination.queueKey());
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
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the bytes do not fit into the peer's memory from where {@link #remote} has
     *     moved to
     * @throws IllegalStateException if the queue pair, the region or the address handle is closed, or the queue pair's
     *     state does not allow posting
     */
    public int post() {
        region.requireOpenSoon();
        boolean alone = plain;
        if (!alone) {
            requireRoomAtThePeer();
        }
        int result;
        queue.enterSend();
        try {
            result = alone ? call() : postEntered();
        } finally {
            queue.exitSend();
        }
        // The request's memory lives as long as this object.
        Reference.reachabilityFence(this);
        return queue.result(result);
    }

    private void requireRoomAtThePeer() {
        if (Checks.ENABLED && length > remoteRoom) {
            throw new IllegalArgumentException("%d bytes from offset %d on do not fit into %s"
                    .formatted(length, remote.length() - remoteRoom, remote));
        }
    }

    private int call() {
        return path.post(request);
    }

    private int postEntered() {
        if (inlineData != null && !brought) {
            inlineData.copy(local, localOffset, length);
        }
        if (addressHandle != null) {
            // Whoever closes it then waits for threads inside the guard: see AddressHandle.
            addressHandle.requireOpen();
        }
        return queue.isExtended() ? queue.postRequests(request, 1) : call();
    }

    /**
     * Sets the number and posts the request.
     *
     * @param workRequestId comes back in the completion
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException as {@link #post()}
     * @throws IllegalStateException as {@link #post()}
     */
    public int post(long workRequestId) {
        return workRequestId(workRequestId).post();
    }

    /**
     * Sets the number that the completions of the posts from now on carry; 0 at first.
     *
     * @param workRequestId any number
     * @return this
     */
    public PreparedRequest workRequestId(long workRequestId) {
        request.workRequestId(0, workRequestId);
        return set();
    }

    /**
     * Says whether the posts from now on make a work completion; at first as the flags said. The other flags do not
     * change.
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
     * Moves the local bytes, whose number remains.
     *
     * @param offset from the start of the slice that was prepared, in bytes
     * @return this
     * @throws IndexOutOfBoundsException if they would not lie within that slice
     */
    public PreparedRequest local(long offset) {
        return local(offset, length);
    }

    /**
     * Moves the local bytes and sets how many the posts from now on move.
     *
     * @param offset from the start of the slice that was prepared, in bytes
     * @param length in bytes; of an atomic operation always 8
     * @return this
     * @throws IndexOutOfBoundsException if they would not lie within that slice
     * @throws IllegalArgumentException if a message cannot be so long, or inline data
     */
    public PreparedRequest local(long offset, long length) {
        if (Checks.ENABLED) {
            Objects.checkFromIndexSize(offset, length, local.length());
        }
        // Not among the checks that can be switched off: the adapter's library copies so many bytes of inline data.
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
     * Brings the data of an inline request: it is copied here and now, from any memory, and all posts from now on carry
     * it, until {@link #local} names a part of the slice again.
     *
     * @param data at most as long as the queue pair carries inline; free when this returns
     * @return this
     * @throws IllegalArgumentException if it is longer; the request carries what it carried before
     * @throws UnsupportedOperationException if the request is not inline
     */
    public PreparedRequest data(MemorySegment data) {
        inline().copy(data);
        return brought(data.byteSize());
    }

    /**
     * Brings the data of an inline request: what remains in a buffer, whose position stays, is copied here and now.
     *
     * @param data at most as long as the queue pair carries inline; free when this returns
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
            // As long as what was brought before, as most messages are: the request says so already.
            return set();
        }
        // An error may interrupt this: the next call must not rely on a length that the request does not have.
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
     * Moves in the peer's memory. Whether the bytes fit there is checked by {@link #post()}, so that this and
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
     * Sets the number beside the data.
     *
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @return this
     * @throws UnsupportedOperationException if the operation is none with immediate data
     */
    public PreparedRequest immediate(int immediate) {
        if ((1 << opcode & WITH_IMMEDIATE) == 0) {
            throw lacks("immediate data");
        }
        request.immediate(0, ByteOrders.toNetwork(immediate));
        return set();
    }

    /**
     * Sets what is added.
     *
     * @param addend any number, wrapping around
     * @return this
     * @throws UnsupportedOperationException if the operation is no fetch-and-add
     */
    public PreparedRequest addend(long addend) {
        if (opcode != SendOpcode.FETCH_AND_ADD) {
            throw lacks("addend");
        }
        request.compareOrAdd(0, addend);
        return set();
    }

    /**
     * Sets what is compared.
     *
     * @param expected any number
     * @return this
     * @throws UnsupportedOperationException if the operation is no compare-and-swap
     */
    public PreparedRequest expected(long expected) {
        if (opcode != SendOpcode.COMPARE_AND_SWAP) {
            throw lacks("expected value");
        }
        request.compareOrAdd(0, expected);
        return set();
    }

    /**
     * Sets what is stored if the comparison holds.
     *
     * @param newValue any number
     * @return this
     * @throws UnsupportedOperationException if the operation is no compare-and-swap
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
