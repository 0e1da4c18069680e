// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.CompletableFuture;

/**
 * The places in the send queue that the program can fill. Each has a buffer, for the message or for the result of an atomic
 * operation, and remembers who waits for it.
 */
final class SendSlots {
    /** Nobody uses it. */
    private static final byte FREE = 0;
    /** A transfer or a message; the future, if there is one, gets nothing. */
    private static final byte PLAIN = 1;
    /** An atomic operation; the future gets the value before it. */
    private static final byte ATOMIC = 2;
    /** A transfer with an id, which {@link #takeDone()} will give. */
    private static final byte POLLED = 3;
    /** The same for an atomic operation. */
    private static final byte POLLED_ATOMIC = 4;

    private final MemoryRegion region;
    private final long stride;
    private final MemorySlice[] messages;
    private final MemorySlice[] words;
    private final byte[] kinds;
    private final CompletableFuture<?>[] futures;
    private final long[] ids;
    private final RuntimeException[] failures;
    private final int[] free;
    private int freeCount;
    private final int[] done;
    private int firstDone;
    private int doneCount;

    SendSlots(ProtectionDomain domain, int depth, int size) {
        stride = ReceiveBuffers.stride(size);
        region = domain.allocateMemory(depth * stride, AccessFlag.LOCAL_WRITE);
        messages = new MemorySlice[depth];
        words = new MemorySlice[depth];
        kinds = new byte[depth];
        futures = new CompletableFuture<?>[depth];
        ids = new long[depth];
        failures = new RuntimeException[depth];
        free = new int[depth];
        done = new int[depth];
        for (int i = 0; i < depth; i++) {
            words[i] = region.slice(i * stride, Long.BYTES);
            messages[i] = words[i];
            free[freeCount++] = i;
        }
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    /** Whether nothing is under way; what is done and was not polled does not count. */
    boolean isIdle() {
        return freeCount + doneCount == free.length;
    }

    /** Takes a slot for something that a future waits for, or nobody. */
    int take(CompletableFuture<?> future, boolean atomic) {
        int slot = free[--freeCount];
        kinds[slot] = atomic ? ATOMIC : PLAIN;
        futures[slot] = future;
        return slot;
    }

    /** Takes a slot for a transfer that will be polled for. */
    int take(long id, boolean atomic) {
        int slot = free[--freeCount];
        kinds[slot] = atomic ? POLLED_ATOMIC : POLLED;
        ids[slot] = id;
        return slot;
    }

    /** Nobody needs the slot any more. */
    void release(int slot) {
        kinds[slot] = FREE;
        futures[slot] = null;
        failures[slot] = null;
        free[freeCount++] = slot;
    }

    /** Copies a message into the slot's buffer. Most have the same length as the one before, and then its slice is the right one. */
    MemorySlice fill(int slot, MemorySegment message) {
        long length = message.byteSize();
        MemorySegment.copy(message, 0, region.segment(), slot * stride, length);
        MemorySlice slice = messages[slot];
        if (slice.length() != length) {
            slice = region.slice(slot * stride, length);
            messages[slot] = slice;
        }
        return slice;
    }

    /** A message without bytes. */
    MemorySlice nothing() {
        return region.slice(0, 0);
    }

    /** Where an atomic operation puts the value before it. */
    MemorySlice word(int slot) {
        return words[slot];
    }

    private long original(int slot) {
        return region.segment().get(ValueLayout.JAVA_LONG, slot * stride);
    }

    /** What was posted in a slot is done. */
    void complete(int slot, RuntimeException failure, Finished finished) {
        switch (kinds[slot]) {
            case POLLED, POLLED_ATOMIC -> {
                failures[slot] = failure;
                int end = firstDone + doneCount++;
                done[end < done.length ? end : end - done.length] = slot;
            }
            case FREE -> throw new AssertionError("a completion of slot " + slot + ", which is free");
            default -> {
                CompletableFuture<?> future = futures[slot];
                if (future != null) {
                    finished.add(future, kinds[slot] == ATOMIC ? (Long) original(slot) : null, failure);
                }
                release(slot);
            }
        }
    }

    /** Fails what is under way, because no completion will come any more. */
    void abandon(RuntimeException failure, Finished finished) {
        for (int slot = 0; slot < kinds.length; slot++) {
            if (kinds[slot] == PLAIN || kinds[slot] == ATOMIC) {
                complete(slot, failure, finished);
            }
        }
    }

    boolean hasDone() {
        return doneCount > 0;
    }

    /** The slot of the transfer that was done first and has not been polled; -1 if there is none. Release it afterwards. */
    int takeDone() {
        if (doneCount == 0) {
            return -1;
        }
        int slot = done[firstDone];
        firstDone = firstDone + 1 == done.length ? 0 : firstDone + 1;
        doneCount--;
        return slot;
    }

    long id(int slot) {
        return ids[slot];
    }

    RuntimeException failure(int slot) {
        return failures[slot];
    }

    /** The value before an atomic operation that succeeded; 0 of anything else. */
    long result(int slot) {
        return kinds[slot] == POLLED_ATOMIC && failures[slot] == null ? original(slot) : 0;
    }

    void close() {
        region.close();
    }
}
