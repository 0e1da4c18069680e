// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.internal.SendOpcode.*;

import io.github.rdma4j.verbs.internal.ByteOrders;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Work requests of one queue pair that are posted together, in order. Start a batch with
 * {@link QueuePair#startBatch()}, fill it, and post it: one call into the adapter's library, one doorbell. Filling and
 * posting allocate nothing. A batch has every operation of queue pairs, for basic and for extended posting
 * ({@link QueuePairConfig#sendOperations}).
 *
 * <p>The adapter sees nothing before {@link #tryPost()}. An invalid argument throws an
 * {@link IllegalArgumentException}; a closed queue pair or region, or a full batch, throws an
 * {@link IllegalStateException}; the batch is then unchanged. An operation that the queue pair was not created for
 * throws an {@link UnsupportedVerbException}.
 *
 * <p>Thread safety: a batch belongs to the thread that started it. If another thread fills or posts it, an
 * {@link IllegalStateException} names both threads; each thread must start its own batch. Several threads may fill and
 * post their batches of one queue pair at once: the requests of one batch stay together in the queue.
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
    /** The index of the first request that is not posted. */
    private int first;
    /** The index after the last request. */
    private int end;

    /**
     * Creates an empty batch.
     *
     * @param user the thread that may use it; null for any thread inside the queue pair's guard
     */
    SendBatch(QueuePair queue, int capacity, SendRecorder recorder, Thread user) {
        super(user);
        this.queue = queue;
        this.capacity = capacity;
        this.recorder = recorder;
        QueuePairType type = queue.checks().type();
        this.datagrams = type == QueuePairType.UD || type == QueuePairType.DRIVER;
        this.addressed = datagrams || type == QueuePairType.XRC_SEND;
    }

    /**
     * {@return the maximum number of requests in one batch: the depth of the send queue, at most 256. A posted part
     * counts until the rest is posted}
     */
    public int capacity() {
        return capacity;
    }

    /** {@return the number of requests that were added and are not posted} */
    public int size() {
        return end - first;
    }

    /**
     * Adds an RDMA write ({@code IBV_WR_RDMA_WRITE}), which copies local memory to the peer's memory. The peer is not
     * notified.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write
     * @param remote the destination, at least as long as {@code local}
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch write(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        queue.checks().oneSided(RDMA_WRITE, local, remote, flags);
        return transfer(RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds an RDMA write of several slices, which follow each other in the peer's memory.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write
     * @param remote the destination, at least as long as {@code local}
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch write(long workRequestId, SliceList local, RemoteMemory remote, int flags) {
        queue.checks().oneSided(RDMA_WRITE, local, remote, flags);
        return transfer(RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds an RDMA write that notifies the peer ({@code IBV_WR_RDMA_WRITE_WITH_IMM}). It consumes one of the peer's
     * receives, whose completion carries the number.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write
     * @param remote the destination, at least as long as {@code local}
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags a combination of {@link SendFlags}
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
     * Adds an RDMA write of several slices that notifies the peer; see
     * {@link #writeWithImmediate(long, MemorySlice, RemoteMemory, int, int)}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the data to write
     * @param remote the destination, at least as long as {@code local}
     * @param immediate any number
     * @param flags a combination of {@link SendFlags}
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
     * Adds an RDMA read ({@code IBV_WR_RDMA_READ}): it copies the peer's memory to local memory. The peer is not
     * notified.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the destination; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote the memory to read, at least as long as {@code local}
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch read(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        queue.checks().read(local, remote, flags);
        return transfer(RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds an RDMA read into several slices, which are filled in order.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the destination; the regions need {@link AccessFlag#LOCAL_WRITE}
     * @param remote the memory to read, at least as long as {@code local}
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch read(long workRequestId, SliceList local, RemoteMemory remote, int flags) {
        queue.checks().read(local, remote, flags);
        return transfer(RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Adds a send ({@code IBV_WR_SEND}): the message goes into the oldest receive that the peer has posted.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch send(long workRequestId, MemorySlice local, int flags) {
        queue.checks().send(SEND, local, flags);
        return transfer(SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Adds a send of several slices, which form one message.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch send(long workRequestId, SliceList local, int flags) {
        queue.checks().send(SEND, local, flags);
        return transfer(SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Adds a send with a number that accompanies the message ({@code IBV_WR_SEND_WITH_IMM}).
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithImmediate(long workRequestId, MemorySlice local, int immediate, int flags) {
        queue.checks().send(SEND_WITH_IMMEDIATE, local, flags);
        return transfer(SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Adds a send of several slices with a number that accompanies the message.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithImmediate(long workRequestId, SliceList local, int immediate, int flags) {
        queue.checks().send(SEND_WITH_IMMEDIATE, local, flags);
        return transfer(SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Adds a send that revokes access ({@code IBV_WR_SEND_WITH_INV}): the peer's adapter invalidates the key of a
     * memory window of the peer before it completes the receive.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param remoteKey the key of the window to invalidate; the peer's {@link WorkCompletion#invalidatedRemoteKey()}
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithInvalidate(long workRequestId, MemorySlice local, int remoteKey, int flags) {
        queue.checks().send(SEND_WITH_INVALIDATE, local, flags);
        return transfer(SEND_WITH_INVALIDATE, workRequestId, local, 0, 0, remoteKey, flags);
    }

    /**
     * Adds a send of several slices that revokes access; see {@link #sendWithInvalidate(long, MemorySlice, int, int)}.
     *
     * @param workRequestId identifies the request in its completion
     * @param local the message
     * @param remoteKey the key of the window to invalidate
     * @param flags a combination of {@link SendFlags}
     * @return this
     */
    public SendBatch sendWithInvalidate(long workRequestId, SliceList local, int remoteKey, int flags) {
        queue.checks().send(SEND_WITH_INVALIDATE, local, flags);
        return transfer(SEND_WITH_INVALIDATE, workRequestId, local, 0, 0, remoteKey, flags);
    }

    /**
     * Adds a compare-and-swap on eight bytes of the peer ({@code IBV_WR_ATOMIC_CMP_AND_SWP}): if they hold the expected
     * value, they are set to the new one. The number is in the byte order of the peer's CPU.
     *
     * @param workRequestId identifies the request in its completion
     * @param previous the destination of the previous value, eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param expected the value to compare with
     * @param newValue the value to store if the comparison holds
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch compareAndSwap(
            long workRequestId, MemorySlice previous, RemoteMemory remote, long expected, long newValue, int flags) {
        queue.checks().atomic(COMPARE_AND_SWAP, previous, remote, flags);
        return atomic(COMPARE_AND_SWAP, workRequestId, previous, remote, expected, newValue, flags);
    }

    /**
     * Adds a fetch-and-add on eight bytes of the peer ({@code IBV_WR_ATOMIC_FETCH_AND_ADD}).
     *
     * @param workRequestId identifies the request in its completion
     * @param previous the destination of the previous value, eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param addend the number to add, wrapping around
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch fetchAndAdd(
            long workRequestId, MemorySlice previous, RemoteMemory remote, long addend, int flags) {
        queue.checks().atomic(FETCH_AND_ADD, previous, remote, flags);
        return atomic(FETCH_AND_ADD, workRequestId, previous, remote, addend, 0, flags);
    }

    /**
     * Adds the invalidation of a key of this side ({@code IBV_WR_LOCAL_INV}): a memory window of type 2 loses its
     * binding.
     *
     * @param workRequestId identifies the request in its completion
     * @param remoteKey the key of the window
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return this
     */
    public SendBatch localInvalidate(long workRequestId, int remoteKey, int flags) {
        queue.checks().operation(LOCAL_INVALIDATE, flags);
        int index = begin(LOCAL_INVALIDATE, flags);
        recorder.invalidate(index, workRequestId, remoteKey, flags);
        return added(index);
    }

    /**
     * Adds the binding of a memory window of type 2 ({@code IBV_WR_BIND_MW}): later requests in the send queue can use
     * the slice by the key, and so can the peer once the binding has completed. The window then belongs to this queue
     * pair. Posting a batch with bindings takes the lock of the device context, so it may wait for a registration.
     *
     * @param workRequestId identifies the request in its completion
     * @param window of type 2 and of this queue pair's protection domain; not bound
     * @param remoteKey the new key: {@link MemoryWindow#nextRemoteKey()}, or another one that differs in the low byte
     *     only
     * @param slice the part that the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @param access of {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC} and {@link AccessFlag#ZERO_BASED}; writing and atomics need a region with
     *     {@link AccessFlag#LOCAL_WRITE}
     * @return this
     * @throws IllegalArgumentException if an argument is invalid
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
     * Adds an atomic write of eight bytes ({@code IBV_WR_ATOMIC_WRITE}), which is ordered after the writes before it.
     * Only in extended posting, with {@link SendOperation#ATOMIC_WRITE}.
     *
     * @param workRequestId identifies the request in its completion
     * @param value the value to store, in the byte order of this side's CPU
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_WRITE}
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
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
     * Adds a flush ({@code IBV_WR_FLUSH}): it completes when earlier writes to the peer's memory have reached the
     * placement. Only in extended posting, with {@link SendOperation#FLUSH}, and if both the peer's region and its
     * queue pair ({@link QueuePairConfig#remoteAccess}) allow it.
     *
     * @param workRequestId identifies the request in its completion
     * @param remote the memory to flush
     * @param placement how far to flush
     * @param level whether only the named bytes or the whole region
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
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
     * one. For raw packets and IP over InfiniBand, if the device supports it.
     *
     * @param workRequestId identifies the request in its completion
     * @param header all headers of the first segment, at most {@link QueuePairConfig#maxSegmentHeader}; it is copied
     * @param maxSegmentSize the maximum number of bytes of the stream in one segment ({@code mss}), 1 to 65535
     * @param local the stream
     * @param flags a combination of {@link SendFlags}, without {@link SendFlags#INLINE}
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
     * Sets the destination of requests that are added from now on. Required for datagrams (UD) and for
     * {@linkplain SrdQueuePair SRD}, and only for them. Starting a new batch clears it.
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
     * Sets the peer's shared receive queue for requests that are added from now on. Required for queue pairs of type
     * XRC_SEND, and only for them. Starting a new batch clears it.
     *
     * @param number the number of the peer's shared receive queue ({@code srqn}), 24 bits
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

    /** Adds a transfer. Also used by {@link SingleRequests}, which checks the arguments itself. */
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
        queue.requireEqualLengths(local, flags);
        recorder.transfer(index, opcode, workRequestId, local, remoteAddress, remoteKey, immediateOrKey, flags);
        return added(index);
    }

    private SendBatch atomic(
            int opcode,
            long workRequestId,
            MemorySlice previous,
            RemoteMemory remote,
            long compareOrAdd,
            long swap,
            int flags) {
        int index = begin(opcode, flags);
        recorder.atomic(index, opcode, workRequestId, previous, remote, compareOrAdd, swap, flags);
        return added(index);
    }

    /**
     * Returns the index of the next request. This check cannot be turned off: adapters' libraries would dereference a
     * null pointer.
     */
    private int begin(int opcode, int flags) {
        requireUser("startBatch()");
        queue.requireOpenSoon();
        if (end >= capacity) {
            throw new IllegalStateException(
                    "the batch is full: it holds " + size() + " requests; post them first (tryPost)");
        }
        queue.requireOperation(opcode, flags);
        if (addressed) {
            queue.checks().requireAddress(destination, sharedReceiveQueue);
            if (queue.checks().type() == QueuePairType.DRIVER) {
                queue.checks().requireFlagsOfSrd(opcode, flags);
            }
        }
        return end;
    }

    /** The address last: the native structure stores it in the field of the remote memory. */
    private SendBatch added(int index) {
        if (addressed) {
            if (datagrams) {
                recorder.destination(index, destination);
            } else {
                recorder.sharedReceiveQueue(index, sharedReceiveQueue);
            }
        }
        end = index + 1;
        // The requests' memory lives as long as this object.
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Posts the requests, in order. Posted requests leave the batch, so {@link #size()} then is the number of requests
     * that were not posted. Call this again to post them, or {@link QueuePair#startBatch()} to drop them. If the driver
     * does not name the request that it refused, none counts as posted. With extended posting, either all or none are
     * posted, except on mlx5 adapters, which post as many as fit.
     *
     * @return true if all were posted, false if the queue is full
     * @throws IllegalStateException if the queue pair is closed, or an address handle, memory window or memory region
     *     of a request; then none was posted
     * @throws VerbsException if a request was refused for another reason; it is the first one in the batch
     */
    public boolean tryPost() {
        requireUser("startBatch()");
        // Bindings are rare enough for the lock, which keeps windows and regions open. It comes before the guard,
        // because a close of the queue pair holds it while it waits for the guard.
        int errno = recorder.hasBindings() ? queue.locked(this::enterAndPost) : enterAndPost();
        Reference.reachabilityFence(this);
        return queue.accepted(errno);
    }

    private int enterAndPost() {
        int entry = queue.enterSend();
        try {
            return postEntered();
        } finally {
            queue.exitSend(entry);
        }
    }

    /**
     * Posts inside the guard.
     *
     * @return 0 or an errno
     */
    int postEntered() {
        if (first == end) {
            return 0;
        }
        int errno = recorder.post(first, end);
        first += recorder.accepted();
        if (first == end) {
            first = 0;
            end = 0;
        }
        return errno;
    }

    /** Starts the batch, for {@link QueuePair#startBatch()}. */
    SendBatch start() {
        clear();
        return this;
    }

    /** Empties the batch and drops its requests. */
    void clear() {
        first = 0;
        end = 0;
        destination = null;
        sharedReceiveQueue = PostingChecks.NO_NUMBER;
        recorder.clear();
    }

    /** {@return the queue pair of the requests} */
    @Override
    public String toString() {
        return "the send batch of " + queue;
    }
}
