// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ExclusiveGuard;
import io.github.rdma4j.verbs.internal.ReceiveRequests;
import io.github.rdma4j.verbs.internal.datapath.ReceiveFunctions;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * Posts receives, for queue pairs, shared receive queues and work queues. These differ only in their path to the
 * adapter.
 */
final class ReceiveQueue {
    private static final int MAX_BATCH = ReceiveRequests.MAX_BATCH;

    private final Resource owner;
    private final ProtectionDomain domain;
    private final int maxEntries;
    private final int maxBatch;
    private final long maxMessageSize;
    private final ReceiveRequests request;
    private final ExclusiveGuard guard = new ExclusiveGuard();
    private ReceiveFunctions functions;
    private final ThreadBatches<ReceiveBatch> batches;

    /**
     * Allocates the memory; {@link #nativeQueue} must follow.
     *
     * @param owner the resource whose handle the queue has
     * @param domain the domain in which the regions must be registered
     * @param arena an arena that the owner closes after {@link #close()}
     * @param depth the number of receives that the queue holds
     * @param maxEntries the maximum number of scatter-gather entries of one receive
     * @param maxMessageSize in bytes
     */
    ReceiveQueue(Resource owner, ProtectionDomain domain, Arena arena, int depth, int maxEntries, long maxMessageSize) {
        this.owner = owner;
        this.domain = domain;
        this.maxEntries = maxEntries;
        this.maxBatch = Math.clamp(depth, 1, MAX_BATCH);
        this.maxMessageSize = maxMessageSize;
        this.request = new ReceiveRequests(arena, 1, Math.max(1, maxEntries));
        this.batches = new ThreadBatches<>(
                user -> new ReceiveBatch(this, new ReceiveRequests(Arena.ofAuto(), maxBatch, maxEntries), user));
    }

    /** Sets the functions that post, once the native object exists. */
    void nativeQueue(ReceiveFunctions receiveFunctions) {
        functions = receiveFunctions;
    }

    boolean post(long workRequestId, MemorySlice local) {
        check(local);
        int result;
        int entry = enter();
        try {
            request.fill(0, workRequestId, local.address(), local.lengthAndKey());
            result = post(request);
        } finally {
            guard.exit(entry);
        }
        return accepted(result);
    }

    boolean post(long workRequestId, SliceList local) {
        check(local);
        int result;
        int entry = enter();
        try {
            request.fill(0, workRequestId, local.entries(), local.size());
            result = post(request);
        } finally {
            guard.exit(entry);
        }
        return accepted(result);
    }

    PreparedReceive prepare(MemorySlice local) {
        owner.requireOpen();
        check(local);
        return new PreparedReceive(this, local);
    }

    PreparedReceives prepare(long firstWorkRequestId, List<MemorySlice> buffers) {
        checkPrepared(buffers);
        return new PreparedReceives(this, firstWorkRequestId, buffers);
    }

    void checkPrepared(List<MemorySlice> buffers) {
        owner.requireOpen();
        if (buffers.isEmpty() || buffers.size() > ReceiveRequests.MAX_CAPACITY) {
            throw new IllegalArgumentException(
                    "%d buffers to prepare: 1 to %d".formatted(buffers.size(), ReceiveRequests.MAX_CAPACITY));
        }
        buffers.forEach(this::check);
    }

    ReceiveBatch startBatch() {
        owner.requireOpen();
        return batches.own().start();
    }

    void requireOpenSoon() {
        owner.requireOpenSoon();
    }

    /** Returns whether a posting call was accepted; called outside the guard. */
    boolean accepted(int errno) {
        return errno == 0 || PostRefusal.ofReceive(owner, errno);
    }

    void check(MemorySlice local) {
        if (Checks.ENABLED) {
            Checks.local(local, domain, maxMessageSize);
            Checks.writable(local);
        }
    }

    private String settingOfEntries() {
        return switch (owner) {
            case SharedReceiveQueue _ -> "SharedReceiveQueueConfig.maxScatterGather";
            case WorkQueue _ -> "WorkQueueConfig.maxScatterGather";
            case QueuePair queuePair
            when queuePair.type() == QueuePairType.DRIVER -> "SrdQueuePairConfig.maxReceiveScatterGather";
            default -> "QueuePairConfig.maxReceiveScatterGather";
        };
    }

    void check(SliceList local) {
        // This check cannot be turned off: more entries would overwrite the next request's.
        if (local.size() > maxEntries) {
            throw Checks.tooManyEntries(local.size(), maxEntries, settingOfEntries());
        }
        if (Checks.ENABLED) {
            Checks.local(local, domain, maxMessageSize);
            Checks.writable(local);
        }
    }

    /** Enters the queue, and returns the argument of {@link #exit}, which must follow. */
    int enter() {
        int entry = guard.enter();
        if (entry == ExclusiveGuard.CLOSED) {
            throw owner.closedException();
        }
        return entry;
    }

    void exit(int entry) {
        guard.exit(entry);
    }

    /** Posts the first requests of a list, inside the guard. */
    int post(ReceiveRequests requests) {
        return functions.post(requests);
    }

    /** Runs the call that changes the length of the native queue, while no thread posts. */
    int resize(IntSupplier resize) {
        int entry = enter();
        try {
            return resize.getAsInt();
        } finally {
            exit(entry);
        }
    }

    /** Waits until no thread posts, and lets none in any more. */
    void close() {
        guard.close();
    }

    void reopen() {
        guard.reopen();
    }

    /** {@return the owner of the queue} */
    @Override
    public String toString() {
        return owner.toString();
    }
}
