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
 * A buffer for each of {@link Slots}: for a message and its trailer, or for an atomic operation's result; and one for a
 * frame alone. All are in one region, which other endpoints may share.
 */
public final class SendBuffers {
    private static final long ALIGNMENT = 64;

    /**
     * What lies where an adapter will put an atomic operation's result, so that one that puts nothing there is noticed.
     * Nobody knows it beforehand, so no program has it in its memory.
     */
    public static final long NO_RESULT = new SplittableRandom().nextLong();

    private final MemoryRegion region;
    /** Whether the region is for these alone. */
    private final boolean owned;

    private final long base;
    private final long stride;
    private final MemorySlice[] messages;
    /** Whether the message lies elsewhere, for once. */
    private final boolean[] lent;

    private final ByteBuffer[] views;
    private final MemorySlice[] words;
    private final MemorySlice nothing;
    private final MemorySlice control;
    /** The bytes of a frame behind each message. */
    private final int trailer;
    /** The bytes behind each message: a sum, if there is one, and the frame. */
    private final int behind;

    /** In a region of their own. */
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

    /** In a region that others also use, from an offset on that is a multiple of the buffers' alignment. */
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
     * How much memory they take.
     *
     * @param size of the longest message with its sum, in bytes
     */
    public static long bytes(int depth, int size, int trailer) {
        return (depth + 1) * stride(size + trailer);
    }

    /** The distance between the beginnings of two buffers. */
    public static long stride(int size) {
        return Math.max(ALIGNMENT, (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }

    private long at(int slot) {
        return base + slot * stride;
    }

    /**
     * Copies a message into a buffer. Most have the same length as the one before, and then its slice is the right one.
     */
    public void fill(int slot, MemorySegment message) {
        long length = message.byteSize();
        MemorySegment.copy(message, 0, region.segment(), at(slot), length);
        cut(slot, length);
    }

    /** Copies what remains in a buffer, whose position stays. Views are made once, when they are needed. */
    public void fill(int slot, ByteBuffer message) {
        int length = message.remaining();
        view(slot).put(0, message, message.position(), length);
        cut(slot, length);
    }

    /** The buffer of a slot; nobody relies on position and limit. */
    public ByteBuffer view(int slot) {
        ByteBuffer view = views[slot];
        if (view == null) {
            view = buffer(slot).asByteBuffer();
            views[slot] = view;
        }
        return view;
    }

    /** The buffer of a slot. */
    public MemorySegment buffer(int slot) {
        return region.segment().asSlice(at(slot), stride);
    }

    /** The message that was written into a buffer has this length, without what is behind it. */
    public void cut(int slot, long length) {
        if (messages[slot] == null || lent[slot] || messages[slot].length() != length + behind) {
            messages[slot] = region.slice(at(slot), length + behind);
            lent[slot] = false;
        }
    }

    /** The message in a slot is not in its buffer. */
    public void lend(int slot, MemorySlice message) {
        messages[slot] = message;
        lent[slot] = true;
    }

    /** Writes the frame behind the message in a buffer. */
    public void frame(int slot, int frame) {
        MemorySlice message = messages[slot];
        Frame.write(region.segment(), message.offset() + message.length() - trailer, frame);
    }

    /** A frame alone. There is one place for it, so whoever posts it does so inline. */
    public MemorySlice control(int frame) {
        Frame.write(region.segment(), control.offset(), frame);
        return control;
    }

    /** Whether the message itself must lie here, since something stands behind it. */
    public boolean hasTail() {
        return behind > 0;
    }

    /** The message that was copied into a buffer last, and what is behind it. */
    public MemorySlice message(int slot) {
        return messages[slot];
    }

    /** A message without bytes. */
    public MemorySlice nothing() {
        return nothing;
    }

    /** Where an atomic operation puts the value before it. */
    public MemorySlice word(int slot) {
        return words[slot];
    }

    /** The first bytes of the same place. */
    public MemorySlice word(int slot, long bytes) {
        return bytes == Long.BYTES ? words[slot] : region.slice(at(slot), bytes);
    }

    /** Puts there what a transfer will write. */
    public void setWord(int slot, long value) {
        region.segment().set(ValueLayout.JAVA_LONG, at(slot), value);
    }

    /** The value before an atomic operation. */
    public long original(int slot) {
        return region.segment().get(ValueLayout.JAVA_LONG, at(slot));
    }

    /** Closes the region, unless others also use it. */
    public void close() {
        if (owned) {
            region.close();
        }
    }
}
