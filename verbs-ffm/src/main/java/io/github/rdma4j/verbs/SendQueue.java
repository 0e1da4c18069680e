// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.ByteOrders;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExclusiveGuard;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import io.github.rdma4j.verbs.internal.datapath.ExtendedPosting;
import io.github.rdma4j.verbs.internal.datapath.SendPath;
import java.lang.foreign.Arena;
import java.util.Set;

/**
 * The sending half of a {@link QueuePair}, and the one way to its peer: single requests, {@linkplain #prepare prepared}
 * ones and {@linkplain #startBatch batches} all go through it, and so do both interfaces of the adapter's library,
 * ibv_post_send(3) and ibv_wr_start(3).
 *
 * <p>The posting methods return at once, with 0 or the errno of the refusal; {@link QueuePair} tells what that means.
 *
 * <p>Thread safety: all methods may be called from any thread. Posting is fastest from one thread, as long as no other
 * joins in. A {@link SendBatch} is for the thread that started it.
 *
 * @since 0.1.0
 */
public abstract sealed class SendQueue extends Resource permits QueuePair {
    private static final int MAX_BATCH = SendRequests.MAX_BATCH;

    private final ExclusiveGuard sendGuard = new ExclusiveGuard();
    private final boolean onlyReceives;
    private final PostingChecks checks;
    private final SingleRequests singles;
    private final ThreadBatches<SendBatch> batches;

    /** Those that basic posting may be asked for, as bits by their opcodes. */
    private final int operations;

    private SendPath path;
    /** Null with basic posting. */
    private ExtendedPosting extended;

    /**
     * Prepares the memory; {@link #nativeQueue} must follow.
     *
     * @param domain of the queue pair
     * @param config with the sizes that are meant
     * @param port of the queue pair
     * @param arena for the requests that are posted alone; the queue pair closes it
     */
    SendQueue(ProtectionDomain domain, QueuePairConfig config, PortAttributes port, Arena arena) {
        super(concat(domain, config.parents().toArray(Resource[]::new)));
        this.onlyReceives = config.onlyReceives();
        this.checks = new PostingChecks(
                config.type(),
                domain,
                // The device may give more than was asked for; what nobody asked for needs no room.
                config.maxInlineData(),
                config.maxSendScatterGather(),
                config.type() == QueuePairType.UD ? port.activeMtu().bytes() : port.maxMessageSize(),
                config.maxSegmentHeader());
        Set<SendOperation> onlyOperations = config.sendOperations();
        this.operations = onlyOperations.isEmpty()
                ? ~SendOpcode.mask(SendOpcode.FLUSH, SendOpcode.ATOMIC_WRITE)
                : onlyOperations.stream()
                        .mapToInt(operation -> 1 << operation.opcode())
                        .sum();
        boolean requestsArePlain = onlyOperations.isEmpty()
                && !onlyReceives
                && config.type() != QueuePairType.UD
                && config.type() != QueuePairType.XRC_SEND;
        this.singles = new SingleRequests(this, arena, newBatch(1, null), requestsArePlain);
        int maxBatch = Math.min(MAX_BATCH, config.maxSendWorkRequests());
        this.batches = new ThreadBatches<>(user -> newBatch(maxBatch, user));
    }

    /** Names the way to the adapter, once the native object exists, and the one with ibv_wr_*, or null. */
    final void nativeQueue(SendPath sendPath, ExtendedPosting extendedPosting) {
        this.path = sendPath;
        this.extended = extendedPosting;
        singles.nativeQueue(sendPath);
    }

    /** {@return the most bytes that a request can carry inline, 0 if none were asked for} */
    public final int maxInlineData() {
        return checks.maxInlineData();
    }

