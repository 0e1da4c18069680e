// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.tcp;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import java.lang.foreign.MemorySegment;

/** The requests of this side that are not done yet, in the order of the posts, in which they complete. */
final class TcpRequests {
    private final long[] ids;
    private final byte[] kinds;
    /** Where the answer to a read goes. */
    private final MemorySegment[] targets;

    private final MemoryRegion[] regions;

    private final long[] offsets;
    private final int[] lengths;
    private int first;
    private int count;
    /** How many are done; the peer also counts them. */
    private int done;

    /** For at most {@code room} requests. */
    TcpRequests(int room) {
        ids = new long[room];
        kinds = new byte[room];
        targets = new MemorySegment[room];
        regions = new MemoryRegion[room];
        offsets = new long[room];
        lengths = new int[room];
    }

    /** The region has the memory of a transfer; null for a message. */
    void add(long id, byte kind, MemoryRegion region, long offset, int length) {
        int end = first + count++;
        int at = end < ids.length ? end : end - ids.length;
        ids[at] = id;
        kinds[at] = kind;
        targets[at] = region == null ? null : region.segment();
        regions[at] = region;
        offsets[at] = offset;
        lengths[at] = length;
    }

    /** Whether the oldest request changes no memory, and so is done when the peer's machine has it. */
    boolean isOldestAMessage() {
        return count > 0 && (kinds[first] == TcpFrame.MESSAGE || kinds[first] == TcpFrame.PROBE);
    }

    /**
     * Whether an answer of a kind is what the oldest one waits for.
     *
     * @param unsent how many of the newest requests the peer cannot know, because their headers were not sent
     */
    boolean awaits(byte answer, int length, int unsent) {
        return count > unsent
                && switch (answer) {
                    case TcpFrame.DATA -> kinds[first] == TcpFrame.READ && length == lengths[first];
                    case TcpFrame.VALUE ->
                        kinds[first] == TcpFrame.COMPARE_AND_SWAP || kinds[first] == TcpFrame.FETCH_AND_ADD;
                    default -> kinds[first] != TcpFrame.MESSAGE && kinds[first] != TcpFrame.PROBE;
                };
    }

    long oldest() {
        return ids[first];
    }

    MemorySegment target() {
        return targets[first];
    }

    MemoryRegion region() {
        return regions[first];
    }

    long offset() {
        return offsets[first];
    }

    private void remove() {
        targets[first] = null;
        regions[first] = null;
        first = first + 1 == ids.length ? 0 : first + 1;
        count--;
        done++;
    }

    /** The oldest one is done. If the protocol throws for lack of memory, it is called again. */
    void finishOldest(WireEvents protocol) {
        protocol.sent(oldest());
        remove();
    }

    /**
     * The peer has counted so many.
     *
     * @param unsent how many of the newest requests the peer cannot have done, because they were not sent completely
     * @return false if it has counted what it cannot have done
     */
    boolean finishUpTo(int counted, int unsent, WireEvents protocol) {
        // An acknowledgement by the peer's machine may have ended a request before the peer counts it.
        while (counted - done > 0) {
            if (count <= unsent || TcpFrame.asksForAnswer(kinds[first])) {
                return false;
            }
            finishOldest(protocol);
        }
        return true;
    }

    /** The oldest one has failed. */
    void failOldest(WireEvents protocol, WorkCompletionStatus status) {
        String description = "%s (%s)".formatted(status.describe(), status);
        protocol.failed(
                oldest(), description, ACCESS.transferException("a transfer of " + protocol, status, 0, description));
        remove();
    }

    /** None of them will be done any more; how many there were. */
    int failAll(WireEvents protocol) {
        int failed = 0;
        while (count > 0) {
            protocol.failed(oldest(), "the connection has ended", null);
            remove();
            failed++;
        }
        return failed;
    }
}
