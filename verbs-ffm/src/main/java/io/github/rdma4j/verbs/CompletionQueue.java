// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.verbs.bindings.RdmaHeaders;
import io.github.rdma4j.verbs.bindings.ibv_cq;
import io.github.rdma4j.verbs.bindings.ibv_moderate_cq;
import io.github.rdma4j.verbs.bindings.ibv_modify_cq_attr;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.internal.Arming;
import io.github.rdma4j.verbs.internal.ColdCalls;
import io.github.rdma4j.verbs.internal.CompletionCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.datapath.CompletionFunctions;
import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;

/**
 * A completion queue ({@code struct ibv_cq}), which reports the work requests that are done.
 *
 * <p>The queue must have an entry for each request that can complete into it. An overrun loses completions for good:
 * the device reports {@link AsyncEventType#CQ_ERR}, the queue can no longer be used, and on most adapters the queue
 * pairs that complete into it break. So creating a queue pair fails if its depths and those depths that are already in
 * use add up to more than the queue's {@link #capacity()}. {@link QueuePairConfig#oversubscribeCompletionQueue} turns
 * this check off. The depths limit the completions on adapters that free a send queue entry when its completion is
 * polled. SoftRoCE frees the entry when the request completes: there, poll before more requests are outstanding than
 * the queue has entries.
 *
 * <p>Thread safety: all methods may be called from any thread. Polling is fastest from the thread that polled first.
 *
 * @since 0.1.0
 */
public sealed class CompletionQueue extends Resource permits ExtendedCompletionQueue {
    private static final int MAX_MODERATION = (1 << 16) - 1;
    private static final int EVENTS_PER_ACKNOWLEDGEMENT = 64;

    private final DeviceContext context;
    private final CompletionChannel channel;
    private final MemorySegment armFunction;
    private final boolean criticalArm;
    private final MemorySegment queue;
    private final long queueAddress;
    private final UseGuard guard = new UseGuard();
    private final CompletionFunctions functions;
    private final ReentrantLock waiting = new ReentrantLock();
    private final Arming arming = new Arming();
    /** How many of the taken events are acknowledged. */
    private final AtomicLong acknowledged = new AtomicLong();
    /** Whether the native queue is being destroyed, which waits until all taken events are acknowledged. */
    private volatile boolean destroying;

    private volatile int capacity;

    /**
     * Wraps a queue that was created.
     *
     * @param readInPlace whether the library's functions can hold the queue's lock between two calls
     */
    CompletionQueue(
            DeviceContext context,
            CompletionChannel channel,
            MemorySegment created,
            boolean readInPlace,
            Resource... parents) {
        super(parents);
        this.context = context;
        this.channel = channel;
        this.armFunction = context.armFunction();
        // libirdma takes the queue's lock to arm, and another thread may hold that lock between two calls.
        this.criticalArm = context.driver().postsInUserSpace() && !readInPlace;
        this.queue = created.reinterpret(ibv_cq.sizeof());
        this.queueAddress = queue.address();
        this.capacity = ibv_cq.cqe(queue);
        this.functions = new CompletionFunctions(
                context.functions().pollCompletions(), context.driver().pollsInUserSpace(), queueAddress);
    }

    static CompletionQueue create(DeviceContext context, int minEntries, CompletionQueueConfig config) {
        CompletionChannel channel = config.channel();
        Resource[] parents = parents(context, config);
        MemorySegment created = CompletionCalls.createQueue(
                context.segment(),
                minEntries,
                channel == null ? MemorySegment.NULL : channel.segment(),
                config.completionVector());
        if (created.address() == 0) {
            throw refused(
                    "ibv_create_cq(%s, cqe=%d, comp_vector=%d)"
                            .formatted(context.device().name(), minEntries, config.completionVector()),
                    NativeCalls.lastErrno());
        }
        return new CompletionQueue(context, channel, created, false, parents);
    }

    /** Called before the native queue is created, because another thread may already have closed the channel. */
    static Resource[] parents(DeviceContext context, CompletionQueueConfig config) {
        if (config.channel() == null) {
            return new Resource[] {context};
        }
        config.channel().requireOpen();
        return new Resource[] {context, config.channel()};
    }

