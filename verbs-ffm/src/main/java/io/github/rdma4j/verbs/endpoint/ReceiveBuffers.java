// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.VerbsException;

/** The receive buffers of an endpoint, one region for all: those that it gives credits for, and the reserve. */
final class ReceiveBuffers {
    /** Views of messages start where any type may be read. */
    private static final long ALIGNMENT = 64;

    private final QueuePair queuePair;
    private final int credited;
    private final MemoryRegion region;
    private final MemorySlice[] rooms;
    private final Message[] messages;
    private final int[] ready;
    private int first;
    private int readyCount;

    /** Allocates and registers the buffers, and posts them all: this comes before the peer can send. */
    ReceiveBuffers(ProtectionDomain domain, QueuePair queuePair, int credited, int size) {
        this.queuePair = queuePair;
        this.credited = credited;
        int count = credited + Credits.RESERVE;
        long stride = stride(size);
        this.region = domain.allocateMemory(count * stride, AccessFlag.LOCAL_WRITE);
        this.rooms = new MemorySlice[count];
        this.messages = new Message[count];
        this.ready = new int[count];
        try {
            for (int i = 0; i < count; i++) {
                rooms[i] = region.slice(i * stride, size);
                messages[i] = new Message(region.segment().asSlice(i * stride, size));
                int errno = post(i);
                if (errno != 0) {
                    throw new VerbsException("ibv_post_recv(" + queuePair + ")", errno, "", "");
                }
            }
        } catch (Throwable e) {
            try {
                region.close();
            } catch (RuntimeException inClose) {
                e.addSuppressed(inClose);
            }
            throw e;
        }
    }

    static long stride(int size) {
        return Math.max(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }

    int credited() {
        return credited;
    }

    /** Gives a buffer back to the adapter. */
    int post(int index) {
        return queuePair.postReceive(Engine.RECEIVE | index, rooms[index]);
    }

    /** A message has arrived. */
    void arrived(int index, long length) {
        messages[index].length(length);
        int end = first + readyCount++;
        ready[end < ready.length ? end : end - ready.length] = index;
    }

    /** The buffer of the oldest message that nobody has taken; -1 if there is none. */
    int take() {
        if (readyCount == 0) {
            return -1;
        }
        int index = ready[first];
        first = first + 1 == ready.length ? 0 : first + 1;
        readyCount--;
        return index;
    }

    boolean isEmpty() {
        return readyCount == 0;
    }

    Message message(int index) {
        return messages[index];
    }

    void close() {
        region.close();
    }
}
