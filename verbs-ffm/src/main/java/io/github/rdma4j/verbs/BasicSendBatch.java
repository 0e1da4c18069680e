// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.NativeMemory;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Requests posted with {@code ibv_post_send}: a linked list of native structures, handed over at once. Adding needs no guard
 * against a close: the structures are freed by the garbage collector, and not before this object.
 */
final class BasicSendBatch extends SendBatch {
    private final SendRequests requests;
    private final InlineData inlineData;
    /** The bindings among the requests, in order. */
    private final List<Binding> bindings = new ArrayList<>();

    private record Binding(int index, MemoryWindow window, int remoteKey, MemorySlice slice, int access) {}

    BasicSendBatch(QueuePair queuePair, int capacity, int maxEntries, int maxInlineData) {
        super(queuePair, capacity);
        Arena arena = Arena.ofAuto();
        this.requests = new SendRequests(arena, capacity, maxEntries);
        this.inlineData = new InlineData(arena, capacity, maxInlineData);
    }

    @Override
    void addTransfer(
            int opcode,
            long workRequestId,
            MemorySlice local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        int index = size();
        long source = (flags & SendFlags.INLINE) == 0 ? local.address() : inlineData.copy(index, local);
        requests.fill(index, opcode, workRequestId, source, local.lengthAndKey(), immediateOrKey, flags);
        requests.remote(index, remoteAddress, remoteKey);
    }

    @Override
    void addTransfer(
            int opcode,
            long workRequestId,
            SliceList local,
            long remoteAddress,
            int remoteKey,
            int immediateOrKey,
            int flags) {
        int index = size();
        boolean inline = (flags & SendFlags.INLINE) != 0;
        long source = inline ? inlineData.copy(index, local) : 0;
        if (inline) {
            long lengthAndKey = NativeMemory.pair((int) local.length(), 0);
            requests.fill(index, opcode, workRequestId, source, lengthAndKey, immediateOrKey, flags);
        } else {
            requests.fill(index, opcode, workRequestId, local, immediateOrKey, flags);
        }
        requests.remote(index, remoteAddress, remoteKey);
    }

    @Override
    void addAtomic(
            int opcode,
            long workRequestId,
            MemorySlice original,
            RemoteMemory remote,
            long compareOrAdd,
            long swap,
            int flags) {
        int index = size();
        requests.fill(index, opcode, workRequestId, original.address(), original.lengthAndKey(), 0, flags);
        requests.atomic(index, remote.address(), remote.remoteKey(), compareOrAdd, swap);
    }

    @Override
    void addInvalidate(long workRequestId, int remoteKey, int flags) {
        int index = size();
        requests.fill(index, SendOpcode.LOCAL_INVALIDATE, workRequestId, remoteKey, flags);
    }

    @Override
    void addBinding(long workRequestId, MemoryWindow window, int remoteKey, MemorySlice slice, int access, int flags) {
        int index = size();
        requests.fill(index, SendOpcode.BIND_MEMORY_WINDOW, workRequestId, 0, flags);
        requests.bind(
                index,
                window.segmentAddress(),
                remoteKey,
                slice.region().handle(),
                slice.address(),
                slice.length(),
                access);
        bindings.add(new Binding(index, window, remoteKey, slice, access));
    }

    @Override
    void clear() {
        super.clear();
        bindings.clear();
    }

    @Override
    int postRequests(int count) {
        return bindings.isEmpty() ? postList(count) : postWithBindings(count);
    }

    /** With the lock that closing takes, so that no window and no region goes while the driver reads them. */
    private int postWithBindings(int count) {
        try {
            return queuePair.locked(() -> {
                for (Binding binding : bindings) {
                    binding.window().requireOpen();
                    binding.slice().region().requireOpen();
                }
                int accepted = postList(count);
                for (Binding binding : bindings) {
                    if (binding.index() < accepted) {
                        binding.window().bound(queuePair, binding.slice(), binding.access(), binding.remoteKey());
                    }
                }
                return accepted;
            });
        } finally {
            bindings.clear();
        }
    }

    private int postList(int count) {
        queuePair.enterSend();
        try {
            requests.cut(count - 1);
            int result = queuePair.postList(requests);
            requests.link(count - 1);
            if (result == 0) {
                return count;
            }
            error(result);
            return requests.acceptedBeforeRefusal(count);
        } finally {
            queuePair.exitSend();
        }
    }
}
