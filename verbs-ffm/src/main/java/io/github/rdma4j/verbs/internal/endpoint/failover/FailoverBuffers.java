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
 * The messages of an endpoint whose wires come and go: those that are sent stay here until no wire needs them any more,
 * and those that are received, and perhaps held by the program, are no wire's.
 */
final class FailoverBuffers {
    /** For the first messages to send and all that are received; more to send are allocated when they are needed. */
    private final List<MemoryRegion> regions = new ArrayList<>();

    private final long stride;
    private final int size;
    /** The bytes of a sum behind each message that is sent. */
    private final int sum;
    /** The buffer that a slot of the protocol fills; -1 for none. */
    private final int[] ofSlot;

    private final int depth;
    private final int mostSends;
    private final long[] lengths;
    /** By buffer; as many as there are by now. */
    private MemorySegment[] toSend = {};

    private int[] freeToSend = {};
    private int freeToSendCount;
    /** By buffer. Made when they are needed. */
    private ByteBuffer[] views = {};

    private final Message[] received;
    private final int[] freeToReceive;
    private int freeToReceiveCount;

    /**
     * All free. Nothing that the peer sends makes it allocate: memory for messages to send again grows with the
     * messages that were sent.
     *
     * @param size of the longest message with its sum, in bytes
     * @param sum how long a sum is; 0 if there is none
     * @param depth how many the protocol can have under way
     * @param kept how many more may have to be sent again
     * @param receives how many the program can have
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

    /** Allocates buffers for messages to send, and behind them as many others. */
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

    // ---- To be sent ----

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
        // First, since it may replace the array.
        int buffer = bufferOf(slot);
        return toSend[buffer];
    }

    /** The buffer of a slot; nobody relies on position and limit. */
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

    /** The message of a slot goes its own way; the slot will get another buffer. */
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

    // ---- Received ----

    /** Copies a message into a buffer, which {@link #release} gives back; -1 if there is none. */
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

    /** The longest message with its sum, in bytes. */
    int size() {
        return size;
    }

    /** For tests: how many buffers for messages to send there are. */
    int buffers() {
        return toSend.length;
    }

    void close() {
        CloseAll.of(regions.stream().map(region -> (Runnable) region::close).toArray(Runnable[]::new));
    }
}
