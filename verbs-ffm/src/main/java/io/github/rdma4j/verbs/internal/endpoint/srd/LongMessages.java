// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.srd;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.SendBuffers;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

/** Buffers for messages with fragments, in one region. */
final class LongMessages {
    private final MemoryRegion region;
    private final Message[] messages;
    private final MemorySegment[] memory;

    /**
     * Allocates the buffers.
     *
     * @param count of the buffers; 0 if no message has fragments
     * @param longest the length of a buffer, in bytes
     */
    LongMessages(ProtectionDomain domain, int count, int longest) {
        long stride = SendBuffers.stride(longest);
        this.region = count == 0 ? null : domain.allocateMemory(count * stride, AccessFlag.LOCAL_WRITE);
        this.messages = new Message[count];
        this.memory = new MemorySegment[count];
        try {
            for (int i = 0; i < count; i++) {
                memory[i] = region.segment().asSlice(i * stride, longest);
                messages[i] = ACCESS.message(memory[i]);
            }
        } catch (Throwable e) {
            CloseAll.after(e, this::close);
            throw e;
        }
    }

    /** {@return the length of the longest message with fragments, in bytes; 0 if no message has fragments} */
    int longest() {
        return memory.length == 0 ? 0 : (int) memory[0].byteSize();
    }

    /** Copies a fragment to its place in a message. */
    void add(ByteBuffer fragment, int length, int buffer, long offset) {
        MemorySegment.copy(MemorySegment.ofBuffer(fragment.duplicate().clear()), 0, memory[buffer], offset, length);
    }

    Message message(int buffer, long length) {
        return ACCESS.open(messages[buffer], length);
    }

    ByteBuffer arrived(int buffer) {
        return ACCESS.whole(messages[buffer]);
    }

    byte[] copy(int buffer, long length) {
        return memory[buffer].asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    }

    void close() {
        if (region != null) {
            region.close();
        }
    }
}
