// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.CONSUMER_INDEX;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.DATA;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.INDEX_MASK;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.LOG2_ELEMENT_SIZE;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.MAPPING_BYTES;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.MAPPING_OFFSET;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.MAPPING_SIZE;
import static io.github.rdma4j.verbs.internal.datapath.RxeLayout.PRODUCER_INDEX;

import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.PageSize;
import java.lang.invoke.VarHandle;
import java.util.Optional;

/**
 * A queue that SoftRoCE's kernel driver shares with a program ({@code struct rxe_queue_buf}): a ring of elements, the
 * index where the next one is put and the index of the next one to be taken. They stand in the queue and nowhere else,
 * so the provider's functions may be called in between.
 *
 * <p>Memory is ordered as rxe_queue.h of rdma-core orders it, against the kernel alone: whoever uses the queue sees to
 * it that one thread does. The fences are nothing on x86-64 and {@code dmb} on aarch64.
 */
final class RxeQueue {
    private static final int MAX_LOG2_ELEMENT_SIZE = 20;

    private final long head;
    private final long data;
    private final int shift;
    private final int mask;

    private RxeQueue(long head, int shift, int mask) {
        this.head = head;
        this.data = head + DATA;
        this.shift = shift;
        this.mask = mask;
    }

    /**
     * The queue of a {@code struct mminfo} and the pointer behind it, as the provider keeps them, if that is what is
     * there. Nothing is followed before the kernel has said what it is: the pointer must be the start of a shared
     * mapping of a verbs device that has the offset and the size of the {@code mminfo}, and the head of the queue there
     * must describe what fits.
     *
     * @param map what is mapped now
     * @param place where the two are
     * @param minElement the bytes that an element needs
     * @return the queue; empty if something else is at that place
     */
    static Optional<RxeQueue> at(MemoryMap map, long place, long minElement) {
        if (!map.canRead(place, MAPPING_BYTES + Long.BYTES)) {
            return Optional.empty();
        }
        long structure = NativeMemory.structure(place);
        long offset = NativeMemory.getLong(structure + MAPPING_OFFSET);
        long size = Integer.toUnsignedLong(NativeMemory.getInt(structure + MAPPING_SIZE));
        long pointer = NativeMemory.getLong(structure + MAPPING_BYTES);
        boolean mapped = size > DATA
                && map.region(pointer, size)
                        .filter(region -> region.start() == pointer
                                && region.end() == pointer + roundUpToPages(size)
                                && region.offset() == offset
                                && region.access().startsWith("rw-s")
                                && region.path().contains("/uverbs"))
                        .isPresent();
        return mapped ? ofHead(pointer, size, minElement) : Optional.empty();
    }

    private static long roundUpToPages(long size) {
        return (size + PageSize.BYTES - 1) / PageSize.BYTES * PageSize.BYTES;
    }

    /** The queue whose head starts at an address, if what is there can be one. */
    static Optional<RxeQueue> ofHead(long address, long size, long minElement) {
        long head = NativeMemory.structure(address);
        int shift = NativeMemory.getInt(head + LOG2_ELEMENT_SIZE);
        int mask = NativeMemory.getInt(head + INDEX_MASK);
        boolean fits = shift > 0
                && shift <= MAX_LOG2_ELEMENT_SIZE
                && 1L << shift >= minElement
                && mask > 0
                && (mask & mask + 1) == 0
                && DATA + (mask + 1L << shift) <= size;
        if (!fits) {
            return Optional.empty();
        }
        RxeQueue queue = new RxeQueue(head, shift, mask);
        return (queue.producer() | queue.consumer()) <= mask && (queue.producer() | queue.consumer()) >= 0
                ? Optional.of(queue)
                : Optional.empty();
    }

    /** {@return the index of the element behind that one} */
    int after(int index) {
        return index + 1 & mask;
    }

    /** {@return how many elements there are from one index to the other} */
    int distance(int from, int to) {
        return to - from & mask;
    }

    /** {@return where an element is, for {@link NativeMemory}; any index is one within the ring} */
    long element(int index) {
        return NativeMemory.structure(data + ((long) (index & mask) << shift));
    }

    /** Where the next element goes; for who puts them there (C: {@code memory_order_relaxed}). */
    int producer() {
        return NativeMemory.getInt(NativeMemory.structure(head) + PRODUCER_INDEX);
    }

    /** The next element to be taken; for who takes them (C: {@code memory_order_relaxed}). */
    int consumer() {
        return NativeMemory.getInt(NativeMemory.structure(head) + CONSUMER_INDEX);
    }

    /**
     * Where the kernel puts the next element, before the elements in front of it are read (C's queue_empty: the load of
     * the producer index is {@code memory_order_acquire}).
     */
    int producerOfKernel() {
        int producer = producer();
        VarHandle.acquireFence();
        return producer;
    }

    /**
     * The next element that the kernel takes, before a place that it has freed is written to (C's queue_full: the load
     * of the consumer index is {@code memory_order_acquire}).
     */
    int consumerOfKernel() {
        int consumer = consumer();
        VarHandle.acquireFence();
        return consumer;
    }

    /**
     * Gives the kernel all elements in front of an index, which are written before (C's advance_producer: the store is
     * {@code memory_order_release}).
     */
    void producer(int index) {
        VarHandle.releaseFence();
        NativeMemory.putInt(NativeMemory.structure(head) + PRODUCER_INDEX, index);
    }

    /**
     * Gives the kernel the places of all elements in front of an index back, which have been read before (C's
     * advance_consumer: the store is {@code memory_order_release}).
     */
    void consumer(int index) {
        VarHandle.releaseFence();
        NativeMemory.putInt(NativeMemory.structure(head) + CONSUMER_INDEX, index & mask);
    }
}
