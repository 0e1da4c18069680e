// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.wire.PeerKeys;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * Keeps ib_send_bw from sending more messages than the peer has receives for, if the transport does not: on iWARP a
 * message without a receive ends the connection. As in the C tools, each side from time to time writes the number of
 * messages that it has received on a queue pair into four bytes of the peer, in this machine's byte order. The sender
 * stays less than the receive depth ahead of this count.
 *
 * <p>A count that becomes due while the previous one is in flight waits for it, and replaces it, so at most one write
 * per queue pair is in flight. It does not allocate or throw during a run.
 */
public final class ReceiveCredits {
    /** The most completions that {@link #poll()} takes at once. */
    private static final int POLL_BATCH = 16;

    /** The C tools divide by a third of the depth. */
    static final int LEAST_DEPTH = 3;

    private static final VarHandle COUNT = ValueLayout.JAVA_INT.varHandle();

    private final MemoryRegion counts;
    private final int queuePairs;
    private final int depth;
    private final int interval;
    private final RunResources resources;
    private final WorkCompletions completions = WorkCompletions.allocate(POLL_BATCH);

    private final PreparedRequest[] writes;
    private final boolean[] underWay;
    private final long[] received;
    private final long[] reported;
    private final long[] acknowledged;
    private int busy;
    private String postFailure;
    private WorkCompletion failedCompletion;

    /**
     * @param domain closes the memory
     * @param depth receives that both sides post per queue pair
     */
    ReceiveCredits(RunResources resources, ProtectionDomain domain, int queuePairs, int depth) {
        this.resources = resources;
        this.queuePairs = queuePairs;
        this.depth = depth;
        this.interval = depth / LEAST_DEPTH;
        this.counts =
                domain.allocateMemory(2L * queuePairs * Integer.BYTES, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        writes = new PreparedRequest[queuePairs];
        underWay = new boolean[queuePairs];
        received = new long[queuePairs];
        reported = new long[queuePairs];
        acknowledged = new long[queuePairs];
    }

    /** Key of the memory that the peer writes its counts to. */
    int remoteKey() {
        return counts.remoteKey();
    }

    /** Returns the address where the peer writes the count of a queue pair. */
    long address(int queuePair) {
        return counts.address() + peerCountOffset(queuePair);
    }

    /** Returns the offset of the peer's count. The counts of this side come first. */
    private long peerCountOffset(int queuePair) {
        return (long) (queuePairs + queuePair) * Integer.BYTES;
    }

    /** Prepares the writes of counts to the addresses in the keys of the peer's queue pairs. */
    void connect(List<PeerKeys> peer) {
        for (int i = 0; i < queuePairs; i++) {
            RemoteMemory target = new RemoteMemory(
                    peer.get(i).address(), Integer.BYTES, peer.get(i).remoteKey());
            writes[i] = resources
                    .queuePair(i)
                    .prepare()
                    .write(counts.slice((long) i * Integer.BYTES, Integer.BYTES), target, SendFlags.SIGNALED)
                    .workRequestId(-1 - i);
        }
    }

    /** Called at the start of a run. The peer must not have started to receive. */
    public void begin() {
        for (int i = 0; i < queuePairs; i++) {
            received[i] = 0;
            reported[i] = 0;
            acknowledged[i] = 0;
            COUNT.setRelease(counts.segment(), peerCountOffset(i), 0);
        }
    }

    /** Returns how many messages a queue pair may have sent in this run, if this many have been posted. */
    public long limit(int queuePair, long posted) {
        long before = acknowledged[queuePair];
        int more = (int) COUNT.getAcquire(counts.segment(), peerCountOffset(queuePair)) - (int) before;
        // More than was sent is not of this run.
        if (more > 0 && before + more <= posted) {
            acknowledged[queuePair] = before + more;
        }
        return acknowledged[queuePair] + depth - 1;
    }

    /**
     * Counts a message of a queue pair whose receive has been replaced. Returns false if the count cannot be posted to
     * the peer.
     */
    public boolean received(int queuePair) {
        received[queuePair]++;
        return underWay[queuePair] || report(queuePair);
    }

    private boolean report(int queuePair) {
        if (received[queuePair] - reported[queuePair] < interval) {
            return true;
        }
        reported[queuePair] = received[queuePair];
        COUNT.setRelease(counts.segment(), (long) queuePair * Integer.BYTES, (int) reported[queuePair]);
        try {
            if (writes[queuePair].tryPost()) {
                underWay[queuePair] = true;
                busy++;
                return true;
            }
            postFailure = Failures.queueFull(resources.queuePair(queuePair).number());
        } catch (VerbsException e) {
            postFailure = e.getMessage();
        }
        return false;
    }

    /** Returns whether a work request with this id writes a count. */
    public static boolean isCount(long workRequestId) {
        return workRequestId < 0;
    }

    /** Handles the completion of a count. Returns false if the next count cannot be posted to the peer. */
    public boolean completed(long workRequestId) {
        int queuePair = (int) (-1 - workRequestId);
        underWay[queuePair] = false;
        busy--;
        return report(queuePair);
    }

    /** Polls the completions of a side that sends nothing else. Returns false if one is a failure. */
    public boolean poll() {
        int arrived = busy == 0 ? 0 : resources.queues().sends().poll(completions);
        for (int i = 0; i < arrived; i++) {
            WorkCompletion completion = completions.get(i);
            if (completion.statusCode() != 0) {
                failedCompletion = completion;
                return false;
            }
            if (!completed(completion.workRequestId())) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether counts are in flight. */
    public boolean busy() {
        return busy > 0;
    }

    /** Returns the failure; null without one. */
    public String failure() {
        if (postFailure != null) {
            return postFailure;
        }
        return failedCompletion != null ? Failures.completion(failedCompletion) : null;
    }
}
