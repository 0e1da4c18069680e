// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.verbs.bindings.ibv_comp_channel;
import io.github.rdma4j.verbs.internal.CompletionCalls;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.FileDescriptors;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.ReadinessWaiter;
import io.github.rdma4j.verbs.internal.SignalledDescriptor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A completion channel ({@code struct ibv_comp_channel}): completion queues announce completions here, for programs
 * that sleep instead of spinning. Any number of queues can share a channel.
 *
 * <p>The protocol has one trap. A queue announces only the first completion that arrives after the queue was armed. So
 * <b>arm, then poll once more, then wait</b>: that poll finds the completions from before the arming.
 * {@link CompletionQueue#awaitCompletions} does all of it.
 *
 * <p>Thread safety: all methods may be called from any thread. A close ends the waits of other threads with an
 * {@link IllegalStateException}. Events are acknowledged in groups, the last ones by the close, so the close never
 * waits for the program.
 *
 * @since 0.1.0
 */
public final class CompletionChannel extends Resource implements EventSource {
    /**
     * Per thread: two words that ibv_get_cq_event writes. Allocating them costs more than the call. The value is of a
     * JDK class: a class of this library would keep the library's class loader alive as long as the thread.
     */
    private static final ThreadLocal<MemorySegment> WORDS =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(JAVA_LONG, 2));

    private final DeviceContext context;
    private final MemorySegment channel;
    private final int descriptor;
    private final ReadinessWaiter waiter;
    private final UseGuard guard = new UseGuard();
    /**
     * The words of the guard's owner. Most channels have one thread that takes events, which is the owner, and a lookup
     * in {@link #WORDS} costs as much as entering the guard.
     */
    private final MemorySegment ownersWords = Arena.ofAuto().allocate(JAVA_LONG, 2);

    /**
     * Queues whose events were taken by a thread that waits for another queue; {@link #nextEvent} returns them.
     * Lock-free, because it is used inside the guard.
     */
    private final Queue<CompletionQueue> setAside = new ConcurrentLinkedQueue<>();
    /**
     * The queues with a cursor that announce here. Changed with the tree's lock held, and always replaced as a whole.
     */
    private volatile ExtendedCompletionQueue[] withCursor = {};

    /** The queue of the last event, because most channels have one queue; null before the first event. */
    private CompletionQueue last;

    /** The descriptor that the program waits for itself; null until the program requests it. */
    private volatile SignalledDescriptor outward;

    CompletionChannel(DeviceContext context) {
        super(context);
        this.context = context;
        MemorySegment created = CompletionCalls.createChannel(context.segment());
        if (created.address() == 0) {
            throw Failures.of("ibv_create_comp_channel(" + context.device().name() + ")", NativeCalls.lastErrno());
        }
        this.channel = created.reinterpret(ibv_comp_channel.sizeof());
        this.descriptor = ibv_comp_channel.fd(channel);
        this.waiter = new ReadinessWaiter(descriptor);
        try {
            FileDescriptors.setNonBlocking(descriptor);
        } catch (Throwable e) {
            ExportedVerb.DESTROY_COMP_CHANNEL.number(channel);
            throw e;
        }
    }

    /** {@return the device that the channel belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Waits until a queue announces completions, and takes the event (ibv_get_cq_event(3)). The event is acknowledged
     * later (ibv_ack_cq_events(3)). The queue is then no longer armed. It can be empty: an event remains if its
     * completion was polled before the event was taken.
     *
     * @param timeout how long to wait; zero or less returns at once
     * @return the queue, or empty after the timeout
     * @throws IllegalStateException if this channel is closed, before or during the wait, or the calling thread has
     *     started the cursor of a queue of this channel and not ended it
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws VerbsException if the channel fails, for instance because the device is gone
     */
    public Optional<CompletionQueue> nextEvent(Duration timeout) {
        requireNoCursorOfCaller();
        if (!timeout.isPositive()) {
            return Optional.ofNullable(takeOfOpenQueue());
        }
        return Optional.ofNullable(waiter.await(this::toString, timeout, this::takeOfOpenQueue, this::closedException));
    }

    /**
     * Some drivers take the lock of the queue for each event, and hold it from the start of the cursor to its end. A
     * thread that does both would wait for itself forever, inside the driver. The queue of the next event is not known
     * in advance, so the cursor of any queue counts.
     */
    void requireNoCursorOfCaller() {
        for (ExtendedCompletionQueue queue : withCursor) {
            if (queue.cursor().isHeldByCaller()) {
                throw new IllegalStateException(
                        ("taking events from %s: this thread has started the cursor of %s and not ended it."
                                        + " Call CompletionCursor.end() first")
                                .formatted(this, queue));
            }
        }
    }

    private CompletionQueue takeOfOpenQueue() {
        CompletionQueue queue;
        do {
            queue = takeAny();
            if (queue != null && queue.isAwaited()) {
                waiter.wakeAll();
            }
        } while (queue != null && !queue.isOpen());
        return queue;
    }

    private CompletionQueue takeAny() {
        boolean owner = enter();
        try {
            CompletionQueue queue = setAside.poll();
            if (queue == null) {
                return take(null, owner);
            }
            clearIfNothingIsSetAside();
            return queue;
        } finally {
            guard.exit();
        }
    }

    /**
     * Takes an event for a thread that waits for one queue. An event of another queue is set aside, unless a thread
     * waits for that queue.
     */
    private CompletionQueue takeFor(CompletionQueue wanted) {
        boolean owner = enter();
        try {
            return take(wanted, owner);
        } finally {
            guard.exit();
        }
    }

    /** Enters the guard. Returns whether the calling thread is its owner, and was outside. */
    private boolean enter() {
        if (guard.enterAsOwner()) {
            return true;
        }
        if (!guard.enter()) {
            throw closedException();
        }
        return false;
    }

    /** Takes an event if there is one; otherwise returns null. Called inside the guard. */
    private CompletionQueue take(CompletionQueue wanted, boolean owner) {
        // The owner's words live as long as this channel, the others as long as the thread.
        long words = NativeMemory.structure((owner ? ownersWords : WORDS.get()).address());
        while (true) {
            int errno = CompletionCalls.getEvent(channel.address(), words);
            if (errno != 0) {
                if (FileDescriptors.isNothingYet(errno)) {
                    return null;
                }
                throw Failures.of("ibv_get_cq_event(" + context.device().name() + ")", errno);
            }
            long nativeQueue = NativeMemory.getLong(words);
            Reference.reachabilityFence(this);
            // ibv_destroy_cq waits for the acknowledgement, so the address still refers to this queue.
            CompletionQueue queue = queueAt(nativeQueue);
            if (queue != null) {
                long taken = queue.arming().eventTaken();
                if (wanted != null && queue != wanted && !queue.isAwaited()) {
                    setAside(queue);
                }
                queue.acknowledge(taken);
                return queue;
            }
            CompletionCalls.acknowledge(nativeQueue, 1);
        }
    }

    /**
     * Returns null if the queue is unknown. A closed queue does not count: another queue may have its address by now.
     */
    private CompletionQueue queueAt(long address) {
        CompletionQueue queue = last;
        if (queue == null || queue.address() != address || !queue.isOpen()) {
            queue = find(address, CompletionQueue.class).orElse(null);
            last = queue;
        }
        return queue;
    }

    /** One event is enough for a queue. */
    private void setAside(CompletionQueue queue) {
        if (!setAside.contains(queue)) {
            setAside.add(queue);
        }
        signalWhatIsSetAside();
    }

    private void signalWhatIsSetAside() {
        SignalledDescriptor descriptorOfProgram = outward;
        if (descriptorOfProgram != null && !setAside.isEmpty()) {
            descriptorOfProgram.signal();
        }
    }

    /** Called after a queue was removed from those set aside, so that the program's poller can sleep again. */
    private void clearIfNothingIsSetAside() {
        SignalledDescriptor descriptorOfProgram = outward;
        if (descriptorOfProgram != null && setAside.isEmpty()) {
            descriptorOfProgram.clear();
            // Another thread may have set a queue aside before the signal was cleared.
            signalWhatIsSetAside();
        }
    }

    /** Adds a queue with a cursor that announces here; called with the tree's lock held. */
    void add(ExtendedCompletionQueue queue) {
        ExtendedCompletionQueue[] more = Arrays.copyOf(withCursor, withCursor.length + 1);
        more[withCursor.length] = queue;
        withCursor = more;
    }

    /** Removes a closed queue, which has no more events; called with the tree's lock held. */
    void forget(CompletionQueue queue) {
        if (setAside.removeIf(queue::equals)) {
            clearIfNothingIsSetAside();
        }
        withCursor = Arrays.stream(withCursor).filter(other -> other != queue).toArray(ExtendedCompletionQueue[]::new);
    }

    /**
     * Waits until an event of a queue has been taken, by this or by another thread. Also takes events of other queues
     * that come first, and wakes the threads that wait for those.
     *
     * @param eventsTaken how many of the queue's events had been taken before
     * @return false after the timeout
     */
    boolean awaitEventOf(CompletionQueue queue, long eventsTaken, Duration timeout) {
        return waiter.await(
                        () -> "waiting for " + queue,
                        timeout,
                        () -> {
                            queue.requireOpen();
                            while (queue.arming().eventsTaken() == eventsTaken) {
                                CompletionQueue taken = takeFor(queue);
                                if (taken == null) {
                                    return null;
                                }
                                if (taken != queue) {
                                    waiter.wakeAll();
                                }
                            }
                            return Boolean.TRUE;
                        },
                        this::closedException)
                != null;
    }

    /** Wakes the threads that wait for a queue, so that they notice its close. */
    void wakeAll() {
        waiter.wakeAll();
    }

    MemorySegment segment() {
        return channel;
    }

    @Override
    public int fileDescriptor() {
        return locked(() -> {
            if (outward == null) {
                outward = new SignalledDescriptor(descriptor);
                signalWhatIsSetAside();
            }
            return outward.number();
        });
    }

    @Override
    public long handle() {
        requireOpen();
        return channel.address();
    }

    @Override
    void release() {
        waiter.close();
        guard.close();
        Failures.check(
                "ibv_destroy_comp_channel(" + context.device().name() + ")",
                ExportedVerb.DESTROY_COMP_CHANNEL.number(channel));
    }

    @Override
    void afterRelease() {
        SignalledDescriptor descriptorOfProgram = outward;
        // Before the close: after an error, its numbers may belong to other files.
        outward = null;
        if (descriptorOfProgram != null) {
            descriptorOfProgram.close();
        }
    }

    @Override
    void reopen() {
        guard.reopen();
        waiter.reopen();
    }

    /** {@return descriptor and device} */
    @Override
    public String toString() {
        return "completion channel %d of %s"
                .formatted(descriptor, context.device().name());
    }
}
