// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.internal.SendOpcode.*;

import io.github.rdma4j.verbs.internal.ByteOrders;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Work requests of one queue pair that are posted together, in order. A batch is started by
 * {@link QueuePair#startBatch()}, filled, and posted: one call into the adapter's library, one doorbell. Filling and
 * posting allocate nothing. Every operation that a queue pair can do is here, for basic and for extended posting
 * ({@link QueuePairConfig#sendOperations}).
 *
 * <p>What is filled stays in the batch: the adapter sees nothing before {@link #post()}. Mistakes in the arguments are
 * an {@link IllegalArgumentException}, a closed queue pair or region and a full batch an {@link IllegalStateException};
 * the batch is then as it was before the call. An operation that the queue pair was not created for is an
 * {@link UnsupportedVerbException}.
 *
 * <p>Thread safety: a batch belongs to the thread that started it. Another thread that fills or posts it gets an
 * {@link IllegalStateException} that names both; it starts a batch of its own. Several threads may fill and post their
 * batches of one queue pair at once: each batch goes into the queue in one piece.
 *
 * @since 0.1.0
 */
public final class SendBatch extends ThreadBatch {
    private final QueuePair queue;
    private final int capacity;
    private final SendRecorder recorder;
    /** Whether requests need a destination or the number of a shared receive queue. */
    private final boolean datagrams;

    private final boolean addressed;

    private Destination destination;
    private int sharedReceiveQueue = PostingChecks.NO_NUMBER;
    private int size;
    private int error;

    /**
     * An empty batch.
     *
     * @param user who may use it; null if that is whoever is inside the queue pair's guard
     */
    SendBatch(QueuePair queue, int capacity, SendRecorder recorder, Thread user) {
        super(user);
        this.queue = queue;
        this.capacity = capacity;
        this.recorder = recorder;
        QueuePairType type = queue.checks().type();
        this.datagrams = type == QueuePairType.UD;
        this.addressed = datagrams || type == QueuePairType.XRC_SEND;
    }

    /** {@return the most requests in one batch: the depth of the send queue, at most 256} */
    public int capacity() {
        return capacity;
    }

    /** {@return the requests added since the start} */
    public int size() {
        return size;
    }

    /**
     * Adds an RDMA write ({@code IBV_WR_RDMA_WRITE}): local memory goes to the peer's, which does not notice.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch write(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        queue.checks().oneSided(RDMA_WRITE, local, remote, flags);
        return transfer(RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds an RDMA write of several slices, one behind the other in the peer's memory.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch write(long workRequestId, SliceList local, RemoteMemory remote, int flags) {
        queue.checks().oneSided(RDMA_WRITE, local, remote, flags);
        return transfer(RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds an RDMA write that tells the peer ({@code IBV_WR_RDMA_WRITE_WITH_IMM}): it consumes one of the peer's
     * receives, whose completion carries the number.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch writeWithImmediate(
            long workRequestId, MemorySlice local, RemoteMemory remote, int immediate, int flags) {
        queue.checks().oneSided(RDMA_WRITE_WITH_IMMEDIATE, local, remote, flags);
        return transfer(
                RDMA_WRITE_WITH_IMMEDIATE,
                workRequestId,
                local,
                remote.address(),
                remote.remoteKey(),
                ByteOrders.toNetwork(immediate),
                flags);
    }

    /**
     * Adds an RDMA write of several slices that tells the peer; see
     * {@link #writeWithImmediate(long, MemorySlice, RemoteMemory, int, int)}.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param immediate any number
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch writeWithImmediate(
            long workRequestId, SliceList local, RemoteMemory remote, int immediate, int flags) {
        queue.checks().oneSided(RDMA_WRITE_WITH_IMMEDIATE, local, remote, flags);
        return transfer(
                RDMA_WRITE_WITH_IMMEDIATE,
                workRequestId,
                local,
                remote.address(),
                remote.remoteKey(),
                ByteOrders.toNetwork(immediate),
                flags);
    }

    /**
     * Adds an RDMA read ({@code IBV_WR_RDMA_READ}): the peer's memory comes here, and the peer does not notice.
     *
     * @param workRequestId comes back in the completion
     * @param local where to; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote what to read; at least as long
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch read(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        queue.checks().read(local, remote, flags);
        return transfer(RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds an RDMA read into several slices, which are filled in order.
     *
     * @param workRequestId comes back in the completion
     * @param local where to; the regions need {@link AccessFlag#LOCAL_WRITE}
     * @param remote what to read; at least as long
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch read(long workRequestId, SliceList local, RemoteMemory remote, int flags) {
        queue.checks().read(local, remote, flags);
        return transfer(RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds a send ({@code IBV_WR_SEND}): the message goes into the oldest receive that the peer has posted.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch send(long workRequestId, MemorySlice local, int flags) {
        queue.checks().send(SEND, local, flags);
        return transfer(SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Adds a send of several slices, which make one message.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch send(long workRequestId, SliceList local, int flags) {
        queue.checks().send(SEND, local, flags);
        return transfer(SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Adds a send with a number beside the message ({@code IBV_WR_SEND_WITH_IMM}).
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithImmediate(long workRequestId, MemorySlice local, int immediate, int flags) {
        queue.checks().send(SEND_WITH_IMMEDIATE, local, flags);
        return transfer(SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Adds a send of several slices with a number beside the message.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithImmediate(long workRequestId, SliceList local, int immediate, int flags) {
        queue.checks().send(SEND_WITH_IMMEDIATE, local, flags);
        return transfer(SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Adds a send that takes a right back ({@code IBV_WR_SEND_WITH_INV}): the peer's adapter invalidates the key of a
     * memory window of the peer before it completes the receive.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param remoteKey of the window to invalidate; the peer's {@link WorkCompletion#invalidatedRemoteKey()}
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithInvalidate(long workRequestId, MemorySlice local, int remoteKey, int flags) {
        queue.checks().send(SEND_WITH_INVALIDATE, local, flags);
        return transfer(SEND_WITH_INVALIDATE, workRequestId, local, 0, 0, remoteKey, flags);
    }

    /**
     * Adds a send of several slices that takes a right back; see
     * {@link #sendWithInvalidate(long, MemorySlice, int, int)}.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param remoteKey of the window to invalidate
     * @param flags of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithInvalidate(long workRequestId, SliceList local, int remoteKey, int flags) {
        queue.checks().send(SEND_WITH_INVALIDATE, local, flags);
        return transfer(SEND_WITH_INVALIDATE, workRequestId, local, 0, 0, remoteKey, flags);
    }

    /**
     * Adds a compare-and-swap on eight bytes of the peer ({@code IBV_WR_ATOMIC_CMP_AND_SWP}): if they hold the expected
     * value, they are set to the new one. The number is in the byte order of the peer's processor.
     *
     * @param workRequestId comes back in the completion
     * @param original where the value before the operation goes: eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch compareAndSwap(
            long workRequestId, MemorySlice original, RemoteMemory remote, long expected, long newValue, int flags) {
        queue.checks().atomic(COMPARE_AND_SWAP, original, remote, flags);
        return atomic(COMPARE_AND_SWAP, workRequestId, original, remote, expected, newValue, flags);
    }

    /**
     * Adds a fetch-and-add on eight bytes of the peer ({@code IBV_WR_ATOMIC_FETCH_AND_ADD}).
     *
     * @param workRequestId comes back in the completion
     * @param original where the value before the operation goes: eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param addend is added, wrapping around
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch fetchAndAdd(
            long workRequestId, MemorySlice original, RemoteMemory remote, long addend, int flags) {
        queue.checks().atomic(FETCH_AND_ADD, original, remote, flags);
        return atomic(FETCH_AND_ADD, workRequestId, original, remote, addend, 0, flags);
    }

    /**
     * Adds the invalidation of a key of this side ({@code IBV_WR_LOCAL_INV}): a memory window of type 2 loses its
     * binding.
     *
     * @param workRequestId comes back in the completion
     * @param remoteKey the window's
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch localInvalidate(long workRequestId, int remoteKey, int flags) {
        queue.checks().operation(LOCAL_INVALIDATE, flags);
        int index = begin(LOCAL_INVALIDATE, flags);
        recorder.invalidate(index, workRequestId, remoteKey, flags);
        return added(index);
    }

    /**
     * Adds the binding of a memory window of type 2 ({@code IBV_WR_BIND_MW}): requests behind it in the send queue, and
     * the peer once it has completed, can use the part of the region by the key. The window then belongs to this queue
     * pair. A batch with bindings is posted with the lock that closing takes; it may wait for a registration.
     *
     * @param workRequestId comes back in the completion
     * @param window of type 2 and of this queue pair's protection domain; not bound
     * @param remoteKey the new key: {@link MemoryWindow#nextRemoteKey()}, or another one that differs in the low byte
     *     only
     * @param slice what the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC} and {@link AccessFlag#ZERO_BASED}; writing and atomics need a region with
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return this
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the window, the region or the queue pair is closed, or the batch is full
     */
    public SendBatch bindMemoryWindow(
            long workRequestId,
            MemoryWindow window,
            int remoteKey,
            MemorySlice slice,
            int flags,
            AccessFlag... access) {
        int mask = AccessFlag.mask(access);
        queue.checks().operation(BIND_MEMORY_WINDOW, flags);
        window.checkBinding(MemoryWindowType.TYPE_2, queue, slice, mask);
        window.checkKey(remoteKey);
        int index = begin(BIND_MEMORY_WINDOW, flags);
        recorder.bind(index, workRequestId, window, remoteKey, slice, mask, flags);
        return added(index);
    }

    /**
     * Adds a write of eight bytes that happens at once ({@code IBV_WR_ATOMIC_WRITE}), in order behind the writes before
     * it. Only in extended posting, with {@link SendOperation#ATOMIC_WRITE}.
     *
     * @param workRequestId comes back in the completion
     * @param value is stored, in the byte order of this side's processor
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_WRITE}
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch atomicWrite(long workRequestId, long value, RemoteMemory remote, int flags) {
        queue.checks().operation(ATOMIC_WRITE, flags);
        Checks.atomic(remote);
        int index = begin(ATOMIC_WRITE, flags);
        recorder.atomicWrite(index, workRequestId, value, remote, flags);
        return added(index);
    }

    /**
     * Adds a flush ({@code IBV_WR_FLUSH}): it completes when what was written to the peer's memory before has reached
     * the place. Only in extended posting, with {@link SendOperation#FLUSH}, and where the peer's region and its queue
     * pair ({@link QueuePairConfig#remoteAccess}) both allow it.
     *
     * @param workRequestId comes back in the completion
     * @param remote what to flush
     * @param placement how far
     * @param level whether only the named bytes or the whole region
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch flush(
            long workRequestId, RemoteMemory remote, FlushPlacement placement, FlushLevel level, int flags) {
        queue.checks().operation(FLUSH, flags);
        int index = begin(FLUSH, flags);
        recorder.flush(index, workRequestId, remote, placement, level, flags);
        return added(index);
    }

    /**
     * Adds a send that the adapter cuts into TCP segments ({@code IBV_WR_TSO}), each with a header made from the given
     * one. For raw packets and IP over InfiniBand, where the device can do it.
     *
     * @param workRequestId comes back in the completion
     * @param header all headers of the first segment, at most {@link QueuePairConfig#maxSegmentHeader}; it is copied
     * @param maxSegmentSize the most bytes of the stream in one segment ({@code mss}), 1 to 65535
     * @param local the stream
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch segmentedSend(
            long workRequestId, MemorySegment header, int maxSegmentSize, SliceList local, int flags) {
        queue.checks().segmentedSend(header, maxSegmentSize, local, flags);
        int index = begin(SEGMENTED_SEND, flags);
        recorder.transfer(index, SEGMENTED_SEND, workRequestId, local, 0, 0, 0, flags);
        recorder.segmented(index, header, maxSegmentSize);
        return added(index);
    }

    /**
     * Says where the datagrams that are added from now on go; for queue pairs of type UD, which need one for each.
     * Forgotten when a new batch is started.
     *
     * @param destination the peer, with an address handle of this queue pair's protection domain, which must be open
     *     when the batch is posted
     * @return this
     * @throws IllegalArgumentException if the queue pair has another type, or the address handle another domain
     */
    public SendBatch to(Destination destination) {
        queue.checks().destination(queue, destination);
        requireUser("startBatch()");
        queue.requireOpenSoon();
        this.destination = destination;
        return this;
    }

    /**
     * Says which shared receive queue of the peer the requests that are added from now on concern; for queue pairs of
     * type XRC_SEND, which need one for each. Forgotten when a new batch is started.
     *
     * @param number of the peer's shared receive queue ({@code srqn}), 24 bits
     * @return this
     * @throws IllegalArgumentException if the queue pair has another type, or the number is too large
     */
    public SendBatch toSharedReceiveQueue(int number) {
        queue.checks().sharedReceiveQueue(number);
        requireUser("startBatch()");
        queue.requireOpenSoon();
        sharedReceiveQueue = number;
        return this;
    }

    /** For {@link SingleRequests} too, which have checked. */
    SendBatch transfer(
            int opcode,
            long workRequestId,
            MemorySlice local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        int index = begin(opcode, flags);
        recorder.transfer(index, opcode, workRequestId, local, remoteAddress, remoteKey, immediateOrKey, flags);
        return added(index);
    }

    private SendBatch transfer(
            int opcode,
            long workRequestId,
            SliceList local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        int index = begin(opcode, flags);
        queue.requireGoodList(local, flags);
        recorder.transfer(index, opcode, workRequestId, local, remoteAddress, remoteKey, immediateOrKey, flags);
        return added(index);
    }

    private SendBatch atomic(
            int opcode,
            long workRequestId,
            MemorySlice original,
            RemoteMemory remote,
            long compareOrAdd,
            long swap,
            int flags) {
        int index = begin(opcode, flags);
        recorder.atomic(index, opcode, workRequestId, original, remote, compareOrAdd, swap, flags);
        return added(index);
    }

    /**
     * The place of the next request. Not among the checks that can be switched off: adapters' libraries would follow a
     * null pointer.
     */
    private int begin(int opcode, int flags) {
        requireUser("startBatch()");
        queue.requireOpenSoon();
        if (size >= capacity) {
            throw new IllegalStateException("the batch is full: it holds " + size + " requests");
        }
        queue.requireOperation(opcode, flags);
        if (addressed) {
            queue.checks().requireAddress(destination, sharedReceiveQueue);
        }
        return size;
    }

    /** The address last: in the native structure it takes the place of the remote memory of other types. */
    private SendBatch added(int index) {
        if (addressed) {
            if (datagrams) {
                recorder.destination(index, destination);
            } else {
                recorder.sharedReceiveQueue(index, sharedReceiveQueue);
            }
        }
        size = index + 1;
        // The requests' memory lives as long as this object.
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Posts the requests, in order, and empties the batch.
     *
     * @return how many were accepted; fewer than {@link #size()} was if the queue filled up or one was refused, and
     *     {@link #error()} then says why. Those behind were not posted. 0 also if the driver refused without naming a
     *     request; with extended posting it is all or nothing, but on mlx5 adapters, where it is as many as fit
     * @throws IllegalStateException if the queue pair is closed, or an address handle, memory window or memory region
     *     that a request is about; then none was posted
     */
    public int post() {
        requireUser("startBatch()");
        if (recorder.hasBindings()) {
            // Rare enough for the lock, which keeps windows and regions open. It comes before the guard: closing a
            // queue pair holds it while it waits for the guard.
            queue.locked(this::enterAndPost);
        } else {
            enterAndPost();
        }
        Reference.reachabilityFence(this);
        error = queue.result(error);
        return recorder.accepted();
    }

    private int enterAndPost() {
        queue.enterSend();
        try {
            return postEntered();
        } finally {
            queue.exitSend();
        }
    }

    /**
     * Posts inside the guard.
     *
     * @return 0 or an errno
     */
    int postEntered() {
        int count = size;
        size = 0;
        error = recorder.post(count);
        return error;
    }

    /** {@return 0 if the last {@link #post()} accepted all, or {@link QueuePair#QUEUE_FULL}, or another errno} */
    public int error() {
        return error;
    }

    /** For {@link QueuePair#startBatch()}. */
    SendBatch start() {
        clear();
        return this;
    }

    /** Empties the batch; what was added is dropped. */
    void clear() {
        size = 0;
        destination = null;
        sharedReceiveQueue = PostingChecks.NO_NUMBER;
        recorder.clear();
    }

    /** {@return whose requests these are} */
    @Override
    public String toString() {
        return "the send batch of " + queue;
    }
}
