// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.bindings.ibv_comp_channel;
import io.github.rdma4j.verbs.internal.CompletionCalls;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.FileDescriptors;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.ReadinessWaiter;
import io.github.rdma4j.verbs.internal.SignalledDescriptor;
import io.github.rdma4j.verbs.internal.UseGuard;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A completion channel ({@code struct ibv_comp_channel}): where completion queues announce that there is something to
 * poll, for programs that sleep rather than spin. Any number of queues may share one.
 *
 * <p>The protocol has one trap. A queue announces only completions that come after it was armed, and only the first of
 * them: <b>arm, then poll once more, then wait</b>; what came before the arming is found by that poll.
 * {@link CompletionQueue#awaitCompletions} does all of it.
 *
 * <p>Thread safety: all methods may be called from any thread. A close ends the waits of other threads with an
 * {@link IllegalStateException}. Events are acknowledged some at a time, the last ones by the close, which so never
 * waits for the program.
 *
 * @since 0.1.0
 */
public final class CompletionChannel extends Resource implements EventSource {
    /** The index of the thread's number in {@link #WORDS}. */
    private static final int THREAD = 2;

    /**
     * Per thread: two words that ibv_get_cq_event writes, and the thread's number. Allocating them costs more than the
     * call. The value is of a class of the JDK: a class of this library would keep the library's class loader alive as
     * long as the thread.
     */
    private static final ThreadLocal<MemorySegment> WORDS = ThreadLocal.withInitial(() -> {
        MemorySegment words = Arena.ofAuto().allocate(JAVA_LONG, 3);
        words.setAtIndex(JAVA_LONG, THREAD, Thread.currentThread().threadId());
        return words;
    });

    private final DeviceContext context;
    private final MemorySegment channel;
    private final int descriptor;
    private final ReadinessWaiter waiter;
    private final UseGuard guard = new UseGuard();
    /**
     * Queues whose events were taken by a thread that awaits another queue: they remain for {@link #nextEvent}.
     * Lock-free, because it is used inside the guard.
     */
    private final Queue<CompletionQueue> setAside = new ConcurrentLinkedQueue<>();
    /** The queues with a cursor that announce here. Changed with the tree's lock held, replaced as a whole. */
    private volatile ExtendedCompletionQueue[] withCursor = {};

    /** Whose event was taken last: most channels have one queue. Null before the first one. */
    private CompletionQueue last;
    /**
     * Of the thread that took the last event: most channels have one. A look-up in {@link #WORDS} costs as much as to
     * enter.
     */
    private MemorySegment lastWords;

    /** What the program waits for itself; null as long as it has not asked for it. */
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

    /** {@return the device that it belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Waits for a queue to announce completions, and takes the event (ibv_get_cq_event(3)), which is acknowledged later
     * (ibv_ack_cq_events(3)). The queue is not armed any more then. It may be empty: an event stays behind if its
     * completion was polled before the event was taken.
     *
     * @param timeout how long to wait; zero or less only looks
     * @return the queue, or empty after the time
     * @throws IllegalStateException if this channel is closed, before or meanwhile, or the calling thread has started
     *     the cursor of a queue of this channel and not ended it
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
     * Some drivers take the lock of the queue for each event, and hold it from the start of the cursor to its end: a
     * thread that does both would wait for itself, inside the driver and for ever. Whose event comes next is not known.
     */
    void requireNoCursorOfCaller() {
        for (ExtendedCompletionQueue queue : withCursor) {
            if (queue.cursor().isHeldByCaller()) {
                throw new IllegalStateException(
                        ("taking events from %s: this thread has started the cursor of %s and not ended it. Remedy:"
                                        + " call CompletionCursor.end() first")
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
        enter();
        try {
            CompletionQueue queue = setAside.poll();
            if (queue == null) {
                return take(null);
            }
            if (setAside.isEmpty() && outward != null) {
                outward.clear();
                signalWhatIsSetAside();
            }
            return queue;
        } finally {
            guard.exit();
        }
    }

    /** Takes an event for a thread that awaits one queue: another queue's is set aside, unless it is awaited too. */
    private CompletionQueue takeFor(CompletionQueue wanted) {
        enter();
        try {
            return take(wanted);
        } finally {
            guard.exit();
        }
    }

    private void enter() {
        if (!guard.enter()) {
            throw closedException();
        }
    }

    /** Takes an event if there is one; null if not. Inside the guard. */
    private CompletionQueue take(CompletionQueue wanted) {
        MemorySegment words = lastWords;
        if (words == null
                || words.getAtIndex(JAVA_LONG, THREAD) != Thread.currentThread().threadId()) {
            words = WORDS.get();
            lastWords = words;
        }
        while (true) {
            int errno = CompletionCalls.getEvent(channel.address(), words.address());
            if (errno != 0) {
                if (FileDescriptors.isNothingYet(errno)) {
                    return null;
                }
                throw Failures.of("ibv_get_cq_event(" + context.device().name() + ")", errno);
            }
            long nativeQueue = words.get(JAVA_LONG, 0);
            // Until the acknowledgement ibv_destroy_cq waits, so the address still means this queue.
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

    /** Null if it is not known. One that is closed is not meant: another one may have its address by now. */
    private CompletionQueue queueAt(long address) {
        CompletionQueue queue = last;
        if (queue == null || queue.address() != address || !queue.isOpen()) {
            queue = find(address, CompletionQueue.class).orElse(null);
            last = queue;
        }
        return queue;
    }

    /** One event tells as much as two. */
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

    /** A queue with a cursor announces here from now on; the tree's lock is held. */
    void add(ExtendedCompletionQueue queue) {
        ExtendedCompletionQueue[] more = Arrays.copyOf(withCursor, withCursor.length + 1);
        more[withCursor.length] = queue;
        withCursor = more;
    }

    /** A queue that is closed has no events any more; the tree's lock is held. */
    void forget(CompletionQueue queue) {
        setAside.removeIf(queue::equals);
        withCursor = Arrays.stream(withCursor).filter(other -> other != queue).toArray(ExtendedCompletionQueue[]::new);
    }

    /**
     * Waits until an event of a queue has been taken, here or by another thread. Events of other queues that come first
     * are taken too, and those who wait for them look again.
     *
     * @param eventsTaken how many of the queue's events had been taken before
     * @return false after the time
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

    /** Lets those who wait for a queue notice that it has been closed. */
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
        if (outward != null) {
            outward.close();
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
