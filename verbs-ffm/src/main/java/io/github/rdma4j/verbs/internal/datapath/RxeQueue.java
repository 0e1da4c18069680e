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
 * A queue that SoftRoCE's kernel driver shares with a program ({@code struct rxe_queue_buf}): a ring of elements, with
 * a producer and a consumer index. The indexes are only in the queue itself, so the provider's functions may be called
 * in between.
 *
 * <p>Memory is ordered with respect to the kernel only, as in rxe_queue.h of rdma-core; the caller ensures that one
 * thread uses the queue. The fences are nothing on x86-64 and {@code dmb} on aarch64.
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
     * Returns the queue of a {@code struct mminfo} and the pointer after it, as the provider stores them, if they are
     * at that address. No pointer is dereferenced before the kernel has confirmed it: the pointer must be the start of
     * a shared mapping of a verbs device that has the offset and the size of the {@code mminfo}, and the head of the
     * queue there must describe a queue that fits.
     *
     * @param map the current mappings
     * @param place the address of the two
     * @param minElement the bytes that an element needs
     * @return the queue; empty if something else is there
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

    /** Returns the queue whose head starts at an address, if the memory there can be one. */
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

    /** {@return the index of the next element} */
    int after(int index) {
        return index + 1 & mask;
    }

    /** {@return the number of elements from one index to the other} */
    int distance(int from, int to) {
        return to - from & mask;
    }

    /** {@return the address of an element, for {@link NativeMemory}; any index is mapped into the ring} */
    long element(int index) {
        return NativeMemory.structure(data + ((long) (index & mask) << shift));
    }

    /** Returns the producer index, for the producer (C: {@code memory_order_relaxed}). */
    int producer() {
        return NativeMemory.getInt(NativeMemory.structure(head) + PRODUCER_INDEX);
    }

    /** Returns the consumer index, for the consumer (C: {@code memory_order_relaxed}). */
    int consumer() {
        return NativeMemory.getInt(NativeMemory.structure(head) + CONSUMER_INDEX);
    }

    /**
     * Returns the kernel's producer index, before the elements up to it are read (C's queue_empty: the load of the
     * producer index is {@code memory_order_acquire}).
     */
    int producerOfKernel() {
        int producer = producer();
        VarHandle.acquireFence();
        return producer;
    }

    /**
     * Returns the kernel's consumer index, before an element that it has freed is written (C's queue_full: the load of
     * the consumer index is {@code memory_order_acquire}).
     */
    int consumerOfKernel() {
        int consumer = consumer();
        VarHandle.acquireFence();
        return consumer;
    }

    /**
     * Publishes all elements before an index to the kernel; they were written before (C's advance_producer: the store
     * is {@code memory_order_release}).
     */
    void producer(int index) {
        VarHandle.releaseFence();
        NativeMemory.putInt(NativeMemory.structure(head) + PRODUCER_INDEX, index);
    }

    /**
     * Returns all elements before an index to the kernel; they were read before (C's advance_consumer: the store is
     * {@code memory_order_release}).
     */
    void consumer(int index) {
        VarHandle.releaseFence();
        NativeMemory.putInt(NativeMemory.structure(head) + CONSUMER_INDEX, index & mask);
    }
}