    static VerbsException refused(String operation, int errno) {
        return RegistrationFailures.ofQueue(
                operation, errno, "ask for fewer entries", "close unused completion queues");
    }

    /** {@return the number of completions that it can hold, at least what was asked for} */
    public int capacity() {
        return capacity;
    }

    /** {@return the device that the queue belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Fetches completions (ibv_poll_cq(3)). Never blocks, allocates nothing.
     *
     * @param completions where they go, overwriting what was there
     * @return how many were fetched, 0 if there are none
     * @throws IllegalStateException if the queue is closed
     * @throws VerbsException if the queue itself has failed
     */
    public int poll(WorkCompletions completions) {
        // A local, because the compiler loads a field again after the native call.
        UseGuard entered = guard;
        int count;
        if (entered.enterAsOwner()) {
            try {
                count = functions.poll(completions.capacity(), completions.address());
            } finally {
                entered.exitAsOwner();
            }
        } else {
            count = pollAsOther(completions);
        }
        if (count < 0) {
            count = pollAgain(completions, count);
        }
        completions.size(count);
        return count;
    }

    /** Repeats a poll that has only removed an entry. */
    private int pollAgain(WorkCompletions completions, int failed) {
        int count = failed;
        while (hasRemovedEntry(-count)) {
            count = pollAsOther(completions);
        }
        if (count < 0) {
            throw pollFailed("ibv_poll_cq", context.device().name(), count);
        }
        return count;
    }

    /**
     * Returns whether a failed poll has removed an entry of a closed queue pair. libefa leaves these entries in the
     * queue when it destroys the queue pair, and returns EINVAL for each of them.
     */
    final boolean hasRemovedEntry(int errno) {
        return errno == Errno.EINVAL && context.driver().isEfa();
    }

    private int pollAsOther(WorkCompletions completions) {
        if (!guard.enter()) {
            throw closedException();
        }
        try {
            return functions.poll(completions.capacity(), completions.address());
        } finally {
            guard.exit();
        }
    }

    /** A negative result is not an errno: drivers return -1 or -2, whatever the cause. */
    static VerbsException pollFailed(String verb, String device, int result) {
        return new VerbsException(
                verb + "(" + device + ")",
                0,
                ("the driver returned %d: it found a completion that it does not understand, and the queue cannot be"
                                + " used any more")
                        .formatted(result),
                "close the queue pairs that use it, and read the kernel log");
    }

    /**
     * Arms the queue (ibv_req_notify_cq(3)): the next completion makes one event in the
     * {@linkplain CompletionQueueConfig#channel channel}. Completions that are already in the queue make none, so poll
     * once more after this call, before you wait. Allocates nothing.
     *
     * @param solicitedOnly true if only failures and messages sent with {@link SendFlags#SOLICITED} make an event
     * @throws IllegalStateException if the queue is closed, or was created without a channel
     * @throws VerbsException if the device refuses
     */
    public void requestNotification(boolean solicitedOnly) {
        requireChannel();
        if (!guard.enter()) {
            throw closedException();
        }
        long eventsTaken = arming.eventsTaken();
        int result;
        try {
            result = CompletionCalls.arm(armFunction, criticalArm, queueAddress, solicitedOnly ? 1 : 0);
        } finally {
            guard.exit();
        }
        if (result == 0) {
            if (!solicitedOnly) {
                arming.armed(eventsTaken);
            }
        } else {
            throw Failures.of("ibv_req_notify_cq(" + context.device().name() + ")", Math.abs(result));
        }
    }

    private void requireChannel() {
        if (channel == null) {
            throw new IllegalStateException(
                    this + " was created without a completion channel (CompletionQueueConfig.channel)");
        }
    }

    Arming arming() {
        return arming;
    }

    /**
     * Notes an event that was taken. Events are acknowledged in groups, because that takes a lock of the library and
     * only a close waits for it.
     *
     * @param taken how many have been taken, including this event
     */
    void acknowledge(long taken) {
        if (taken % EVENTS_PER_ACKNOWLEDGEMENT == 0 || destroying) {
            acknowledge();
        }
    }

