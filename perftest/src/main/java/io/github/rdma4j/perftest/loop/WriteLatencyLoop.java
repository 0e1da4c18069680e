// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.memory.SealedMessages;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The measured loop of ib_write_lat: each side writes a message whose last byte counts up, and waits for the same byte
 * of the other side's message in its own memory.
 *
 * <p>It allocates nothing and throws nothing: what stopped it is asked afterwards ({@link #failure()}). One method
 * serves counted and timed runs and both roles, so that one warm-up compiles all there is.
 */
public class WriteLatencyLoop {
    private static final VarHandle COUNTER = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();

    private final QueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private final MemorySegment buffer;
    private final PreparedRequest request;
    /** Of the last byte of what is sent, which counts. */
    final long sendOffset;
    /** Of the last byte of what comes, which counts. */
    final long awaitOffset;

    /** Bytes of a message. */
    private final long size;

    /** Null where the content does not matter. */
    final SealedMessages seals;

    final RunControl control;

    private int postErrno;
    private boolean completionFailed;

    /**
     * @param queuePair connected
     * @param completionQueue where its sends complete
     * @param sharedReceiveQueue that requests of an XRC queue pair name; -1 for other types
     * @param buffer both halves: what is sent, and behind it what the peer writes
     * @param local the message to send, in the first half
     * @param sendOffset of the message's last byte
     * @param awaitOffset of the last byte of the peer's message
     * @param remote where to write it
     * @param inline whether the message travels in the work request
     * @param seals writes and checks the content of messages; null when that does not matter
     * @param control shared with the monitor of the run
     */
    public WriteLatencyLoop(
            QueuePair queuePair,
            CompletionQueue completionQueue,
            int sharedReceiveQueue,
            MemorySegment buffer,
            MemorySlice local,
            long sendOffset,
            long awaitOffset,
            RemoteMemory remote,
            boolean inline,
            SealedMessages seals,
            RunControl control) {
        this.queuePair = queuePair;
        this.completionQueue = completionQueue;
        this.request = Operation.prepare(
                Operation.preparation(queuePair, sharedReceiveQueue),
                Operation.WRITE,
                0,
                local,
                remote,
                SendFlags.SIGNALED | (inline ? SendFlags.INLINE : 0));
        this.buffer = buffer;
        this.sendOffset = sendOffset;
        this.awaitOffset = awaitOffset;
        this.size = local.length();
        this.seals = seals;
        this.control = control;
    }

    /**
     * Plays until {@code count} messages have gone each way, or the run is over, or something fails.
     *
     * @param opens whether this side sends first (the server does)
     * @param count messages to send
     * @param recorder takes the time of each send, and may delay it
     * @return messages sent
     */
    public long run(boolean opens, long count, LatencyRecorder recorder) {
        long sent = 0;
        long awaited = 0;
        boolean paced = recorder.paces();
        recorder.begin();
        boolean awaits = !opens;
        while (sent < count) {
            // Asked here as well as where it waits: all may be there whenever it is looked for, and no wait ever begin.
            if (!control.running()) {
                return sent;
            }
            if (awaits && !await(++awaited) || paced && !recorder.due() || !send(++sent)) {
                return sent;
            }
            awaits = true;
            if (!paced) {
                // While the message is on its way, where it costs nothing.
                recorder.next();
            }
            if (!awaitCompletion()) {
                return sent;
            }
            control.advance(1);
        }
        if (awaited < count && await(count) && paced) {
            recorder.end();
        }
        return sent;
    }

    /**
     * Waits until the peer's message of this number is there; false when the run is over before, or it is not whole.
     * All that is done for host memory within this and {@link #send} is final: with overridable calls in the loop it
     * ran a tenth slower.
     */
    public boolean await(long number) {
        return awaitCounter(number) && isWhole(number);
    }

    /**
     * Waits until the last byte of the peer's message is that of this number. C reads it volatile, and nothing orders
     * what is read behind it; here it is an acquire, because the content may be looked at.
     */
    final boolean awaitCounter(long number) {
        while ((byte) COUNTER.getAcquire(buffer, awaitOffset) != (byte) number) {
            if (!control.running()) {
                return false;
            }
        }
        return true;
    }

    /** Whether the peer's message of this number has the content that it should have. */
    final boolean isWhole(long number) {
        return seals == null || seals.check(awaitOffset + 1 - size(), size(), number);
    }

    /** Makes a message, and posts it; false when that fails, or the run is over before. */
    boolean send(long number) {
        if (seals != null) {
            seals.seal(sendOffset + 1 - size(), size(), number);
        }
        count(number);
        return post();
    }

    /** Before the doorbell comes the provider's udma_to_device_barrier(), as for C, whose store is a plain one. */
    final void count(long number) {
        COUNTER.setRelease(buffer, sendOffset, (byte) number);
    }

    /** As if a message had come, for a loop that plays with itself. */
    public void pretend(long number) {
        COUNTER.setRelease(buffer, awaitOffset, (byte) number);
    }

    /** Bytes of a message. */
    final long size() {
        return size;
    }

    /** Posts the message. */
    final boolean post() {
        int errno = request.post();
        postErrno = errno;
        return errno == 0;
    }

    /** Waits for one completion; false when it is a failure or the run is over before. */
    public boolean awaitCompletion() {
        while (completionQueue.poll(completions) == 0) {
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

    /** What went wrong on this side; null when nothing did. */
    public String failure() {
        if (postErrno != 0) {
            return Failures.post(postErrno, queuePair);
        }
        if (seals != null && seals.failure() != null) {
            return seals.failure();
        }
        return completionFailed ? Failures.completion(completions.get(0)) : null;
    }
}
