// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_wc;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A reusable buffer for the completions of one {@link CompletionQueue#poll poll}: an array of {@code struct ibv_wc}
 * outside the heap, with one flyweight per element. Allocate it once; the garbage collector frees it.
 *
 * <p>Thread safety: for one thread at a time.
 *
 * @since 0.1.0
 */
public final class WorkCompletions {
    private final MemorySegment memory;
    private final long address;
    private final WorkCompletion[] elements;
    private int size;

    private WorkCompletions(int capacity) {
        memory = ibv_wc.allocateArray(capacity, Arena.ofAuto());
        address = memory.address();
        elements = new WorkCompletion[capacity];
        for (int i = 0; i < capacity; i++) {
            elements[i] = new WorkCompletion(ibv_wc.asSlice(memory, i));
        }
    }

    /**
     * Allocates a buffer.
     *
     * @param capacity the maximum number of completions that one poll fetches, from 1 to 65536
     * @return the buffer, empty
     * @throws IllegalArgumentException if the capacity is out of range
     */
    public static WorkCompletions allocate(int capacity) {
        if (capacity < 1 || capacity > 65_536) {
            throw new IllegalArgumentException("capacity " + capacity + " is not in 1..65536");
        }
        return new WorkCompletions(capacity);
    }

    /** {@return the maximum number of completions that one poll fetches} */
    public int capacity() {
        return elements.length;
    }

    /** {@return the number of completions that the last poll fetched} */
    public int size() {
        return size;
    }

    /**
     * Returns a completion of the last poll.
     *
     * @param index from 0, less than {@link #size()}
     * @return a view of it, the same object each time; the next poll changes its content
     * @throws IndexOutOfBoundsException if the last poll fetched fewer
     */
    public WorkCompletion get(int index) {
        return elements[Objects.checkIndex(index, size)];
    }

    long address() {
        return address;
    }

    void size(int fetched) {
        size = fetched;
    }
}
