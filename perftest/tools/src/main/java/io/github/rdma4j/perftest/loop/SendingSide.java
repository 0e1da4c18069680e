// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.plan.Depth;
import io.github.rdma4j.perftest.resources.ReceiveCredits;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Lane;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;

/**
 * The sending half of the measured loop of ib_send_bw: keeps as many messages in flight on each queue pair as the
 * transmit depth permits, requests one completion per group, and polls several completions at a time. Allocates nothing
 * and throws nothing.
 */
public final class SendingSide {
    /** One queue pair with its messages. */
    public static final class Stream {
        private final Sender sender;
        private final MemorySlice[] messages;
        private final Passage passage;
        /** One for each message; null where messages are posted in lists. */
        private PreparedRequest[] requests;

        private int slot;
        private long posted;
        private long completed;
        private int untilSignal;

        /**
         * @param lane the messages, sent one after the other
         */
        public Stream(Sender sender, Lane lane) {
            this.sender = sender;
            this.messages = lane.slices();
            this.passage = lane.passage();
        }

        private void prepare(int id, int flags, boolean signaled) {
            requests = new PreparedRequest[messages.length];
            for (int i = 0; i < requests.length; i++) {
                requests[i] = BandwidthLoop.prepared(sender.prepare(id, i, messages[i], flags), id, signaled);
            }
        }
    }

    private final Stream[] streams;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions;
    private final int depth;
    private final int moderation;
    private final int list;
    private final int flags;
    private final GroupTimes times;
    /** Null where the transport lets messages wait for receives. */
    private final ReceiveCredits credits;

    private long count;
    private long total;
    private long posted;
    private long completed;
    private long end;
    private String postFailure;
    private WorkCompletion failedCompletion;

    /**
     * @param streams the index of one is the id of its work requests
     * @param completionQueue where all their sends complete
     * @param depth most messages in flight per queue pair, per completion and per post
     * @param inline whether the messages travel in the work requests
     * @param times receives the times for the peak
     * @param credits how many receives the peer has; null if that does not matter
     * @param pollBatch completions taken at a time, at most
     */
    public SendingSide(
            Stream[] streams,
            CompletionQueue completionQueue,
            Depth depth,
            boolean inline,
            GroupTimes times,
            ReceiveCredits credits,
            int pollBatch) {
        this.credits = credits;
        this.completions = WorkCompletions.allocate(pollBatch);
        this.streams = streams;
        this.completionQueue = completionQueue;
        this.depth = depth.messages();
        this.moderation = depth.moderation();
        this.list = depth.list();
        this.flags = inline ? SendFlags.INLINE : 0;
        this.times = times;
        for (int i = 0; i < streams.length && list == 1; i++) {
            streams[i].prepare(i, flags, moderation == 1);
        }
    }

    /**
     * Called at the start of a run.
     *
     * @param messages per queue pair; {@link Long#MAX_VALUE} for a timed run
     */
    void begin(long messages) {
        for (Stream stream : streams) {
            stream.slot = 0;
            stream.posted = 0;
            stream.completed = 0;
            stream.untilSignal = moderation;
            stream.passage.rewind();
        }
        count = messages;
        total = messages == Long.MAX_VALUE ? messages : messages * streams.length;
        posted = 0;
        completed = 0;
        times.clear();
    }

    /** Returns whether messages are still to be sent or in flight. */
    boolean unfinished() {
        return completed < total;
    }

    /** Returns whether messages are being copied to memory from which they can be posted. */
    boolean copying() {
        for (Stream stream : streams) {
            if (stream.passage.busy()) {
                return true;
            }
        }
        return false;
    }

    /** Posts as many messages as the queues take; false on failure. */
    boolean fill() {
        try {
            for (int i = 0; i < streams.length; i++) {
                if (!(list == 1 ? fill(i, streams[i]) : fillLists(i, streams[i]))) {
                    return false;
                }
            }
            return true;
        } catch (VerbsException e) {
            postFailure = e.getMessage();
            return false;
        }
    }

