// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.resources.RunQueues;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Passage;
import io.github.rdma4j.perftest.stream.Receives;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletions;

/**
 * The measured loop of ib_send_lat, and of ib_write_lat with immediate data: each side sends or writes a message and
 * waits for the completion of the receive that the other side's message takes.
 *
 * <p>It does not allocate, except where it sleeps ({@code -e}), and does not throw: {@link #failure()} returns what
 * stopped it. One method serves counted and timed runs and both roles, so that one warm-up compiles all of it.
 */
public final class SendLatencyLoop {
    private final Sender sender;
    private final PreparedRequest message;
    private final Receives receives;
    private final CompletionQueue sendQueue;
    private final CompletionQueue receiveQueue;
    private final CompletionWait wait;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private final RunControl control;
    private final Passage outgoing;
    private final Passage incoming;

    private String postFailure;
    private boolean completionFailed;

    /**
     * @param sender sends the messages
     * @param local the message
     * @param inline whether it travels in the work request
     * @param receives the receives of the peer's messages
     * @param queues the completion queues
     * @param outgoing the passage of a message before it is sent
     * @param incoming the passage of a received message
     * @param control shared with the monitor of the run
     */
    public SendLatencyLoop(
            Sender sender,
            MemorySlice local,
            boolean inline,
            Receives receives,
            RunQueues queues,
            Passage outgoing,
            Passage incoming,
            RunControl control) {
        this.sender = sender;
        this.message = sender.prepare(0, 0, local, SendFlags.SIGNALED | (inline ? SendFlags.INLINE : 0));
        this.receives = receives;
        this.sendQueue = queues.sends();
        this.receiveQueue = queues.receives();
        this.wait = new CompletionWait(queues);
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.control = control;
    }

    /**
     * Runs until {@code count} messages have been transferred in each direction, the run ends, or an operation fails.
     * The first receives are already posted.
     *
     * @param opens whether this side sends first (the client does, but of writes the server)
     * @param count messages to send
     * @param recorder records the time of each send, and may delay it
     * @return messages sent
     */
    public long run(boolean opens, long count, LatencyRecorder recorder) {
        // Locals, here and below: the compiler loads a field again after each native call.
        RunControl control = this.control;
        CompletionQueue sendQueue = this.sendQueue;
        WorkCompletions completions = this.completions;
        long sent = 0;
        long received = 0;
        boolean answers = !opens;
        boolean paced = recorder.paces();
        recorder.begin();
        // Sending and receiving are called in one place each: the compiler inlines both, but not a second time. The run
        // is also checked here, because the waits may never run: each message may have arrived at the first poll.
        while (control.running()) {
            if (answers) {
                if (received == count || !receive()) {
                    return sent;
                }
                received++;
                if (sent == count) {
                    if (paced) {
                        recorder.end();
                    }
                    return sent;
                }
            }
            if (paced && !recorder.due() || !post()) {
                return sent;
            }
            if (!paced) {
                // While the message is in flight, recording takes no time of the measurement.
                recorder.next();
            }
            if (!await(sendQueue, completions, control)) {
                return sent;
            }
            sent++;
            if (answers) {
                control.advance(1);
            }
            answers = true;
        }
        return sent;
    }

    /** Sends a message and waits for its completion. Returns false if an operation fails or the run ends first. */
    public boolean send() {
        return post() && await(sendQueue, completions, control);
    }

    private boolean post() {
        if (!outgoing.pass(control)) {
            return false;
        }
        try {
            if (message.tryPost()) {
                return true;
            }
            postFailure = Failures.queueFull(sender.queuePairNumber());
        } catch (VerbsException e) {
            postFailure = e.getMessage();
        }
        return false;
    }

    /** Waits for a message. Returns false if an operation fails or the run ends first. */
    public boolean receive() {
        RunControl control = this.control;
        WorkCompletions completions = this.completions;
        if (!await(receiveQueue, completions, control) || !incoming.pass(control)) {
            return false;
        }
        return receives.replace((int) completions.get(0).workRequestId());
    }

    private boolean await(CompletionQueue queue, WorkCompletions completions, RunControl control) {
        while (queue.poll(completions) == 0) {
            if (!control.running()) {
                return false;
            }
            wait.pause();
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
        if (receives.failure() != null) {
            return receives.failure();
        }
        return completionFailed ? Failures.completion(completions.get(0)) : null;
    }
}
