// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Slots;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/**
 * The send buffers of an endpoint: one for each of its {@link Slots}, for a message and its trailer or for the result
 * of an atomic operation, and one for a frame without a message. All are in one region, which other endpoints may
 * share.
 */
public final class SendBuffers {
    private static final long ALIGNMENT = 64;

    /**
     * Written where the adapter puts the result of an atomic operation, to detect an adapter that writes none. It is
     * random, so that no program has it in its memory.
     */
    public static final long NO_RESULT = new SplittableRandom().nextLong();

    private final MemoryRegion region;
    /** Whether these buffers own the region. */
    private final boolean owned;

    private final long base;
    private final long stride;
    private final MemorySlice[] messages;
    /** Whether the current message of a slot lies outside its buffer. */
    private final boolean[] lent;

    private final ByteBuffer[] views;
    private final MemorySlice[] words;
    private final MemorySlice nothing;
    private final MemorySlice control;
    /** The length of the frame behind each message, in bytes. */
    private final int trailer;
    /** The length of the sum, if there is one, and the frame behind each message, in bytes. */
    private final int behind;

    /** Creates buffers in a region of their own. */
    public SendBuffers(ProtectionDomain domain, int depth, int size, int trailer, int sum) {
        this(
                domain.allocateMemory(bytes(depth, size, trailer), AccessFlag.LOCAL_WRITE),
                0,
                true,
                depth,
                size,
                trailer,
                sum);
    }

    /** Creates buffers in a shared region, from an offset that is a multiple of the buffers' alignment. */
    public SendBuffers(MemoryRegion region, long base, int depth, int size, int trailer, int sum) {
        this(region, base, false, depth, size, trailer, sum);
    }

    private SendBuffers(MemoryRegion region, long base, boolean owned, int depth, int size, int trailer, int sum) {
        this.region = region;
        this.base = base;
        this.owned = owned;
        this.trailer = trailer;
        this.behind = sum + trailer;
        stride = stride(size + trailer);
        messages = new MemorySlice[depth];
        lent = new boolean[depth];
        views = new ByteBuffer[depth];
        words = new MemorySlice[depth];
        for (int i = 0; i < depth; i++) {
            words[i] = region.slice(at(i), Long.BYTES);
            cut(i, 0);
        }
        nothing = region.slice(base, 0);
        control = region.slice(at(depth), Frame.TRAILER);
    }

    /**
     * {@return how many bytes the buffers take}
     *
     * @param size the length of the longest message with its sum, in bytes
     */
    public static long bytes(int depth, int size, int trailer) {
        return (depth + 1) * stride(size + trailer);
    }

    /** {@return the distance between the starts of two buffers, in bytes} */
    public static long stride(int size) {
        return Math.max(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }

    private long at(int slot) {
        return base + slot * stride;
    }

    /**
     * Copies a message into a buffer. Most messages have the length of the message before, and can use its slice.
     */
    public void fill(int slot, MemorySegment message) {
        long length = message.byteSize();
        MemorySegment.copy(message, 0, region.segment(), at(slot), length);
        cut(slot, length);
    }

    /** Copies the remaining bytes of a buffer, whose position stays. Views are created when they are first needed. */
    public void fill(int slot, ByteBuffer message) {
        int length = message.remaining();
        view(slot).put(0, message, message.position(), length);
        cut(slot, length);
    }

    /** {@return the buffer of a slot, with any position and limit} */
    public ByteBuffer view(int slot) {
        ByteBuffer view = views[slot];
        if (view == null) {
            view = buffer(slot).asByteBuffer();
            views[slot] = view;
        }
        return view;
    }

    /** {@return the buffer of a slot} */
    public MemorySegment buffer(int slot) {
        return region.segment().asSlice(at(slot), stride);
    }

    /** Sets the length of the message that was written into a buffer, without sum and frame. */
    public void cut(int slot, long length) {
        if (messages[slot] == null || lent[slot] || messages[slot].length() != length + behind) {
            messages[slot] = region.slice(at(slot), length + behind);
            lent[slot] = false;
        }
    }

    /** Sets a message that lies outside the slot's buffer, or copies it if a sum or a frame must follow it. */
    public void lend(int slot, MemorySlice message, String endpoint) {
        requireUsable(message, endpoint);
        if (hasTail()) {
            fill(slot, message.segment());
        } else {
            messages[slot] = message;
            lent[slot] = true;
        }
    }

    /**
     * Whether this thread can copy the message of a slot. Memory that the program has lent may belong to a GPU, or its
     * arena may be confined to another thread.
     */
    public boolean canCopy(int slot) {
        if (!lent[slot]) {
            return true;
        }
        MemoryRegion theirs = messages[slot].region();
        return theirs.hasSegment() && theirs.segment().isAccessibleBy(Thread.currentThread());
    }

    /** Checks that requests of an endpoint can use memory. */
    public void requireUsable(MemorySlice memory, String endpoint) {
        MemoryRegion theirs = memory.region();
        if (!theirs.isOpen()) {
            throw new IllegalStateException(theirs + " is closed");
        }
        if (theirs.protectionDomain().handle() != region.protectionDomain().handle()) {
            throw new IllegalArgumentException(memory + " is of another protection domain than " + endpoint
                    + ": register the memory in Endpoint.protectionDomain()");
        }
    }

    /** Writes the frame behind the message in a buffer. */
    public void frame(int slot, int frame) {
        MemorySlice message = messages[slot];
        Frame.write(region.segment(), message.offset() + message.length() - trailer, frame);
    }

    /** Writes a frame without a message. There is one buffer for it, so it must be posted inline. */
    public MemorySlice control(int frame) {
        Frame.write(region.segment(), control.offset(), frame);
        return control;
    }

    /** Whether messages have something behind them, and so must lie in these buffers. */
    public boolean hasTail() {
        return behind > 0;
    }

    /** {@return the last message of a slot, with sum and frame} */
    public MemorySlice message(int slot) {
        return messages[slot];
    }

    /** {@return an empty message} */
    public MemorySlice nothing() {
        return nothing;
    }

    /** {@return where an atomic operation of a slot puts the original value} */
    public MemorySlice word(int slot) {
        return words[slot];
    }

    /** {@return the first bytes there} */
    public MemorySlice word(int slot, long bytes) {
        return bytes == Long.BYTES ? words[slot] : region.slice(at(slot), bytes);
    }

    /** Sets the value that a transfer will write. */
    public void setWord(int slot, long value) {
        region.segment().set(ValueLayout.JAVA_LONG, at(slot), value);
    }

    /** {@return the original value of an atomic operation} */
    public long original(int slot) {
        return region.segment().get(ValueLayout.JAVA_LONG, at(slot));
    }

    /** Closes the region, unless it is shared. */
    public void close() {
        if (owned) {
            region.close();
        }
    }
}