    /**
     * Posts an RDMA write ({@code IBV_WR_RDMA_WRITE}): local memory goes to the peer's, which does not notice.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write, of any length up to the port's {@link PortAttributes#maxMessageSize()}
     * @param remote where to; at least as long
     * @param flags of {@link SendFlags}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postWrite(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        checks.oneSided(SendOpcode.RDMA_WRITE, local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_WRITE, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Posts an RDMA write that tells the peer ({@code IBV_WR_RDMA_WRITE_WITH_IMM}): it consumes one of the peer's
     * receives, whose completion carries the number.
     *
     * @param workRequestId comes back in the completion
     * @param local what to write
     * @param remote where to; at least as long
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postWriteWithImmediate(
            long workRequestId, MemorySlice local, RemoteMemory remote, int immediate, int flags) {
        checks.oneSided(SendOpcode.RDMA_WRITE_WITH_IMMEDIATE, local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_WRITE_WITH_IMMEDIATE,
                workRequestId,
                local,
                remote.address(),
                remote.remoteKey(),
                ByteOrders.toNetwork(immediate),
                flags);
    }

    /**
     * Posts an RDMA read ({@code IBV_WR_RDMA_READ}): the peer's memory comes here, and the peer does not notice.
     *
     * @param workRequestId comes back in the completion
     * @param local where to; its region needs {@link AccessFlag#LOCAL_WRITE}
     * @param remote what to read; at least as long
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postRead(long workRequestId, MemorySlice local, RemoteMemory remote, int flags) {
        checks.read(local, remote, flags);
        return singles.transfer(
                SendOpcode.RDMA_READ, workRequestId, local, remote.address(), remote.remoteKey(), 0, flags);
    }

    /**
     * Posts a send ({@code IBV_WR_SEND}): the message goes into the oldest receive that the peer has posted.
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param flags of {@link SendFlags}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postSend(long workRequestId, MemorySlice local, int flags) {
        checks.send(SendOpcode.SEND, local, flags);
        return singles.transfer(SendOpcode.SEND, workRequestId, local, 0, 0, 0, flags);
    }

    /**
     * Posts a send with a number beside the message ({@code IBV_WR_SEND_WITH_IMM}).
     *
     * @param workRequestId comes back in the completion
     * @param local the message
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param flags of {@link SendFlags}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postSendWithImmediate(long workRequestId, MemorySlice local, int immediate, int flags) {
        checks.send(SendOpcode.SEND_WITH_IMMEDIATE, local, flags);
        return singles.transfer(
                SendOpcode.SEND_WITH_IMMEDIATE, workRequestId, local, 0, 0, ByteOrders.toNetwork(immediate), flags);
    }

    /**
     * Posts a compare-and-swap on eight bytes of the peer; see {@link SendBatch#compareAndSwap}.
     *
     * @param workRequestId comes back in the completion
     * @param original where the value before the operation goes: eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param expected is compared
     * @param newValue is stored if the comparison holds
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postCompareAndSwap(
            long workRequestId, MemorySlice original, RemoteMemory remote, long expected, long newValue, int flags) {
        return singles.compareAndSwap(workRequestId, original, remote, expected, newValue, flags);
    }

    /**
     * Posts a fetch-and-add on eight bytes of the peer; see {@link SendBatch#fetchAndAdd}.
     *
     * @param workRequestId comes back in the completion
     * @param original where the value before the operation goes: eight bytes; its region needs
     *     {@link AccessFlag#LOCAL_WRITE}
     * @param remote at least eight bytes, at a multiple of eight; the region needs {@link AccessFlag#REMOTE_ATOMIC}
     * @param addend is added, wrapping around
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the queue pair or the region is closed
     */
    public final int postFetchAndAdd(
            long workRequestId, MemorySlice original, RemoteMemory remote, long addend, int flags) {
        return singles.fetchAndAdd(workRequestId, original, remote, addend, flags);
    }

    /**
     * Posts the binding of a memory window of type 2; see {@link SendBatch#bindMemoryWindow}.
     *
     * @param workRequestId comes back in the completion
     * @param window of type 2 and of this queue pair's protection domain; not bound
     * @param remoteKey the new key: {@link MemoryWindow#nextRemoteKey()}, or another one that differs in the low byte
     *     only
     * @param slice what the peer may use, of a region with {@link AccessFlag#MW_BIND}; not empty
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @param access what the peer may do
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together
     * @throws IllegalStateException if the window, the region or the queue pair is closed
     */
    public final int postBindMemoryWindow(
            long workRequestId,
            MemoryWindow window,
            int remoteKey,
            MemorySlice slice,
            int flags,
            AccessFlag... access) {
        return singles.bindMemoryWindow(workRequestId, window, remoteKey, slice, flags, access);
    }

    /**
     * Posts the invalidation of a key of this side; see {@link SendBatch#localInvalidate}.
     *
     * @param workRequestId comes back in the completion
     * @param remoteKey the window's
     * @param flags of {@link SendFlags}, without {@link SendFlags#INLINE}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalStateException if the queue pair is closed
     */
    public final int postLocalInvalidate(long workRequestId, int remoteKey, int flags) {
        return singles.localInvalidate(workRequestId, remoteKey, flags);
    }

    /**
     * Posts a datagram; for queue pairs of type UD.
     *
     * @param workRequestId comes back in the completion
     * @param local the message, at most as long as the port's MTU
     * @param destination where it goes
     * @param flags of {@link SendFlags}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together, or the queue pair has another type
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     */
    public final int postSend(long workRequestId, MemorySlice local, Destination destination, int flags) {
        checks.send(SendOpcode.SEND, local, flags);
        return singles.datagram(SendOpcode.SEND, workRequestId, local, 0, destination, flags);
    }

