// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ReceiveRequests;
import java.lang.foreign.Arena;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Receives of many buffers that are written and checked once and posted many times, in any order and several by one
 * call. It suits a program that returns the same buffers to the adapter after it has read them.
 * {@link QueuePair#prepareReceives} creates it, also for a shared receive queue or a work queue:
 *
 * <pre>{@code
 * PreparedReceives receives = queuePair.prepareReceives(0, buffers);
 * boolean posted = receives.add(2).add(0).tryPost(); // the next message comes into buffer 2
 * }</pre>
 *
 * <p>It needs no close: the garbage collector frees its memory. It can be used as long as the queue and the regions are
 * open. After a region is {@linkplain MemoryRegion#reregister reregistered}, prepare its receives again. Adding and
 * posting allocate nothing.
 *
 * <p>Thread safety: for one thread at a time; hand it over to another thread with the usual synchronization. Other
 * threads may post on the same queue.
 *
 * @since 0.1.0
 */
public final class PreparedReceives {
    private final ReceiveQueue queue;
    private final long firstWorkRequestId;
    private final ReceiveRequests requests;
    /** The memory of the receives that {@link #extend} added; it lives as long as this object. */
    private final ArrayList<ReceiveRequests> further = new ArrayList<>();

    private MemoryRegion[] regions = {};
    /** The address of each buffer's receive. */
    private long[] addresses = {};
    /**
     * The list in which each buffer was added last. A buffer that is twice in one list would make its chain a cycle.
     */
    private long[] added = {};

    private long list = 1;
    private int size;
    /** The address of the last receive in the list. */
    private long last;

    /** Creates the receives; the arguments were checked. */
    PreparedReceives(ReceiveQueue queue, long firstWorkRequestId, List<MemorySlice> buffers) {
        this.queue = queue;
        this.firstWorkRequestId = firstWorkRequestId;
        this.requests = filled(buffers);
    }

    /**
     * Prepares more buffers, for a pool that grows. They follow the existing buffers, with the next numbers. Buffers
     * that were added and not posted yet stay added.
     *
     * @param buffers the buffers, one for each message; their regions need {@link AccessFlag#LOCAL_WRITE}
     * @return this
     * @throws IllegalArgumentException if a region is not of the queue's protection domain or not writable, or there
     *     are no buffers, or too many
     * @throws IllegalStateException if the queue or a region is closed
     */
    public PreparedReceives extend(List<MemorySlice> buffers) {
        queue.checkPrepared(buffers);
        // Before the addresses are used: memory that nothing references would be collected.
        further.ensureCapacity(further.size() + 1);
        further.add(filled(buffers));
        return this;
    }

    private ReceiveRequests filled(List<MemorySlice> buffers) {
        ReceiveRequests made = new ReceiveRequests(Arena.ofAuto(), buffers.size(), 1);
        int before = addresses.length;
        int count = Math.addExact(before, buffers.size());
        long[] grown = Arrays.copyOf(addresses, count);
        for (int i = 0; i < buffers.size(); i++) {
            MemorySlice buffer = buffers.get(i);
            made.fill(i, firstWorkRequestId + before + i, buffer.address(), buffer.lengthAndKey());
            grown[before + i] = made.addressOf(i);
        }
        long[] grownLists = Arrays.copyOf(added, count);
        regions = Stream.concat(Arrays.stream(regions), buffers.stream().map(MemorySlice::region))
                .distinct()
                .toArray(MemoryRegion[]::new);
        added = grownLists;
        addresses = grown;
        return made;
    }

    /** {@return how many buffers were added and are not posted} */
    public int size() {
        return size;
    }

    /**
     * Adds a buffer to the end of the list that the next post gives to the adapter.
     *
     * @param buffer the index of the buffer, from 0. The adapter must not hold it already
     * @return this
     * @throws IndexOutOfBoundsException if there is no such buffer
     * @throws IllegalArgumentException if it was added and is not posted
     */
    public PreparedReceives add(int buffer) {
        long address = addresses[buffer];
        if (added[buffer] == list) {
            throw new IllegalArgumentException("buffer " + buffer + " was added already, and is not posted: " + this);
        }
        added[buffer] = list;
        if (size++ == 0) {
            requests.begin(address);
        } else {
            ReceiveRequests.link(last, address);
        }
        last = address;
        // The requests' memory lives as long as this object.
        Reference.reachabilityFence(this);
        return this;
    }

    /**
     * Posts the receives that were added, in order and by one call. Posted receives leave the list, so {@link #size()}
     * then is the number of receives that were not posted. Call this again to post them.
     *
     * @return true if all were posted, false if the queue is full
     * @throws IllegalStateException if the queue or a region is closed; then none was posted
     * @throws VerbsException if a receive was refused for another reason; it is the first one in the list
     */
    public boolean tryPost() {
        if (size == 0) {
            return true;
        }
        for (MemoryRegion region : regions) {
            region.requireOpenSoon();
        }
        int errno = enterAndPost();
        Reference.reachabilityFence(this);
        return queue.accepted(errno);
    }

    private int enterAndPost() {
        int entry = queue.enter();
        try {
            ReceiveRequests.link(last, 0);
            requests.forgetBadRequest();
            int errno = queue.post(requests);
            if (errno == 0) {
                size = 0;
                list++;
            } else {
                removeFirst(requests.followersBeforeRefusal(size));
            }
            return errno;
        } finally {
            queue.exit(entry);
        }
    }

    private void removeFirst(int accepted) {
        long request = requests.address();
        for (int i = 0; i < accepted; i++) {
            added[(int) (ReceiveRequests.workRequestId(request) - firstWorkRequestId)] = 0;
            request = ReceiveRequests.next(request);
        }
        requests.begin(request);
        size -= accepted;
    }

    /** {@return the queue of the receives} */
    @Override
    public String toString() {
        return "%d prepared receives of %s".formatted(added.length, queue);
    }
}
