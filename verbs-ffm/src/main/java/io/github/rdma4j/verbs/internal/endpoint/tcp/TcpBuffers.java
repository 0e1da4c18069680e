// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Credits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/**
 * The buffers of a TCP connection: those that messages are received into, a slot for each send, and two for the stream.
 */
final class TcpBuffers {
    /** Of each direction: enough for many messages in one system call. The kernel gives memory to what is used. */
    static final int STREAM_BUFFER = 1 << 17;

    private final MemoryRegion region;
    private final SendBuffers sends;
    private final long receivesAt;
    private final long stride;
    private final Message[] messages;
    /** Those that were given to the wire, oldest first. */
    private final int[] free;

    private int firstFree;
    private int freeCount;

    TcpBuffers(EndpointSettings.Sizes sizes) {
        int size = sizes.bufferSize();
        int count = sizes.receiveBuffers() + Credits.RESERVE;
        stride = SendBuffers.stride(size);
        receivesAt = SendBuffers.bytes(sizes.sendDepth(), size, 0);
        region = MemoryRegion.withoutAdapter(receivesAt + count * stride + 2L * STREAM_BUFFER, AccessFlag.LOCAL_WRITE);
        sends = new SendBuffers(region, 0, sizes.sendDepth(), size, 0, sizes.sumBytes());
        messages = new Message[count];
        free = new int[count];
        for (int i = 0; i < count; i++) {
            messages[i] = ACCESS.message(memory().asSlice(at(i), size));
            giveBack(i);
        }
    }

    MemorySegment memory() {
        return region.segment();
    }

    SendBuffers sends() {
        return sends;
    }

    MemorySegment input() {
        return memory().asSlice(memory().byteSize() - STREAM_BUFFER, STREAM_BUFFER);
    }

    MemorySegment output() {
        return memory().asSlice(memory().byteSize() - 2L * STREAM_BUFFER, STREAM_BUFFER);
    }

    /** Where a receive buffer is. */
    long at(int buffer) {
        return receivesAt + buffer * stride;
    }

    /** The value of a transfer of a slot. */
    MemorySlice word(int slot) {
        return sends.word(slot);
    }

    Message message(int buffer, long length) {
        return ACCESS.open(messages[buffer], length);
    }

    ByteBuffer arrived(int buffer) {
        return ACCESS.whole(messages[buffer]);
    }

    byte[] copy(int buffer, long length) {
        return memory().asSlice(at(buffer), length).toArray(ValueLayout.JAVA_BYTE);
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    int takeFree() {
        int buffer = free[firstFree];
        firstFree = firstFree + 1 == free.length ? 0 : firstFree + 1;
        freeCount--;
        return buffer;
    }

    void giveBack(int buffer) {
        int end = firstFree + freeCount++;
        free[end < free.length ? end : end - free.length] = buffer;
    }

    void close() {
        region.close();
    }
}
