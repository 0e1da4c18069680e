// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The messages of an endpoint whose wires come and go: those that are sent stay here until no wire needs them any more,
 * and those that are received, and perhaps held by the program, are no wire's.
 */
final class FailoverRooms {
    private final MemoryRegion region;
    private final long stride;
    private final int size;
    /** The bytes of a sum behind each message that is sent. */
    private final int sum;
    /** The buffer that a slot of the protocol fills; -1 for none. */
    private final int[] ofSlot;

    private final long[] lengths;
    private final int[] freeToSend;
    private int freeToSendCount;
    /** Made when they are needed. */
    private final ByteBuffer[] views;

    private final Message[] received;
    private final int[] freeToReceive;
    private int freeToReceiveCount;

    /**
     * All free.
     *
     * @param size of the longest message with its sum, in bytes
     * @param sum how long a sum is; 0 if there is none
     * @param depth how many the protocol can have under way
     * @param kept how many more may have to be sent again
     * @param receives how many the program can have
     */
    FailoverRooms(int size, int sum, int depth, int kept, int receives) {
        this.size = size;
        this.sum = sum;
        this.stride = ReceiveBuffers.stride(size);
        int sends = depth + kept;
        region = MemoryRegion.withoutAdapter((long) (sends + receives) * stride, AccessFlag.LOCAL_WRITE);
        ofSlot = new int[depth];
        lengths = new long[depth];
        Arrays.fill(ofSlot, -1);
        freeToSend = new int[sends];
        for (int i = sends - 1; i >= 0; i--) {
            freeToSend[freeToSendCount++] = i;
        }
        views = new ByteBuffer[sends];
        received = new Message[receives];
        freeToReceive = new int[receives];
        for (int i = receives - 1; i >= 0; i--) {
            received[i] = new Message(region.segment().asSlice((sends + i) * stride, size));
            freeToReceive[freeToReceiveCount++] = i;
        }
    }

    // ---- To be sent ----

    private int bufferOf(int slot) {
        if (ofSlot[slot] < 0) {
            ofSlot[slot] = freeToSend[--freeToSendCount];
        }
        return ofSlot[slot];
    }

    void fill(int slot, MemorySegment message) {
        MemorySegment.copy(message, 0, region.segment(), bufferOf(slot) * stride, message.byteSize());
        cut(slot, message.byteSize());
    }

    MemorySegment room(int slot) {
        return region.segment().asSlice(bufferOf(slot) * stride, stride);
    }

    /** The buffer of a slot; nobody relies on position and limit. */
    ByteBuffer view(int slot) {
        int buffer = bufferOf(slot);
        if (views[buffer] == null) {
            views[buffer] = room(slot).asByteBuffer();
        }
        return views[buffer];
    }

    void cut(int slot, long length) {
        lengths[slot] = length + sum;
    }

    /** The message of a slot goes its own way; the slot will get another buffer. */
    void take(int slot, Post post) {
        post.buffer = ofSlot[slot];
        post.length = lengths[slot];
        ofSlot[slot] = -1;
    }

    MemorySegment bytes(Post post) {
        return region.segment().asSlice(post.buffer * stride, post.length);
    }

    void giveBack(Post post) {
        if (post.buffer >= 0) {
            freeToSend[freeToSendCount++] = post.buffer;
            post.buffer = -1;
        }
    }

    // ---- Received ----

    /** Copies a message into a buffer, which {@link #release} gives back; -1 if there is none. */
    int receive(MemorySegment message) {
        if (freeToReceiveCount == 0) {
            return -1;
        }
        int buffer = freeToReceive[--freeToReceiveCount];
        MemorySegment.copy(message, 0, region.segment(), (freeToSend.length + buffer) * stride, message.byteSize());
        return buffer;
    }

    void release(int buffer) {
        freeToReceive[freeToReceiveCount++] = buffer;
    }

    Message message(int buffer, long length) {
        return received[buffer].open(length);
    }

    ByteBuffer arrived(int buffer) {
        return received[buffer].whole();
    }

    byte[] copy(int buffer, long length) {
        return region.segment()
                .asSlice((freeToSend.length + buffer) * stride, length)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    /** The longest message with its sum, in bytes. */
    int size() {
        return size;
    }

    void close() {
        region.close();
    }
}