    /**
     * Acknowledges the taken events. Also called by a thread that has taken an event while another destroys the queue:
     * one of the two sees the other.
     */
    private void acknowledge() {
        long taken = arming.eventsTaken();
        long before = acknowledged.get();
        while (before < taken && !acknowledged.compareAndSet(before, taken)) {
            taken = arming.eventsTaken();
            before = acknowledged.get();
        }
        if (before < taken) {
            CompletionCalls.acknowledge(queueAddress, (int) (taken - before));
        }
    }

    /** Returns whether a thread sleeps, or is about to sleep, until there are completions. */
    boolean isAwaited() {
        return waiting.isLocked();
    }

    /**
     * Fetches completions, and sleeps until there are some. It polls, arms, polls again, and waits for the channel's
     * event, and repeats this as needed. Threads that await the same queue take turns. Other threads may arm the queue
     * and take events from its channel meanwhile.
     *
     * <p>This method takes the events of this queue from the channel. Events of other queues remain for
     * {@link CompletionChannel#nextEvent}.
     *
     * @param completions where they go, overwriting what was there
     * @param timeout how long to wait; zero or less only polls
     * @return how many were fetched, 0 after the timeout
     * @throws IllegalStateException if the queue is closed, before or during the wait, was created without a channel,
     *     or the calling thread has started the cursor of a queue of the same channel and not ended it
     * @throws WaitInterruptedException if the thread is interrupted while it waits; completions that are there are
     *     still fetched
     * @throws VerbsException if the queue or the channel has failed
     */
    public int awaitCompletions(WorkCompletions completions, Duration timeout) {
        return await(() -> poll(completions), timeout);
    }

