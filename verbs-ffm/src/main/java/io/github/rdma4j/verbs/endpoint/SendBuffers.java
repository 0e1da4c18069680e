// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A buffer for each of {@link Slots}: for a message, or for the result of an atomic operation. One region for all. */
final class SendBuffers {
    private final MemoryRegion region;
    private final long stride;
    private final MemorySlice[] messages;
    private final MemorySlice[] words;
    private final MemorySlice nothing;

    SendBuffers(ProtectionDomain domain, int depth, int size) {
        stride = ReceiveBuffers.stride(size);
        region = domain.allocateMemory(depth * stride, AccessFlag.LOCAL_WRITE);
        messages = new MemorySlice[depth];
        words = new MemorySlice[depth];
        for (int i = 0; i < depth; i++) {
            words[i] = region.slice(i * stride, Long.BYTES);
            messages[i] = words[i];
        }
        nothing = region.slice(0, 0);
    }

    /**
     * Copies a message into a buffer. Most have the same length as the one before, and then its slice is the right one.
     */
    void fill(int slot, MemorySegment message) {
        long length = message.byteSize();
        MemorySegment.copy(message, 0, region.segment(), slot * stride, length);
        cut(slot, length);
    }

    /** The buffer of a slot. */
    MemorySegment room(int slot) {
        return region.segment().asSlice(slot * stride, stride);
    }

    /** The message that was written into a buffer has this length. */
    void cut(int slot, long length) {
        if (messages[slot].length() != length) {
            messages[slot] = region.slice(slot * stride, length);
        }
    }

    /** The message that was copied into a buffer last. */
    MemorySlice message(int slot) {
        return messages[slot];
    }

    /** A message without bytes. */
    MemorySlice nothing() {
        return nothing;
    }

    /** Where an atomic operation puts the value before it. */
    MemorySlice word(int slot) {
        return words[slot];
    }

    /** The first bytes of the same place. */
    MemorySlice word(int slot, long bytes) {
        return bytes == Long.BYTES ? words[slot] : region.slice(slot * stride, bytes);
    }

    /** Puts there what a transfer will write. */
    void setWord(int slot, long value) {
        region.segment().set(ValueLayout.JAVA_LONG, slot * stride, value);
    }

    /** The value before an atomic operation. */
    long original(int slot) {
        return region.segment().get(ValueLayout.JAVA_LONG, slot * stride);
    }

    void close() {
        region.close();
    }
}
