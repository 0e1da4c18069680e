// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.ReceiveBatch;
import io.github.rdma4j.verbs.VerbsException;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** The receive buffers of an endpoint, one region for all: those that it gives credits for, and the reserve. */
final class ReceiveBuffers implements ReceiveRooms {
    /** Views of messages start where any type may be read. */
    private static final long ALIGNMENT = 64;

    /** As many are given to the adapter by one call. */
    private static final int MOST_RETURNED = 32;

    private final QueuePair queuePair;
    private final MemoryRegion region;
    private final MemorySlice[] rooms;
    private final Message[] messages;
    /** The buffers that wait for the call that gives them to the adapter. */
    private final int[] returned = new int[MOST_RETURNED];

    private int returnedCount;
    /** Who made that call the last time. */
    private Thread lastUser;

    /**
     * Allocates and registers the buffers, and posts them all: this comes before the peer can send.
     *
     * @param size of the longest message with its sum, in bytes
     * @param trailer the bytes behind each message
     */
    ReceiveBuffers(ProtectionDomain domain, QueuePair queuePair, int credited, int size, int trailer) {
        this.queuePair = queuePair;
        int count = credited + Credits.RESERVE;
        long stride = stride(size + trailer);
        this.region = domain.allocateMemory(count * stride, AccessFlag.LOCAL_WRITE);
        this.rooms = new MemorySlice[count];
        this.messages = new Message[count];
        try {
            for (int i = 0; i < count; i++) {
                rooms[i] = region.slice(i * stride, size + trailer);
                messages[i] = new Message(region.segment().asSlice(i * stride, size));
                int errno = post(i);
                if (errno != 0) {
                    throw new VerbsException("ibv_post_recv(" + queuePair + ")", errno, "", "");
                }
            }
        } catch (Throwable e) {
            CloseAll.after(e, region::close);
            throw e;
        }
    }

    static long stride(int size) {
        return Math.max(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }

    @Override
    public int post(int index) {
        return queuePair.postReceive(Protocol.RECEIVE | index, rooms[index]);
    }

    @Override
    public int giveBack(int index) {
        returned[returnedCount++] = index;
        return returnedCount == MOST_RETURNED ? postReturned() : 0;
    }

    @Override
    public int postReturned() {
        int count = returnedCount;
        // Also where posting throws, since the queue pair is closed.
        returnedCount = 0;
        Thread user = Thread.currentThread();
        // A batch belongs to a thread, and has memory: not for those that come once, as a virtual thread for each
        // message does.
        ReceiveBatch batch = count > 1 && user == lastUser ? batch() : null;
        lastUser = user;
        return batch == null ? postEach(count) : postTogether(batch, count);
    }

    /** Null for want of memory. */
    private ReceiveBatch batch() {
        try {
            return queuePair.startReceiveBatch();
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    private int postTogether(ReceiveBatch batch, int count) {
        for (int i = 0; i < count; i++) {
            batch.receive(Protocol.RECEIVE | returned[i], rooms[returned[i]]);
        }
        batch.post();
        return batch.error();
    }

    private int postEach(int count) {
        int errno = 0;
        for (int i = 0; i < count && errno == 0; i++) {
            errno = post(returned[i]);
        }
        return errno;
    }

    @Override
    public Message message(int index, long length) {
        return messages[index].open(length);
    }

    @Override
    public ByteBuffer arrived(int index) {
        return messages[index].whole();
    }

    @Override
    public int frame(int index, long length) {
        return Frame.read(region.segment(), rooms[index].offset() + length);
    }

    @Override
    public byte[] copy(int index, long length) {
        return region.segment().asSlice(rooms[index].offset(), length).toArray(ValueLayout.JAVA_BYTE);
    }

    void close() {
        region.close();
    }
}
