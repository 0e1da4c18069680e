// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.SendOpcode;
import io.github.rdma4j.verbs.internal.SendRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The requests of a {@link SendBatch} in native memory, with the resources that must stay open until they are posted.
 * They are recorded in the same way for basic and for extended posting. Recording needs no guard against a close: the
 * garbage collector frees the structures, and not before this object.
 */
final class SendRecorder {
    private final QueuePair queue;
    private final SendRequests requests;
    private final InlineData inlineData;
    private final InlineData headers;
    /** The destinations of requests that each name one; otherwise null. */
    private final Destination[] destinations;
    /** Whether a request may name the peer's memory as well as its destination. */
    private final boolean reliable;

    private final Binding[] bindings;
    private int bindingCount;
    private int accepted;

    /** A binding of a memory window among the requests. */
    private record Binding(int index, MemoryWindow window, MemorySlice slice, int access, int key) {}

    SendRecorder(QueuePair queue, int capacity, int maxEntries, int maxInlineData, int maxHeaderSize) {
        this.queue = queue;
        Arena arena = Arena.ofAuto();
        this.requests = new SendRequests(arena, capacity, maxEntries);
        this.inlineData = new InlineData(arena, capacity, maxInlineData);
        this.headers = new InlineData(arena, capacity, maxHeaderSize);
        QueuePairType type = queue.checks().type();
        this.reliable = type == QueuePairType.DRIVER;
        this.destinations = reliable || type == QueuePairType.UD ? new Destination[capacity] : null;
        this.bindings = new Binding[capacity];
    }

    void clear() {
        bindingCount = 0;
    }

    /** Records a request that moves data of one slice; the arguments were checked. */
    void transfer(
            int index,
            int opcode,
            long workRequestId,
            MemorySlice local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        long source = (flags & SendFlags.INLINE) == 0 ? local.address() : inlineData.copy(index, local);
        requests.fill(index, opcode, workRequestId, source, local.lengthAndKey(), immediateOrKey, flags);
        requests.remote(index, remoteAddress, remoteKey);
    }

    /** Records a request that moves the data of a list; the arguments were checked. */
    void transfer(
            int index,
            int opcode,
            long workRequestId,
            SliceList local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        boolean inline = (flags & SendFlags.INLINE) != 0;
        long source = inline ? inlineData.copy(index, local) : 0;
        if (inline) {
            long lengthAndKey = NativeMemory.pair((int) local.length(), 0);
            requests.fill(index, opcode, workRequestId, source, lengthAndKey, immediateOrKey, flags);
        } else {
            requests.fill(index, opcode, workRequestId, local.entries(), local.size(), immediateOrKey, flags);
        }
        requests.remote(index, remoteAddress, remoteKey);
    }

    void atomic(
            int index,
            int opcode,
            long workRequestId,
            MemorySlice previous,
            RemoteMemory remote,
            long compareOrAdd,
            long swap,
            int flags) {
        requests.fill(index, opcode, workRequestId, previous.address(), previous.lengthAndKey(), 0, flags);
        requests.atomic(index, remote.address(), remote.remoteKey(), compareOrAdd, swap);
    }

    void atomicWrite(int index, long workRequestId, long value, RemoteMemory remote, int flags) {
        requests.fill(index, SendOpcode.ATOMIC_WRITE, workRequestId, 0, flags);
        requests.atomic(index, remote.address(), remote.remoteKey(), value, 0);
    }

    void flush(
            int index, long workRequestId, RemoteMemory remote, FlushPlacement placement, FlushLevel level, int flags) {
        requests.fill(index, SendOpcode.FLUSH, workRequestId, 0, flags);
        requests.flush(index, remote.address(), remote.remoteKey(), remote.length(), placement.code(), level.code());
    }

    void invalidate(int index, long workRequestId, int remoteKey, int flags) {
        requests.fill(index, SendOpcode.LOCAL_INVALIDATE, workRequestId, remoteKey, flags);
    }

    /** Records a binding. The window and the region are not accessed before the post, which keeps them open. */
    void bind(int index, long workRequestId, MemoryWindow window, int key, MemorySlice slice, int access, int flags) {
        long region = slice.region().handle();
        requests.fill(index, SendOpcode.BIND_MEMORY_WINDOW, workRequestId, 0, flags);
        requests.bind(index, window.segmentAddress(), key, region, slice.address(), slice.length(), access);
        bindings[bindingCount++] = new Binding(index, window, slice, access, key);
    }

    /** Makes a send a segmented one. The provider reads the header while posting, so it is copied. */
    void segmented(int index, MemorySegment header, int maxSegmentSize) {
        long copy = headers.copy(index, header);
        requests.segmented(index, copy, (int) header.byteSize(), maxSegmentSize);
    }

    void destination(int index, Destination destination) {
        long handle = destination.addressHandle().address();
        if (reliable) {
            requests.reliableDatagram(index, handle, destination.queuePairNumber(), destination.queueKey());
        } else {
            requests.datagram(index, handle, destination.queuePairNumber(), destination.queueKey());
        }
        destinations[index] = destination;
    }

    void sharedReceiveQueue(int index, int number) {
        requests.sharedReceiveQueue(index, number);
    }

    /**
     * Returns whether there are bindings of windows: the tree's lock must then be held around the guard during the
     * post.
     */
    boolean hasBindings() {
        return bindingCount > 0;
    }

    /**
     * Posts the requests from {@code first} to before {@code end}, at least one, inside the guard.
     *
     * @return 0 or an errno; {@link #accepted()} returns how many were accepted
     */
    int post(int first, int end) {
        accepted = 0;
        for (int i = 0; i < bindingCount; i++) {
            bindings[i].window.requireOpen();
            bindings[i].slice.region().requireOpen();
        }
        if (destinations != null) {
            // Closing an address handle then waits for threads inside the guard: see AddressHandle.
            for (int i = first; i < end; i++) {
                destinations[i].addressHandle().requireOpen();
            }
        }
        int count = end - first;
        int result = queue.postRequests(requests, first, end);
        accepted = result == 0 ? count : queue.isExtended() ? 0 : requests.acceptedBeforeRefusal(count);
        if (bindingCount > 0) {
            takeBound(first + accepted);
        }
        return result;
    }

    /** Binds the windows of the requests before {@code end}, which were accepted. */
    private void takeBound(int end) {
        int bound = 0;
        while (bound < bindingCount && bindings[bound].index < end) {
            Binding binding = bindings[bound++];
            binding.window.bound(queue, binding.slice, binding.access, binding.key);
        }
        bindingCount -= bound;
        System.arraycopy(bindings, bound, bindings, 0, bindingCount);
    }

    /** Returns how many requests the last post accepted. */
    int accepted() {
        return accepted;
    }
}
