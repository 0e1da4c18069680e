// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.loop;

import io.github.rdma4j.perftest.memory.SealedMessages;
import io.github.rdma4j.perftest.stream.Failures;
import io.github.rdma4j.perftest.stream.Operation;
import io.github.rdma4j.perftest.stream.RunControl;
import io.github.rdma4j.perftest.stream.RunQueuePair;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * The measured loop of ib_write_lat: each side writes a message whose last byte is a counter, and waits for the counter
 * of the other side's message in its own memory.
 *
 * <p>It does not allocate or throw: {@link #failure()} returns what stopped it. One method serves counted and timed
 * runs and both roles, so that one warm-up compiles all of it.
 */
public class WriteLatencyLoop {
    private static final VarHandle COUNTER = ValueLayout.JAVA_BYTE.varHandle().withInvokeExactBehavior();

    /**
     * All memory. After each native call, the compiler checks a segment in a field again: its type, bounds, scope and
     * thread. This segment is a constant without relevant bounds. So addresses are checked once, in the constructor,
     * and the caller of the loop keeps the memory allocated.
     */
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

    /**
     * The bits of an address, as in the library's {@code NativeMemory}: the mask proves to the compiler that the
     * address is in bounds.
     */
    private static final long ADDRESS_BITS = Long.MAX_VALUE >>> 1;

    private final RunQueuePair queuePair;
    private final CompletionQueue completionQueue;
    private final WorkCompletions completions = WorkCompletions.allocate(1);
    private final PreparedRequest request;
    /** The addresses of the two counters; 0 where the CPU reaches neither. */
    private final long sendCounter;

    private final long awaitCounter;
    /** The offset of the counter in the message that is sent. */
    final long sendOffset;
    /** The offset of the counter in the message that is received. */
    final long awaitOffset;

    /** Bytes of a message. */
    private final long size;

    /** Null if the contents do not matter. */
    final SealedMessages seals;

    final RunControl control;

    private String postFailure;
    private boolean completionFailed;

    /**
     * @param queues the queues of its requests
     * @param buffer the memory of both messages, as the CPU sees it, which stays open during the loop; null if the CPU
     *     cannot access it
     * @param messages the message to send, and the peer's message
     * @param inline whether the message travels in the work request
     * @param seals writes and checks the content of messages; null without checks
     * @param control shared with the monitor of the run
     */
    public WriteLatencyLoop(
            RequestQueues queues,
            MemorySegment buffer,
            WrittenMessages messages,
            boolean inline,
            SealedMessages seals,
            RunControl control) {
        this.queuePair = queues.queuePair();
        this.completionQueue = queues.completions();
        this.request = Operation.prepare(
                queuePair.prepare(),
                Operation.WRITE,
                0,
                messages.local(),
                messages.remote(),
                SendFlags.SIGNALED | (inline ? SendFlags.INLINE : 0));
        this.sendOffset = messages.sendCounter();
        this.awaitOffset = messages.receiveCounter();
        this.sendCounter = address(buffer, sendOffset);
        this.awaitCounter = address(buffer, awaitOffset);
        this.size = messages.size();
        this.seals = seals;
        this.control = control;
    }

    private static long address(MemorySegment buffer, long offset) {
        return buffer == null ? 0 : buffer.asSlice(offset, 1).address();
    }

    /**
     * Runs until {@code count} messages have been transferred in each direction, the run ends, or an operation fails.
     *
     * @param opens whether this side sends first (the server does)
     * @param count messages to send
     * @param recorder records the time of each send, and may delay it
     * @return messages sent
     */
    public long run(boolean opens, long count, LatencyRecorder recorder) {
        // Locals, here and below: the compiler loads a field again after each native call.
        RunControl control = this.control;
        PreparedRequest request = this.request;
        CompletionQueue queue = completionQueue;
        WorkCompletions completions = this.completions;
        long sendCounter = this.sendCounter & ADDRESS_BITS;
        long awaitCounter = this.awaitCounter & ADDRESS_BITS;
        boolean bare = isBare();
        // By so many messages the awaited number is ahead of the sent ones.
        long lead = opens ? 0 : 1;
        long sent = 0;
        boolean paced = recorder.paces();
        recorder.begin();
        while (sent < count) {
            // Also checked here, because the waits may never run: each message may have arrived at the first poll.
            if (!control.running()) {
                return sent;
            }
            long awaited = sent + lead;
            if (awaited > 0 && !(bare ? awaitCounter(awaitCounter, awaited, control) : await(awaited))) {
                return sent;
            }
            if (paced && !recorder.due()) {
                return sent;
            }
            sent++;
            if (bare) {
                count(sendCounter, sent);
            } else if (!fill(sent)) {
                return sent;
            }
            if (!post(request)) {
                return sent;
            }
            if (!paced) {
                // While the message is in flight, recording takes no time of the measurement.
                recorder.next();
            }
            if (!awaitCompletion(queue, completions, control)) {
                return sent;
            }
            control.advance(1);
        }
        if (opens && await(count) && paced) {
            recorder.end();
        }
        return sent;
    }

    /** Returns whether a message is only its counter, which the CPU reaches. */
    boolean isBare() {
        return seals == null;
    }

    /**
     * Waits for the peer's message with this number. Returns false if the run ends first, or the message is not intact.
     */
    public boolean await(long number) {
        return awaitCounter(number) && isWhole(number);
    }

    final boolean awaitCounter(long number) {
        return awaitCounter(awaitCounter & ADDRESS_BITS, number, control);
    }

    /**
     * Waits until the last byte of the peer's message is the low byte of the number. C reads it as volatile, which does
     * not order later reads. This is an acquire read, because the content may be checked afterwards.
     */
    private static boolean awaitCounter(long counter, long number, RunControl control) {
        while ((byte) COUNTER.getAcquire(ALL, counter) != (byte) number) {
            if (!control.running()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the peer's message of this number has the content that it should have. */
    final boolean isWhole(long number) {
        return seals == null || seals.check(awaitOffset + 1 - size(), size(), number);
    }

    /** Fills a message. Returns false if the run ends first. */
    boolean fill(long number) {
        if (seals != null) {
            seals.seal(sendOffset + 1 - size(), size(), number);
        }
        count(number);
        return true;
    }

    final void count(long number) {
        count(sendCounter & ADDRESS_BITS, number);
    }

    /** A plain store, as in C: the provider's udma_to_device_barrier() orders it before the doorbell. */
    private static void count(long counter, long number) {
        COUNTER.setRelease(ALL, counter, (byte) number);
    }

    /** Simulates a received message, for a loop without a peer. */
    public void pretend(long number) {
        count(awaitCounter & ADDRESS_BITS, number);
    }

    /** Bytes of a message. */
    final long size() {
        return size;
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
        return awaitCompletion(completionQueue, completions, control);
    }

    private boolean awaitCompletion(CompletionQueue queue, WorkCompletions completions, RunControl control) {
        while (queue.poll(completions) == 0) {
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
        if (seals != null && seals.failure() != null) {
            return seals.failure();
        }
        return completionFailed ? Failures.completion(completions.get(0)) : null;
    }
}