    /**
     * Posts a datagram with a number beside the message.
     *
     * @param workRequestId comes back in the completion
     * @param local the message, at most as long as the port's MTU
     * @param immediate any number; the peer's {@link WorkCompletion#immediateData()}
     * @param destination where it goes
     * @param flags of {@link SendFlags}
     * @return 0, or {@link QueuePair#QUEUE_FULL}, or another errno
     * @throws IllegalArgumentException if the arguments do not go together, or the queue pair has another type
     * @throws IllegalStateException if the queue pair, the address handle or the region is closed
     */
    public final int postSendWithImmediate(
            long workRequestId, MemorySlice local, int immediate, Destination destination, int flags) {
        checks.send(SendOpcode.SEND_WITH_IMMEDIATE, local, flags);
        return singles.datagram(
                SendOpcode.SEND_WITH_IMMEDIATE,
                workRequestId,
                local,
                ByteOrders.toNetwork(immediate),
                destination,
                flags);
    }

    /**
     * Prepares a request that is posted many times: it is checked and written once, here, and a post is little more
     * than the call into the adapter's library. The quickest way to post.
     *
     * @return what says which request; see {@link PreparedRequest}
     * @throws IllegalStateException if the queue pair is closed
     */
    public final RequestPreparation prepare() {
        requireOpen();
        return new RequestPreparation(this);
    }

    /**
     * Starts a batch: many requests, one call into the adapter's library, one doorbell. Each thread has one batch per
     * queue pair, used again and again; starting drops what the thread has not posted. The batches of
     * {@value ThreadBatches#KEPT} threads are kept; if more than that take turns, some are made anew.
     *
     * @return the calling thread's batch, empty
     * @throws IllegalStateException if the queue pair is closed
     */
    public final SendBatch startBatch() {
        requireOpen();
        return batches.own().start();
    }

    private SendBatch newBatch(int capacity, Thread user) {
        return new SendBatch(
                this,
                capacity,
                new SendRecorder(
                        this, capacity, checks.maxSendEntries(), checks.maxInlineData(), checks.maxSegmentHeader()),
                user);
    }

    /** Must be followed by {@link #exitSend()}. */
    final void enterSend() {
        if (!sendGuard.enter()) {
            throw closedException();
        }
    }

    /** For requests that go one by one. */
    final SendPath path() {
        return path;
    }

    /** For {@link SendBatch} and {@link RequestPreparation}. */
    final PostingChecks checks() {
        return checks;
    }

    final void exitSend() {
        sendGuard.exit();
    }

    /** For who must wait until no thread posts. */
    final ExclusiveGuard sendGuard() {
        return sendGuard;
    }

    final boolean isExtended() {
        return extended != null;
    }

    /** What a posting call for sends returns, outside the guard. */
    final int result(int errno) {
        return errno != 0 && comesOfState(errno) ? refusedSend(errno) : errno;
    }

    /** Whether an errno may come of the queue pair's state. */
    abstract boolean comesOfState(int errno);

    /** What becomes of an errno that may come of the queue pair's state: an exception, or the errno. */
    abstract int refusedSend(int errno);

    /** Not among the checks that can be switched off: the function for it may be missing. */
    final void requireOperation(int opcode, int flags) {
        if (onlyReceives) {
            throw new IllegalArgumentException(this + " has no send queue");
        }
        if (extended == null ? (operations >>> opcode & 1) == 0 : !extended.can(opcode, flags)) {
            throw new UnsupportedVerbException(
                    "posting %s%s on %s"
                            .formatted(
                                    SendOpcode.withArticle(opcode),
                                    (flags & SendFlags.INLINE) == 0 ? "" : " inline",
                                    this),
                    Errno.EOPNOTSUPP,
                    "it was not created for this: QueuePairConfig.sendOperations did not name it");
        }
    }

    final void requireGoodList(SliceList local, int flags) {
        if (extended != null && extended.takesEqualSlicesOnly() && (flags & SendFlags.INLINE) == 0) {
            Checks.equalLengths(local);
        }
    }

    /** Posts the first requests, inside the guard. */
    final int postRequests(SendRequests requests, int count) {
        if (extended != null) {
            return extended.post(requests, count);
        }
        requests.cut(count - 1);
        requests.forgetBadRequest();
        int result = path.post(requests);
        requests.link(count - 1);
        return result;
    }
}