    /** Returns how many messages may have been posted in total. */
    private long allowed(int id, Stream stream) {
        long most = Math.min(count, stream.completed + depth);
        return credits == null ? most : Math.min(most, credits.limit(id, stream.posted));
    }

    /** The stream's fields are held in locals: the compiler must write fields back around every native call. */
    private boolean fill(int id, Stream stream) {
        long before = stream.posted;
        long last = count;
        long until = stream.passage.ready(stream.completed, allowed(id, stream), last);
        if (before >= until) {
            return true;
        }
        PreparedRequest[] requests = stream.requests;
        int slot = stream.slot;
        int untilSignal = stream.untilSignal;
        boolean accepted = true;
        long sent = before;
        while (sent < until) {
            if (untilSignal == moderation && times.recording()) {
                times.posted(System.nanoTime(), posted + sent - before);
            }
            sent++;
            PreparedRequest request = requests[slot];
            if (--untilSignal == 0 || sent == last) {
                untilSignal = moderation;
                accepted = moderation == 1 ? request.tryPost() : BandwidthLoop.postLast(request, id);
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
        if (!accepted) {
            postFailure = Failures.queueFull(stream.sender.queuePairNumber());
        }
        return accepted;
    }

    /** Fills the queue with one call into the adapter's library, and one doorbell, for a list of messages. */
    private boolean fillLists(int id, Stream stream) {
        long until = stream.passage.ready(stream.completed, allowed(id, stream), count);
        while (stream.posted + list <= until) {
            if (stream.untilSignal == moderation && times.recording()) {
                times.posted(System.nanoTime(), posted);
            }
            SendBatch batch = stream.sender.startBatch();
            for (long number = stream.posted + 1; number <= stream.posted + list; number++) {
                int messageFlags = flags;
                long requestId = id + BandwidthLoop.SILENT;
                if (--stream.untilSignal == 0 || number == count) {
                    messageFlags |= SendFlags.SIGNALED;
                    requestId = id;
                    stream.untilSignal = moderation;
                }
                int slot = stream.slot;
                stream.sender.add(batch, requestId, slot, stream.messages[slot], messageFlags);
                stream.slot = slot + 1 == stream.messages.length ? 0 : slot + 1;
            }
            if (!batch.tryPost()) {
                postFailure = Failures.queueFull(stream.sender.queuePairNumber());
                return false;
            }
            stream.posted += list;
            posted += list;
        }
        return true;
    }

    /** Polls completions; returns the number of messages they complete, or -1 on failure. */
    long take() {
        int arrived = completionQueue.poll(completions);
        if (arrived == 0) {
            return 0;
        }
        long now = System.nanoTime();
        long before = completed;
        for (int i = 0; i < arrived; i++) {
            WorkCompletion completion = completions.get(i);
            if (completion.statusCode() != 0) {
                failedCompletion = completion;
                return -1;
            }
            long id = completion.workRequestId();
            if (ReceiveCredits.isCount(id)) {
                if (!credits.completed(id)) {
                    return -1;
                }
                continue;
            }
            if (id >= BandwidthLoop.SILENT) {
                continue;
            }
            Stream stream = streams[(int) id];
            long group = Math.min(moderation, count - stream.completed);
            stream.completed += group;
            stream.passage.completed(stream.completed);
            completed += group;
        }
        if (completed > before) {
            end = now;
            times.completed(now, completed);
        }
        return completed - before;
    }

    /** Messages completed. */
    public long completed() {
        return completed;
    }

    /** When the last completion was taken. */
    long end() {
        return end;
    }

    /** Returns the failure; null without one. */
    String failure() {
        if (postFailure != null) {
            return postFailure;
        }
        if (failedCompletion != null) {
            return Failures.completion(failedCompletion);
        }
        return credits != null ? credits.failure() : null;
    }
}
