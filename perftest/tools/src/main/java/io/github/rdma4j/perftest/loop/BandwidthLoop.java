// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.RequestPreparation;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import java.time.Duration;

/**
 * The measured loop of the bandwidth tools without the peer's participation: keeps as many requests in flight on each
 * queue pair as the transmit depth permits, requests one completion per group, and polls several completions at a time.
 *
 * <p>Unless it sleeps, it allocates nothing and throws nothing: {@link #failure()} returns what stopped it.
 */
public final class BandwidthLoop {
    /** How often a sleeping side checks whether the run has ended. */
    private static final Duration LONGEST_SLEEP = Duration.ofMillis(100);

    /** Added to the ids of requests that ask for no completion. QEMU's pvrdma completes them all the same. */
    static final long SILENT = 1L << Integer.SIZE;

    /**
     * How the messages are sent.
     *
     * @param operation one of {@link Operation}
     * @param depth most messages in flight per queue pair, per completion and per post
     * @param inline whether the messages travel in the work requests
     * @param events whether to sleep until completions are announced
     * @param bursts limits the rate; null for none
     * @param pollBatch the largest number of completions per poll
     */
    public record Manner(
            int operation, Depth depth, boolean inline, boolean events, BurstLimit bursts, int pollBatch) {}

    /** One queue pair with its messages: small ones go through the buffer slot by slot. */
    public static final class Stream {
        private final int index;
        private final RunQueuePair queuePair;
        private final MemorySlice[] local;
        private final RemoteMemory[] remote;
        private final Passage passage;
        /** One for each slot; null where messages are posted in lists. */
        private PreparedRequest[] requests;

        private int slot;
        private long posted;
        private long completed;
        private int untilSignal;

        /**
         * @param index the id of its work requests
         * @param passage the passage of the messages
         */
        public Stream(
                int index,
                RunQueuePair queuePair,
                MemorySlice[] local,
                RemoteMemory[] remote,
                int moderation,
                Passage passage) {
            this.index = index;
            this.queuePair = queuePair;
            this.local = local;
            this.remote = remote;
            this.passage = passage;
            this.untilSignal = moderation;
        }

        /** Messages posted. */
        public long posted() {
            return posted;
        }

        private void prepare(int operation, int flags, boolean signaled) {
            RequestPreparation preparation = queuePair.prepare();
            requests = new PreparedRequest[local.length];
            for (int i = 0; i < requests.length; i++) {
                requests[i] = prepared(
                        Operation.prepare(preparation, operation, index, local[i], remote[i], flags), index, signaled);
            }
        }
    }

    private final Stream[] streams;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions;
    private final int operation;
    private final int depth;
    private final int moderation;
    private final int list;
    private final boolean events;
    private final BurstLimit bursts;
    private final int flags;
    private final GroupTimes times;
    private final RunControl control;

    /** Where filling begins. It advances with each burst, because one queue may take all of a burst. */
    private int first;

    private long posted;
    private long completed;
    private long sampled;
    private long begin;
    private long end;
    private String postFailure;
    private WorkCompletion failedCompletion;

    /**
     * @param streams one per queue pair; its index is the id of its work requests
     * @param completionQueue where all their sends complete
     * @param manner how the messages are sent
     * @param times receives the times for the peak
     * @param control shared with the monitor of the run
     */
    public BandwidthLoop(
            Stream[] streams, CompletionQueue completionQueue, Manner manner, GroupTimes times, RunControl control) {
        this.streams = streams;
        this.completionQueue = completionQueue;
        this.operation = manner.operation();
        this.depth = manner.depth().messages();
        this.moderation = manner.depth().moderation();
        this.list = manner.depth().list();
        this.flags = manner.inline() ? SendFlags.INLINE : 0;
        this.events = manner.events();
        this.bursts = manner.bursts();
        this.completions = WorkCompletions.allocate(manner.pollBatch());
        this.times = times;
        this.control = control;
        if (list == 1) {
            for (Stream stream : streams) {
                stream.prepare(operation, flags, moderation == 1);
            }
        }
    }

    /** Sets whether a request asks for a completion. */
    static PreparedRequest prepared(PreparedRequest request, int id, boolean signaled) {
        return request.workRequestId(signaled ? id : id + SILENT).signaled(signaled);
    }

    /** Posts the last request of a group; the other ones of the group are silent. */
    static boolean postLast(PreparedRequest request, int id) {
        boolean accepted = prepared(request, id, true).tryPost();
        prepared(request, id, false);
        return accepted;
    }

    /**
     * Sends until all queue pairs have completed {@code count} messages, the run ends, or an operation fails. A timed
     * run continues with the messages that the previous run has left in flight.
     *
     * @param count messages per queue pair; {@link Long#MAX_VALUE} for a timed run
     */
    public void run(long count) {
        if (count != Long.MAX_VALUE) {
            rewind();
        }
        sampled = 0;
        times.clear();
        long total = count == Long.MAX_VALUE ? count : count * streams.length;
        begin = System.nanoTime();
        while (completed < total && control.running()) {
            if (!fill(count)) {
                return;
            }
            int arrived = events && !copying()
                    ? completionQueue.awaitCompletions(completions, LONGEST_SLEEP)
                    : completionQueue.poll(completions);
            if (arrived != 0 && !take(arrived, count)) {
                return;
            }
        }
        if (count != Long.MAX_VALUE) {
            settle();
        }
    }

