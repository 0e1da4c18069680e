// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.resources.ReceiveCredits;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;

/**
 * The receiving half of the measured loop of ib_send_bw. It polls several completions at a time and replaces the
 * receives that they used. It does not allocate and does not throw.
 */
public final class ReceivingSide {
    private final Receives receives;
    private final CompletionQueue completionQueue;
    private final int streams;
    private final WorkCompletions completions;

    /** Null where the transport lets messages wait for receives. */
    private final ReceiveCredits credits;

    private final boolean alone;

    private long total;
    private long received;
    private long first;
    private long started;
    private long begin;
    private long end;
    private WorkCompletion failedCompletion;

    /**
     * @param receives begun before each run
     * @param completionQueue where they complete
     * @param streams how many send to this side
     * @param pollBatch completions taken at a time, at most
     */
    public ReceivingSide(Receives receives, CompletionQueue completionQueue, int streams, int pollBatch) {
        this(receives, completionQueue, streams, pollBatch, null, false);
    }

    /**
     * Creates a side that reports its receives to the peer.
     *
     * @param credits reports them; null if the peer does not need reports
     * @param alone whether this side sends nothing else
     */
    public ReceivingSide(
            Receives receives,
            CompletionQueue completionQueue,
            int streams,
            int pollBatch,
            ReceiveCredits credits,
            boolean alone) {
        this.completions = WorkCompletions.allocate(pollBatch);
        this.credits = credits;
        this.alone = alone;
        this.receives = receives;
        this.completionQueue = completionQueue;
        this.streams = streams;
    }

    /**
     * Called at the start of a run; posts its first receives.
     *
     * @param messages per stream; {@link Long#MAX_VALUE} for a timed run
     */
    void begin(long messages) {
        total = messages == Long.MAX_VALUE ? messages : messages * streams;
        received = 0;
        first = 0;
        started = System.nanoTime();
        begin = started;
        end = started;
    }

    /** Returns whether more messages are expected. */
    boolean unfinished() {
        return received < total || receives.copying() || credits != null && credits.busy();
    }

    /** Returns whether received messages are still being copied to their destination. */
    boolean copying() {
        return receives.copying();
    }

    /** Polls the completions; returns the number of messages, or -1 on failure. */
    long take() {
        if (receives.copied()) {
            end = System.nanoTime();
        }
        if (receives.failure() != null) {
            return -1;
        }
        if (credits != null && alone && !credits.poll()) {
            return -1;
        }
        int arrived = completionQueue.poll(completions);
        if (arrived == 0) {
            return 0;
        }
        end = System.nanoTime();
        if (received == 0) {
            begin = end;
            first = arrived;
        }
        for (int i = 0; i < arrived; i++) {
            WorkCompletion completion = completions.get(i);
            if (completion.statusCode() != 0) {
                failedCompletion = completion;
                return -1;
            }
            if (!receives.replace((int) completion.workRequestId())) {
                return -1;
            }
            if (credits != null && !credits.received((int) completion.workRequestId())) {
                return -1;
            }
        }
        received += arrived;
        return arrived;
    }

    /** Messages received. */
    public long received() {
        return received;
    }

    /** Returns the number of messages received in {@link #nanoseconds()}. */
    public long timedMessages() {
        return cameAtOnce() ? received : received - first;
    }

    /**
     * Returns the nanoseconds from the first completions to the last ones. If all arrived in one poll, the time starts
     * with the run, which is at least as long.
     */
    public long nanoseconds() {
        return end - (cameAtOnce() ? started : begin);
    }

    private boolean cameAtOnce() {
        return received == first;
    }

    /** Returns the failure; null without one. */
    String failure() {
        if (receives.failure() != null) {
            return receives.failure();
        }
        if (failedCompletion != null) {
            return Failures.completion(failedCompletion);
        }
        return credits != null ? credits.failure() : null;
    }
}
