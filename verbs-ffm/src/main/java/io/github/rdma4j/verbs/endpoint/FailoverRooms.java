// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * The messages of an endpoint whose wires come and go: those that are sent stay here until no wire needs them any more,
 * and those that are received, and perhaps held by the program, are no wire's.
 */
final class FailoverRooms {
    private final MemoryRegion region;
    private final long stride;
    private final int size;
    /** The buffer that a slot of the protocol fills; -1 for none. */
    private final int[] ofSlot;

    private final long[] lengths;
    private final int[] freeToSend;
    private int freeToSendCount;
    private final Message[] received;
    private final int[] freeToReceive;
    private int freeToReceiveCount;

    /**
     * All free.
     *
     * @param size of the longest message, in bytes
     * @param depth how many the protocol can have under way
     * @param kept how many more may have to be sent again
     * @param receives how many the program can have
     */
    FailoverRooms(int size, int depth, int kept, int receives) {
        this.size = size;
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
        lengths[slot] = message.byteSize();
    }

    MemorySegment room(int slot) {
        return region.segment().asSlice(bufferOf(slot) * stride, stride);
    }

    void cut(int slot, long length) {
        lengths[slot] = length;
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

    byte[] copy(int buffer, long length) {
        return region.segment()
                .asSlice((freeToSend.length + buffer) * stride, length)
                .toArray(ValueLayout.JAVA_BYTE);
    }

    /** The longest message, in bytes. */
    int size() {
        return size;
    }

    void close() {
        region.close();
    }
}
