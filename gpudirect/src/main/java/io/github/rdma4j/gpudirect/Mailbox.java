// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.RemoteMemory;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.function.BiFunction;

/**
 * Words that the two sides of a channel write into each other's memory. A sender announces each message with its
 * length. A receiver answers with the number of chunks for which it has posted receives (counted from the beginning of
 * the channel), or rejects a message that is too long. Each word has 8 bytes and is written at once, so it is never
 * seen half written. Words need no receive, so they cannot meet a receiver that is not ready.
 */
final class Mailbox implements AutoCloseable {
    /** The most messages that may be announced and not complete. */
    static final int MESSAGES = 16;

    /** The longest message: the other bits of a word are its tag. */
    static final long LONGEST = (1L << 48) - 1;

    /**
     * Sent instead of a buffer size: the receive failed before its message had begun. No message is longer than this.
     */
    static final long NO_RECEIVE = LONGEST;

    private static final int GRANTS = 0;
    private static final int ANNOUNCEMENTS = 64;
    private static final int REFUSALS = ANNOUNCEMENTS + MESSAGES * Long.BYTES;
    static final int BYTES = REFUSALS + MESSAGES * Long.BYTES;

    /** The number of words that can be in flight: more than a side ever has. */
    static final int OUTBOX = 4 * MESSAGES;

    private static final int TAGS = 0xffff;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle WORDS = WORD.varHandle();

    private final MemoryRegion in;
    private final MemoryRegion out;
    private final MemorySlice[] outbox = new MemorySlice[OUTBOX];
    private RemoteMemory peer;

    Mailbox(ProtectionDomain domain) {
        this(domain::allocateMemory);
    }

    /** Creates a mailbox in memory of another kind. */
    Mailbox(BiFunction<Long, AccessFlag[], MemoryRegion> memory) {
        in = memory.apply((long) BYTES, new AccessFlag[] {AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE});
        try {
            out = memory.apply((long) OUTBOX * Long.BYTES, new AccessFlag[] {AccessFlag.LOCAL_WRITE});
        } catch (RuntimeException e) {
            Undo.after(e, in);
            throw e;
        }
        for (int i = 0; i < OUTBOX; i++) {
            outbox[i] = out.slice((long) i * Long.BYTES, Long.BYTES);
        }
    }

    RemoteMemory remoteMemory() {
        return in.remoteMemory();
    }

    void connect(RemoteMemory theirs) {
        peer = theirs;
    }

    /**
     * Returns how many chunks this side may have sent since the connection began. Read it before {@link #refused}: the
     * peer writes in that order.
     */
    long grants() {
        return (long) WORDS.getAcquire(in.segment(), (long) GRANTS);
    }

    /** Returns the length of the peer's message with this number, or -1 if it has not been announced. */
    long announced(long message) {
        return read(ANNOUNCEMENTS, message);
    }

    /**
     * Returns the size of the receive for which the peer rejected our message, or -1 if it did not reject the message.
     */
    long refused(long message) {
        return read(REFUSALS, message);
    }

    private long read(int base, long message) {
        long word = (long) WORDS.getAcquire(in.segment(), slot(base, message));
        return word >>> 48 == tag(message) ? word & LONGEST : -1;
    }

    private static long slot(int base, long message) {
        return base + message % MESSAGES * Long.BYTES;
    }

    /** Never 0, which is the initial value of the memory. */
    private static long tag(long message) {
        return 1 + message % TAGS;
    }

    /** Writes the word into a slot of the outbox. */
    MemorySlice grantsWord(int place, long grants) {
        return fill(place, grants);
    }

    /**
     * Also erases the rejection of an earlier message from the slot of this message: tags repeat, so the old word would
     * also reject this message. The earlier message is complete, and the peer writes the slot only after it has seen
     * this announcement.
     */
    MemorySlice announcementWord(int place, long message, long length) {
        WORDS.setRelease(in.segment(), slot(REFUSALS, message), 0L);
        return fill(place, message, length);
    }

    MemorySlice refusalWord(int place, long message, long size) {
        return fill(place, message, size);
    }

    private MemorySlice fill(int place, long message, long number) {
        return fill(place, tag(message) << 48 | Math.min(number, LONGEST));
    }

    private MemorySlice fill(int place, long word) {
        out.segment().set(WORD, (long) place * Long.BYTES, word);
        return outbox[place];
    }

    /** Returns the target of the word in the peer's mailbox. */
    RemoteMemory grantsTarget() {
        return peer.slice(GRANTS, Long.BYTES);
    }

    RemoteMemory announcementTarget(long message) {
        return peer.slice(slot(ANNOUNCEMENTS, message), Long.BYTES);
    }

    RemoteMemory refusalTarget(long message) {
        return peer.slice(slot(REFUSALS, message), Long.BYTES);
    }

    /** Returns empty memory, for a message without bytes or its receive. */
    MemorySlice nothing() {
        return out.slice(0, 0);
    }

    @Override
    public void close() {
        in.close();
        out.close();
    }
}