    private boolean copying() {
        for (Stream stream : streams) {
            if (stream.passage.busy()) {
                return true;
            }
        }
        return false;
    }

    /** A completed message counts only when its copy is also done. */
    private void settle() {
        for (Stream stream : streams) {
            while (!stream.passage.settled() && control.running()) {
                end = System.nanoTime();
            }
        }
    }

    private void rewind() {
        for (Stream stream : streams) {
            stream.slot = 0;
            stream.posted = 0;
            stream.completed = 0;
            stream.untilSignal = moderation;
            stream.passage.rewind();
        }
        posted = 0;
        completed = 0;
    }

    /** Posts as many messages as the queues take; false on failure. */
    private boolean fill(long count) {
        if (bursts != null) {
            bursts.beginIfDue(System.nanoTime());
        }
        try {
            int at = first;
            for (int i = 0; i < streams.length; i++) {
                if (!fill(streams[at], count)) {
                    return false;
                }
                at = at + 1 == streams.length ? 0 : at + 1;
            }
            return true;
        } catch (VerbsException e) {
            postFailure = e.getMessage();
            return false;
        }
    }

    /** The stream's fields are held in locals: the compiler must write fields back around every native call. */
    private boolean fill(Stream stream, long count) {
        long before = stream.posted;
        long end = stream.passage.ready(stream.completed, Math.min(count, stream.completed + depth), count);
        if (bursts != null) {
            end = Math.min(end, before + bursts.left());
        }
        if (before >= end) {
            return true;
        }
        if (list > 1) {
            return fillLists(stream, count, end);
        }
        PreparedRequest[] requests = stream.requests;
        int slot = stream.slot;
        int untilSignal = stream.untilSignal;
        boolean accepted = true;
        long sent = before;
        while (sent < end) {
            if (untilSignal == moderation && times.recording()) {
                times.posted(System.nanoTime(), posted + sent - before);
            }
            sent++;
            PreparedRequest request = requests[slot];
            if (--untilSignal == 0 || sent == count) {
                untilSignal = moderation;
                accepted = moderation == 1 ? request.tryPost() : postLast(request, stream.index);
            } else {
                accepted = request.tryPost();
            }
            if (!accepted) {
                break;
            }
            if (++slot == requests.length) {
                slot = 0;
            }
        }
        stream.slot = slot;
        stream.untilSignal = untilSignal;
        stream.posted = sent;
        posted += sent - before;
        limit(sent - before);
        if (!accepted) {
            postFailure = Failures.queueFull(stream.queuePair.number());
        }
        return accepted;
    }

    /** Fills the queue with one call into the adapter's library, and one doorbell, for a list of messages. */
    private boolean fillLists(Stream stream, long count, long end) {
        while (stream.posted + list <= end) {
            if (stream.untilSignal == moderation && times.recording()) {
                times.posted(System.nanoTime(), posted);
            }
            SendBatch batch = stream.queuePair.startBatch();
            for (long number = stream.posted + 1; number <= stream.posted + list; number++) {
                int messageFlags = flags;
                long id = stream.index + SILENT;
                if (--stream.untilSignal == 0 || number == count) {
                    messageFlags |= SendFlags.SIGNALED;
                    id = stream.index;
                    stream.untilSignal = moderation;
                }
                int slot = stream.slot;
                Operation.add(batch, operation, id, stream.local[slot], stream.remote[slot], messageFlags);
                stream.slot = slot + 1 == stream.local.length ? 0 : slot + 1;
            }
            if (!batch.tryPost()) {
                postFailure = Failures.queueFull(stream.queuePair.number());
                return false;
            }
            stream.posted += list;
            posted += list;
            limit(list);
        }
        return true;
    }

    private void limit(long messages) {
        if (bursts != null && bursts.posted(messages)) {
            first = first + 1 == streams.length ? 0 : first + 1;
        }
    }

    private boolean take(int arrived, long count) {
        long now = System.nanoTime();
        long before = completed;
        for (int i = 0; i < arrived; i++) {
            WorkCompletion completion = completions.get(i);
            if (completion.statusCode() != 0) {
                failedCompletion = completion;
                return false;
            }
            long id = completion.workRequestId();
            if (id >= SILENT) {
                continue;
            }
            Stream stream = streams[(int) id];
            long group = Math.min(moderation, count - stream.completed);
            stream.completed += group;
            stream.passage.completed(stream.completed);
            completed += group;
        }
        if (completed == before) {
            return true;
        }
        end = now;
        times.completed(now, completed);
        control.advance(completed - before);
        sampled += control.sampling() ? completed - before : 0;
        return true;
    }

    /** Nanoseconds from before the first post to after the last completion. */
    public long nanoseconds() {
        return end - begin;
    }

    /** Messages completed. */
    public long completed() {
        return completed;
    }

    /** Messages completed in the measured part of a timed run. */
    public long sampled() {
        return sampled;
    }

    /** Returns the failure of this side; null without one. */
    public String failure() {
        if (postFailure != null) {
            return postFailure;
        }
        return failedCompletion != null ? Failures.completion(failedCompletion) : null;
    }
}
