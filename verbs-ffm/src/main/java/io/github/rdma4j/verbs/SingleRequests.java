// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import io.github.rdma4j.verbs.internal.datapath.SendFunctions;
import java.lang.foreign.Arena;

/**
 * The send requests that a {@link QueuePair} posts one by one. There is memory for one request, so everything happens
 * inside the queue pair's guard, which admits one thread at a time.
 */
final class SingleRequests {
    private final QueuePair queue;
    private final SendRequests request;
    private final InlineData inlineData;
    /** For requests that need more than a structure and one call. */
    private final SendBatch batch;
    /** Basic posting to a connected peer, which needs only a structure and one call. */
    private final boolean plain;

    private SendFunctions functions;

    /**
     * Allocates the memory; {@link #nativeQueue} must follow.
     *
     * @param queue the queue pair of the requests
     * @param arena an arena that the queue pair closes after its guard
     * @param batch a batch for one request, posted inside the guard
     * @param plain whether basic posting to one peer is enough for the requests
     */
    SingleRequests(QueuePair queue, Arena arena, SendBatch batch, boolean plain) {
        this.queue = queue;
        this.request = new SendRequests(arena, 1, queue.checks().maxSendEntries());
        this.inlineData = new InlineData(arena, 1, queue.maxInlineData());
        this.batch = batch;
        this.plain = plain;
    }

    /** Sets the functions that post, once the native queue pair exists. */
    void nativeQueue(SendFunctions sendFunctions) {
        functions = sendFunctions;
    }

    /** Posts a request that moves data; the arguments were checked. */
    boolean transfer(
            int opcode,
            long workRequestId,
            MemorySlice local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            if (plain) {
                long source = (flags & SendFlags.INLINE) == 0 ? local.address() : inlineData.copy(0, local);
                request.fill(0, opcode, workRequestId, source, local.lengthAndKey(), immediateOrKey, flags);
                request.remote(0, remoteAddress, remoteKey);
                result = call();
            } else {
                batch.clear();
                batch.transfer(opcode, workRequestId, local, remoteAddress, remoteKey, immediateOrKey, flags);
                result = batch.postEntered();
            }
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    /** Posts a request to one of many peers. */
    boolean datagram(
            int opcode, long workRequestId, MemorySlice local, int immediate, Destination destination, int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            batch.clear();
            batch.to(destination).transfer(opcode, workRequestId, local, 0, 0, immediate, flags);
            result = batch.postEntered();
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    /** Posts a request of an SRD queue pair, which names a peer and, except for sends, its memory. */
    boolean reliableDatagram(
            int opcode,
            long workRequestId,
            MemorySlice local,
            Destination destination,
            long remoteAddress,
            int remoteKey,
            int immediate,
            int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            long source = (flags & SendFlags.INLINE) == 0 ? local.address() : inlineData.copy(0, local);
            request.fill(0, opcode, workRequestId, source, local.lengthAndKey(), immediate, flags);
            request.remote(0, remoteAddress, remoteKey);
            result = postReliableDatagram(destination);
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    /** Posts a send of several slices of an SRD queue pair. */
    boolean reliableDatagram(
            int opcode, long workRequestId, SliceList local, Destination destination, int immediate, int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            request.fill(0, opcode, workRequestId, local.entries(), local.size(), immediate, flags);
            result = postReliableDatagram(destination);
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    /** Called inside the guard, for which closing the address handle waits. */
    private int postReliableDatagram(Destination destination) {
        AddressHandle addressHandle = destination.addressHandle();
        addressHandle.requireOpen();
        request.reliableDatagram(0, addressHandle.address(), destination.queuePairNumber(), destination.queueKey());
        return queue.postRequests(request, 0, 1);
    }

    boolean compareAndSwap(
            long workRequestId, MemorySlice previous, RemoteMemory remote, long expected, long newValue, int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            if (plain) {
                result =
                        atomic(SendOpcode.COMPARE_AND_SWAP, workRequestId, previous, remote, expected, newValue, flags);
            } else {
                batch.clear();
                batch.compareAndSwap(workRequestId, previous, remote, expected, newValue, flags);
                result = batch.postEntered();
            }
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    boolean fetchAndAdd(long workRequestId, MemorySlice previous, RemoteMemory remote, long addend, int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            if (plain) {
                result = atomic(SendOpcode.FETCH_AND_ADD, workRequestId, previous, remote, addend, 0, flags);
            } else {
                batch.clear();
                batch.fetchAndAdd(workRequestId, previous, remote, addend, flags);
                result = batch.postEntered();
            }
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    private int atomic(
            int opcode,
            long workRequestId,
            MemorySlice previous,
            RemoteMemory remote,
            long compareOrAdd,
            long swap,
            int flags) {
        queue.checks().atomic(opcode, previous, remote, flags);
        request.fill(0, opcode, workRequestId, previous.address(), previous.lengthAndKey(), 0, flags);
        request.atomic(0, remote.address(), remote.remoteKey(), compareOrAdd, swap);
        return call();
    }

    boolean localInvalidate(long workRequestId, int remoteKey, int flags) {
        int result;
        int entry = queue.enterSend();
        try {
            batch.clear();
            batch.localInvalidate(workRequestId, remoteKey, flags);
            result = batch.postEntered();
        } finally {
            queue.exitSend(entry);
        }
        return queue.accepted(result);
    }

    /**
     * The tree's lock, which keeps the window and the region open, comes before the guard: a close holds it while it
     * waits for the guard.
     */
    boolean bindMemoryWindow(
            long workRequestId,
            MemoryWindow window,
            int remoteKey,
            MemorySlice slice,
            int flags,
            AccessFlag... access) {
        return queue.accepted(queue.locked(() -> {
            int entry = queue.enterSend();
            try {
                batch.clear();
                batch.bindMemoryWindow(workRequestId, window, remoteKey, slice, flags, access);
                return batch.postEntered();
            } finally {
                queue.exitSend(entry);
            }
        }));
    }

    private int call() {
        return functions.post(request);
    }
}
