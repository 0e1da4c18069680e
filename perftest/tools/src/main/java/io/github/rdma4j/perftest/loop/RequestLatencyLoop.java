// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletions;
import java.time.Duration;

/**
 * The measured loop of ib_read_lat and ib_atomic_lat: posts a request, waits for its completion, and posts the next
 * one. The peer's adapter answers without a program.
 *
 * <p>Unless it sleeps, it allocates nothing and throws nothing: {@link #failure()} returns what stopped it.
 */
public final class RequestLatencyLoop {
    /** How often a sleeping side checks whether the run has ended. */
    private static final Duration LONGEST_SLEEP = Duration.ofMillis(100);

    private final RunQueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private final PreparedRequest request;
    private final boolean events;
    private final Passage incoming;
    private final RunControl control;

    private String postFailure;
    private boolean completionFailed;

    /**
     * @param queues the queues of its requests
     * @param operation one of {@link Operation}
     * @param events whether to sleep until completions are announced
     * @param local the memory for the answers
     * @param remote the memory of the peer
     * @param incoming the passage of a received answer
     * @param control shared with the monitor of the run
     */
    public RequestLatencyLoop(
            RequestQueues queues,
            int operation,
            boolean events,
            MemorySlice local,
            RemoteMemory remote,
            Passage incoming,
            RunControl control) {
        this.queuePair = queues.queuePair();
        this.completionQueue = queues.completions();
        this.request = Operation.prepare(queuePair.prepare(), operation, 0, local, remote, SendFlags.SIGNALED);
        this.events = events;
        this.incoming = incoming;
        this.control = control;
    }

    /**
     * Sends until {@code count} requests have been answered, the run ends, or an operation fails.
     *
     * @param count requests to send
     * @param recorder records the time of each request, and may delay it
     * @return requests answered
     */
    public long run(long count, LatencyRecorder recorder) {
        // Locals, here and below: the compiler loads a field again after each native call.
        RunControl control = this.control;
        PreparedRequest request = this.request;
        CompletionQueue queue = completionQueue;
        WorkCompletions completions = this.completions;
        Passage incoming = this.incoming;
        boolean events = this.events;
        long answered = 0;
        boolean paced = recorder.paces();
        recorder.begin();
        // Also checked here, because the waits may never run: each answer may have arrived at the first poll.
        while (answered < count && control.running()) {
            if (paced && !recorder.due() || !post(request)) {
                return answered;
            }
            if (!paced) {
                // While the request is in flight, recording takes no time of the measurement.
                recorder.next();
            }
            if (!awaitCompletion(events, queue, completions, control) || !incoming.pass(control)) {
                return answered;
            }
            answered++;
            control.advance(1);
        }
        if (paced) {
            recorder.end();
        }
        return answered;
    }

    private boolean post(PreparedRequest request) {
        try {
            if (request.tryPost()) {
                return true;
            }
            postFailure = Failures.queueFull(queuePair.number());
        } catch (VerbsException e) {
            postFailure = e.getMessage();
        }
        return false;
    }

    /** Waits for one completion. Returns false if it is a failure or the run ends first. */
    public boolean awaitCompletion() {
        return awaitCompletion(events, completionQueue, completions, control);
    }

    private boolean awaitCompletion(
            boolean events, CompletionQueue queue, WorkCompletions completions, RunControl control) {
        while ((events ? queue.awaitCompletions(completions, LONGEST_SLEEP) : queue.poll(completions)) == 0) {
            if (!control.running()) {
                return false;
            }
        }
        if (completions.get(0).statusCode() != 0) {
            completionFailed = true;
            return false;
        }
        return true;
    }

    /** Returns the failure of this side; null without one. */
    public String failure() {
        if (postFailure != null) {
            return postFailure;
        }
        return completionFailed ? Failures.completion(completions.get(0)) : null;
    }
}
