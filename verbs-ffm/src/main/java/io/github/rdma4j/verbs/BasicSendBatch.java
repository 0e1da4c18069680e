// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.Arena;

/** Requests posted with {@code ibv_post_send}: a linked list of native structures, handed over at once. */
final class BasicSendBatch extends SendBatch {
    private final SendRequests requests;
    private final InlineData inlineData;

    BasicSendBatch(QueuePair queuePair, Arena arena, int capacity, int maxEntries, int maxInlineData) {
        super(queuePair, capacity);
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
        // Before the guard is entered, because it can throw.
        long source = (flags & SendFlags.INLINE) == 0 ? local.address() : inlineData.copy(index, local);
        queuePair.enterSend();
        try {
            requests.fill(index, opcode, workRequestId, source, local.length(), local.localKey(), flags);
            requests.immediateOrKey(index, immediateOrKey);
            requests.remote(index, remoteAddress, remoteKey);
        } finally {
            queuePair.exitSend();
        }
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
        queuePair.enterSend();
        try {
            if (inline) {
                requests.fill(index, opcode, workRequestId, source, local.length(), 0, flags);
            } else {
                requests.fill(index, opcode, workRequestId, local, flags);
            }
            requests.immediateOrKey(index, immediateOrKey);
            requests.remote(index, remoteAddress, remoteKey);
        } finally {
            queuePair.exitSend();
        }
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
        queuePair.enterSend();
        try {
            requests.fill(
                    index, opcode, workRequestId, original.address(), original.length(), original.localKey(), flags);
            requests.atomic(index, remote.address(), remote.remoteKey(), compareOrAdd, swap);
        } finally {
            queuePair.exitSend();
        }
    }

    @Override
    void addInvalidate(long workRequestId, int remoteKey, int flags) {
        int index = size();
        queuePair.enterSend();
        try {
            requests.fill(index, SendOpcode.LOCAL_INVALIDATE, workRequestId, flags);
            requests.immediateOrKey(index, remoteKey);
        } finally {
            queuePair.exitSend();
        }
    }

    @Override
    int postRequests(int count) {
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
