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
 * Rooms for messages whose receives are written and checked once, and posted again and again, in any order and several
 * by one call: what a program has that gives the same rooms back to the adapter whenever it has read them.
 * {@link QueuePair#prepareReceives} and its like make it:
 *
 * <pre>{@code
 * PreparedReceives receives = queuePair.prepareReceives(0, rooms);
 * receives.add(2).add(0).post(); // the next message comes into room 2
 * }</pre>
 *
 * <p>It has nothing to close: its memory is the garbage collector's. It is of use as long as the queue and the regions
 * are open. A region that is {@linkplain MemoryRegion#reregister registered anew} needs receives that are prepared
 * anew. Adding and posting allocate nothing.
 *
 * <p>Thread safety: for one thread at a time; another one that takes it over must see what was added. Other threads may
 * post on the same queue.
 *
 * @since 0.1.0
 */
public final class PreparedReceives {
    private final ReceiveQueue queue;
    private final long firstWorkRequestId;
    private final ReceiveRequests requests;
    /** The memory of what came by {@link #extend}: it lives as long as this object. */
    private final ArrayList<ReceiveRequests> further = new ArrayList<>();

    private MemoryRegion[] regions = {};
    /** By room: where its receive is. */
    private long[] addresses = {};
    /** By room: in which list it was added last. A room that stood twice in one would make its chain a circle. */
    private long[] added = {};

    private long list = 1;
    private int size;
    /** Where the last one of the list is. */
    private long last;

    private int error;

    /** The arguments were checked. */
    PreparedReceives(ReceiveQueue queue, long firstWorkRequestId, List<MemorySlice> rooms) {
        this.queue = queue;
        this.firstWorkRequestId = firstWorkRequestId;
        this.requests = filled(rooms);
    }

    /**
     * Prepares more rooms, for a pool that grows: behind those that there are, with the next numbers. What was added
     * and is not posted yet stays added.
     *
     * @param rooms for one message each; their regions need {@link AccessFlag#LOCAL_WRITE}
     * @return this
     * @throws IllegalArgumentException if a region is not of the queue's protection domain or not writable, or there
     *     are no rooms, or too many
     * @throws IllegalStateException if the queue or a region is closed
     */
    public PreparedReceives extend(List<MemorySlice> rooms) {
        queue.checkPrepared(rooms);
        // Before there are addresses: memory that nothing holds would be the collector's.
        further.ensureCapacity(further.size() + 1);
        further.add(filled(rooms));
        return this;
    }

    private ReceiveRequests filled(List<MemorySlice> rooms) {
        ReceiveRequests made = new ReceiveRequests(Arena.ofAuto(), rooms.size(), 1);
        int before = addresses.length;
        int count = Math.addExact(before, rooms.size());
        long[] grown = Arrays.copyOf(addresses, count);
        for (int i = 0; i < rooms.size(); i++) {
            MemorySlice room = rooms.get(i);
            made.fill(i, firstWorkRequestId + before + i, room.address(), room.lengthAndKey());
            grown[before + i] = made.addressOf(i);
        }
        long[] grownLists = Arrays.copyOf(added, count);
        regions = Stream.concat(Arrays.stream(regions), rooms.stream().map(MemorySlice::region))
                .distinct()
                .toArray(MemoryRegion[]::new);
        added = grownLists;
        addresses = grown;
        return made;
    }

    /** {@return how many were added since the last post} */
    public int size() {
        return size;
    }

    /**
     * Adds a room to those that the next post gives to the adapter, behind the others.
     *
     * @param room its place among those that were prepared, from 0. The adapter must not have it already
     * @return this
     * @throws IndexOutOfBoundsException if there is no such room
     * @throws IllegalArgumentException if it was added since the last post
     */
    public PreparedReceives add(int room) {
        long address = addresses[room];
        if (added[room] == list) {
            throw new IllegalArgumentException("room " + room + " was added already since the last post of " + this);
        }
        added[room] = list;
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
     * Posts the receives that were added, in their order, by one call, and forgets them.
     *
     * @return how many were accepted; fewer than {@link #size()} was if the queue filled up or one was refused, and
     *     {@link #error()} then says why. Those behind were not posted
     * @throws IllegalStateException if the queue or a region is closed
     */
    public int post() {
        int count = size;
        size = 0;
        list++;
        error = 0;
        if (count == 0) {
            return 0;
        }
        for (MemoryRegion region : regions) {
            region.requireOpenSoon();
        }
        int accepted = postAdded(count);
        Reference.reachabilityFence(this);
        error = queue.result(error);
        return accepted;
    }

    private int postAdded(int count) {
        queue.enter();
        try {
            ReceiveRequests.link(last, 0);
            requests.forgetBadRequest();
            error = queue.post(requests);
            return error == 0 ? count : requests.followersBeforeRefusal(count);
        } finally {
            queue.exit();
        }
    }

    /** {@return 0 if the last {@link #post()} accepted all, or {@link QueuePair#QUEUE_FULL}, or another errno} */
    public int error() {
        return error;
    }

    /** {@return whose receives these are} */
    @Override
    public String toString() {
        return "%d prepared receives of %s".formatted(added.length, queue);
    }
}
