// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The message buffers of an endpoint with failover. Sent messages stay here until no transport needs them any more.
 * Received messages, which the program may hold, are copied here, so that they are independent of the transports.
 */
final class FailoverBuffers {
    /**
     * Memory for the first sent messages and for all received ones. More is allocated for sent messages when needed.
     */
    private final List<MemoryRegion> regions = new ArrayList<>();

    private final long stride;
    private final int size;
    /** The length of the checksum behind each sent message, in bytes. */
    private final int sum;
    /** The buffer of each slot of the protocol; -1 if it has none. */
    private final int[] ofSlot;

    private final int depth;
    private final int mostSends;
    private final long[] lengths;
    /** The memory of each send buffer. */
    private MemorySegment[] toSend = {};

    private int[] freeToSend = {};
    private int freeToSendCount;
    /** The view of each send buffer; created when it is first needed. */
    private ByteBuffer[] views = {};

    private final Message[] received;
    private final int[] freeToReceive;
    private int freeToReceiveCount;

    /**
     * Creates the buffers. Nothing that the peer sends makes them grow: only sent messages do.
     *
     * @param size the length of the longest message with its checksum, in bytes
     * @param sum the length of a checksum, in bytes; 0 if there is none
     * @param depth how many messages the protocol can have under way
     * @param kept how many more messages may have to be sent again
     * @param receives how many received messages the program can hold
     */
    FailoverBuffers(int size, int sum, int depth, int kept, int receives) {
        this.size = size;
        this.sum = sum;
        this.stride = SendBuffers.stride(size);
        this.depth = depth;
        mostSends = depth + kept;
        ofSlot = new int[depth];
        lengths = new long[depth];
        Arrays.fill(ofSlot, -1);
        addSends(depth, receives);
        received = new Message[receives];
        freeToReceive = new int[receives];
        for (int i = receives - 1; i >= 0; i--) {
            received[i] = ACCESS.message(receives(i).asSlice(0, size));
            freeToReceive[freeToReceiveCount++] = i;
        }
    }

    /** Allocates send buffers, and other buffers behind them. */
    private void addSends(int count, int others) {
        int before = toSend.length;
        MemorySegment[] longer = Arrays.copyOf(toSend, before + count);
        int[] freeBuffers = Arrays.copyOf(freeToSend, before + count);
        ByteBuffer[] longerViews = Arrays.copyOf(views, before + count);
        MemoryRegion region = MemoryRegion.withoutAdapter((long) (count + others) * stride, AccessFlag.LOCAL_WRITE);
        try {
            for (int i = 0; i < count; i++) {
                longer[before + i] = region.segment().asSlice(i * stride, stride);
                freeBuffers[freeToSendCount + i] = before + count - 1 - i;
            }
            regions.add(region);
        } catch (Throwable e) {
            region.close();
            throw e;
        }
        toSend = longer;
        freeToSend = freeBuffers;
        views = longerViews;
        freeToSendCount += count;
    }

    private MemorySegment receives(int buffer) {
        return regions.getFirst().segment().asSlice((depth + buffer) * stride, stride);
    }

    // ---- Sending ----

    private int bufferOf(int slot) {
        if (ofSlot[slot] < 0) {
            if (freeToSendCount == 0) {
                addSends(Math.min(toSend.length, mostSends - toSend.length), 0);
            }
            ofSlot[slot] = freeToSend[--freeToSendCount];
        }
        return ofSlot[slot];
    }

    void fill(int slot, MemorySegment message) {
        MemorySegment.copy(message, 0, buffer(slot), 0, message.byteSize());
        cut(slot, message.byteSize());
    }

    MemorySegment buffer(int slot) {
        // First, because it may replace the array.
        int buffer = bufferOf(slot);
        return toSend[buffer];
    }

    /** {@return the buffer of a slot, with any position and limit} */
    ByteBuffer view(int slot) {
        int buffer = bufferOf(slot);
        if (views[buffer] == null) {
            views[buffer] = buffer(slot).asByteBuffer();
        }
        return views[buffer];
    }

    void cut(int slot, long length) {
        lengths[slot] = length + sum;
    }

    /** Moves the buffer of a slot to a post; the slot will get another buffer. */
    void take(int slot, Post post) {
        post.buffer = ofSlot[slot];
        post.length = lengths[slot];
        ofSlot[slot] = -1;
    }

    MemorySegment bytes(Post post) {
        return toSend[post.buffer].asSlice(0, post.length);
    }

    void giveBack(Post post) {
        if (post.buffer >= 0) {
            freeToSend[freeToSendCount++] = post.buffer;
            post.buffer = -1;
        }
    }

    // ---- Receiving ----

    /** Copies a message into a buffer, which {@link #release} returns. Returns the buffer; -1 if none is free. */
    int receive(MemorySegment message) {
        if (freeToReceiveCount == 0) {
            return -1;
        }
        int buffer = freeToReceive[--freeToReceiveCount];
        MemorySegment.copy(message, 0, regions.getFirst().segment(), (depth + buffer) * stride, message.byteSize());
        return buffer;
    }

    void release(int buffer) {
        freeToReceive[freeToReceiveCount++] = buffer;
    }

    Message message(int buffer, long length) {
        return ACCESS.open(received[buffer], length);
    }

    ByteBuffer arrived(int buffer) {
        return ACCESS.whole(received[buffer]);
    }

    byte[] copy(int buffer, long length) {
        return receives(buffer).asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    /** {@return the length of the longest message with its checksum, in bytes} */
    int size() {
        return size;
    }

    /** For tests: the number of send buffers. */
    int buffers() {
        return toSend.length;
    }

    void close() {
        CloseAll.of(regions.stream().map(region -> (Runnable) region::close).toArray(Runnable[]::new));
    }
}