    /**
     * Sleeps until there are completions. Any way of polling can be used, as a function that returns how many it found.
     */
    final int await(IntSupplier poll, Duration timeout) {
        requireChannel();
        channel.requireNoCursorOfCaller();
        int count = poll.getAsInt();
        long limit = Timeouts.nanos(timeout);
        if (count != 0 || limit == 0) {
            return count;
        }
        long start = System.nanoTime();
        try {
            if (!waiting.tryLock(limit, TimeUnit.NANOSECONDS)) {
                return poll.getAsInt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException("waiting for " + this);
        }
        try {
            while (true) {
                long eventsTaken = arming.eventsTaken();
                // Armed already: an event is on its way or waits to be taken. Arming again would add a second event.
                if (!arming.isArmed(eventsTaken)) {
                    requestNotification(false);
                }
                count = poll.getAsInt();
                long remaining = limit - (System.nanoTime() - start);
                if (count != 0 || remaining <= 0) {
                    return count;
                }
                if (!channel.awaitEventOf(this, eventsTaken, Duration.ofNanos(remaining))) {
                    // No event is left: arming again costs nothing, and helps if the kernel has lost an event.
                    arming.forget();
                }
                count = poll.getAsInt();
                if (count != 0) {
                    return count;
                }
            }
        } finally {
            waiting.unlock();
        }
    }

    /**
     * Changes the length of the queue (ibv_resize_cq(3)), which keeps its completions.
     *
     * @param minEntries the minimum capacity, from 1 to the device's
     *     {@link DeviceAttributes#maxCompletionQueueEntries()}
     * @throws IllegalArgumentException if the number is out of range, or less than the number of completions that its
     *     queue pairs can have; the message has both numbers
     * @throws IllegalStateException if the queue is closed
     * @throws UnsupportedVerbException if the device cannot do this
     * @throws VerbsException if the device refuses, for instance because more completions are in the queue
     */
    public void resize(int minEntries) {
        CompletionQueueConfig.checkEntries(context, minEntries);
        locked(() -> {
            long taken = CompletionBudget.taken(this);
            if (minEntries < taken && !ignoresOverrun()) {
                throw new IllegalArgumentException(
                        "%d entries: what completes into this %s can have %d completions there"
                                .formatted(minEntries, this, taken));
            }
            int errno = Math.abs(ExportedVerb.RESIZE_CQ.number(queue, ColdCalls.word(minEntries)));
            if (errno != 0) {
                String operation =
                        "ibv_resize_cq(%s, cqe=%d)".formatted(context.device().name(), minEntries);
                throw errno == Errno.EINVAL
                        ? Failures.of(
                                operation,
                                errno,
                                "more completions than that are in the queue",
                                "poll them, or ask for more entries")
                        : refused(operation, errno);
            }
            capacity = ibv_cq.cqe(queue);
            return null;
        });
    }

    /**
     * Sets the moderation of events (ibv_modify_cq(3)): an armed queue announces completions when this many have
     * arrived, or this much time has passed since the first of them, whichever is earlier.
     *
     * @param completions from 0 to the device's limit, at most 65535; 0 or 1 announces each completion
     * @param period from 0 to the device's limit, at most 65535 microseconds; fractions of a microsecond are dropped
     * @throws IllegalArgumentException if a value is out of range; the message has both numbers
     * @throws IllegalStateException if the queue is closed
     * @throws UnsupportedVerbException if the device cannot do this
     * @throws VerbsException if the device refuses
     */
    public void modifyModeration(int completions, Duration period) {
        ExtendedDeviceAttributes.CompletionModeration limits =
                context.extendedAttributes().completionModeration();
        long micros = Timeouts.nanos(period) / 1000;
        checkModeration("completions", completions, limits.maxCount());
        checkModeration("microseconds", period.isNegative() ? -1 : micros, limits.maxPeriodMicroseconds());
        locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_modify_cq_attr.allocate(arena);
                ibv_modify_cq_attr.attr_mask(attributes, RdmaHeaders.IBV_CQ_ATTR_MODERATE());
                MemorySegment moderation = ibv_modify_cq_attr.moderate(attributes);
                ibv_moderate_cq.cq_count(moderation, (short) completions);
                ibv_moderate_cq.cq_period(moderation, (short) micros);
                Failures.check(
                        "ibv_modify_cq(%s, cq_count=%d, cq_period=%d)"
                                .formatted(context.device().name(), completions, micros),
                        CompletionCalls.modify(context.segment(), queue, attributes));
            }
            return null;
        });
    }

    /** Checks a value. A device that reports no limit may still support moderation, within the range of its fields. */
    private void checkModeration(String unit, long value, int deviceLimit) {
        int limit = deviceLimit == 0 ? MAX_MODERATION : Math.min(deviceLimit, MAX_MODERATION);
        if (value < 0 || value > limit) {
            throw new IllegalArgumentException("moderation by %d %s: device %s allows 0..%d"
                    .formatted(value, unit, context.device().name(), limit));
        }
    }

    /** Marks the calling thread as using the native queue; if true, {@link #exit()} must follow. Does not nest. */
    final boolean enter() {
        return guard.enter();
    }

    final void exit() {
        guard.exit();
    }

    final void closeGuard() {
        guard.close();
    }

    final void reopenGuard() {
        guard.reopen();
    }

    /** Returns whether the device may overwrite completions that were not polled. */
    boolean ignoresOverrun() {
        return false;
    }

    /** Runs when no thread is inside any longer, before the native queue is destroyed. */
    void beforeDestroy() {}

    MemorySegment segment() {
        return queue;
    }

    /** Returns the address of the native queue, also when it is closed. */
    long address() {
        return queueAddress;
    }

    @Override
    public long handle() {
        requireOpen();
        return queueAddress;
    }

    @Override
    void release() {
        closeGuard();
        if (channel != null) {
            channel.wakeAll();
        }
        beforeDestroy();
        destroying = true;
        acknowledge();
        checkDestroyed(
                context.driver(),
                "ibv_destroy_cq(" + context.device().name() + ")",
                ExportedVerb.DESTROY_CQ.number(queue));
    }

    @Override
    void afterRelease() {
        if (channel != null) {
            channel.forget(this);
        }
    }

    @Override
    void reopen() {
        destroying = false;
        reopenGuard();
    }

    /** {@return capacity and device} */
    @Override
    public String toString() {
        return "completion queue of %d entries on %s"
                .formatted(capacity, context.device().name());
    }
}
