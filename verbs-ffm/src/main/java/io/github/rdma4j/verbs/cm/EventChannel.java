// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.rdma_cm_event;
import io.github.rdma4j.verbs.bindings.rdma_event_channel;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.DescriptorSet;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.FileDescriptors;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.ReadinessWaiter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A channel for the events of connections ({@code struct rdma_event_channel}, rdma_create_event_channel(3)), in the
 * order in which they happened. One thread can serve thousands of connections.
 *
 * <p>Closing it first closes its ids. Closing it again does nothing. Use after close throws an
 * {@link IllegalStateException}, also for a thread that is waiting.
 *
 * <p>Thread safety: all methods may be called from any thread. Calls on a channel and its ids run one after the other;
 * none of them waits for the network while it blocks others.
 *
 * @since 0.1.0
 */
public final class EventChannel implements EventSource, AutoCloseable {
    private final MemorySegment channel;
    private final int fileDescriptor;
    private final ReadinessWaiter waiter;
    /**
     * Held during every native call on the channel and its ids. So rdma_destroy_id(3) never has to wait for an event
     * that was taken and not acknowledged.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final Map<Long, ConnectionId> ids = new LinkedHashMap<>();
    private final Arena arena = Arena.ofShared();
    private final MemorySegment eventPointer = arena.allocate(ValueLayout.ADDRESS);
    /** Null before the close, or if places are not recorded. */
    private ClosePlace closePlace;

    private volatile boolean closed;

    private EventChannel() {
        MemorySegment created = CmCalls.createEventChannel();
        if (created.address() == 0) {
            int errno = NativeCalls.lastErrno();
            arena.close();
            throw CreationFailure.of("rdma_create_event_channel()", errno);
        }
        this.channel = created.reinterpret(rdma_event_channel.sizeof());
        this.fileDescriptor = rdma_event_channel.fd(channel);
        try {
            FileDescriptors.setNonBlocking(fileDescriptor);
            this.waiter = new ReadinessWaiter(fileDescriptor);
        } catch (Throwable e) {
            CmCalls.destroyEventChannel(channel);
            arena.close();
            throw e;
        }
    }

    /**
     * Opens a channel (rdma_create_event_channel(3)).
     *
     * @return the channel
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws VerbsException if the kernel has no rdma_cm, or this process may not use it
     */
    public static EventChannel create() {
        NativeLibraries.requireConnectionManager();
        return new EventChannel();
    }

    /**
     * Creates an id whose events arrive here (rdma_create_id(3)).
     *
     * @param portSpace the port space of its address and port
     * @return the id, closed before or with this channel
     * @throws VerbsException if the kernel refuses
     */
    public ConnectionId createId(PortSpace portSpace) {
        return locked(() -> {
            eventPointer.set(ValueLayout.ADDRESS, 0, MemorySegment.NULL);
            Failures.check(
                    "rdma_create_id(" + portSpace + ")",
                    CmCalls.createId(channel, eventPointer, MemorySegment.NULL, portSpace.code()));
            return adopt(eventPointer.get(ValueLayout.ADDRESS, 0), portSpace);
        });
    }

    private ConnectionId adopt(MemorySegment native_, PortSpace portSpace) {
        ConnectionId id = new ConnectionId(this, native_, portSpace);
        ids.put(native_.address(), id);
        return id;
    }

    /**
     * Takes the oldest event, and moves the queue pair of its id as the event requires; see
     * {@link ConnectionId#useQueuePair}. Never waits.
     *
     * @return the event; empty if there is none
     * @throws IllegalStateException if the channel is closed
     * @throws VerbsException if the channel fails
     */
    public Optional<CmEvent> poll() {
        return Optional.ofNullable(take());
    }

    /**
     * Waits for the next event (rdma_get_cm_event(3)), and handles it like {@link #poll()}. A waiting virtual thread
     * releases its carrier thread.
     *
     * @param timeout the maximum wait; zero or less does not wait
     * @return the event; empty if none arrived in time
     * @throws IllegalStateException if the channel is closed, before or during the call
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted
     * @throws VerbsException if the channel fails
     */
    public Optional<CmEvent> nextEvent(Duration timeout) {
        return Optional.ofNullable(
                waiter.await(() -> "waiting for an event of " + this, timeout, this::take, this::closedException));
    }

    private CmEvent take() {
        return locked(() -> {
            while (true) {
                int errno = CmCalls.getEvent(channel, eventPointer);
                if (FileDescriptors.isNothingYet(errno)) {
                    return null;
                }
                Failures.check(CmCalls.GET_EVENT_OPERATION, errno);
                CmEvent event = copyAndAcknowledge(
                        eventPointer.get(ValueLayout.ADDRESS, 0).reinterpret(rdma_cm_event.sizeof()));
                if (event != null) {
                    return event.id().digest(event);
                }
            }
        });
    }

    /**
     * Returns null for an id that was not created here: a program can create ids through {@link #handle()}, and must
     * take their events.
     */
    private CmEvent copyAndAcknowledge(MemorySegment event) {
        try {
            MemorySegment native_ = rdma_cm_event.id(event);
            ConnectionId listener = null;
            ConnectionId id;
            if (CmEventType.ofCode(rdma_cm_event.event(event)) == CmEventType.CONNECT_REQUEST) {
                listener = ids.get(rdma_cm_event.listen_id(event).address());
                id = listener == null ? null : adopt(native_, listener.portSpace());
            } else {
                id = ids.get(native_.address());
            }
            return id == null ? null : CmEvent.read(event, id, listener);
        } finally {
            CmCalls.acknowledge(event);
        }
    }

    /** Runs a call while neither the channel nor its ids can be closed. */
    <T> T locked(Supplier<T> call) {
        lock.lock();
        try {
            if (closed) {
                throw closedException();
            }
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    ReentrantLock lock() {
        return lock;
    }

    MemorySegment segment() {
        return channel;
    }

    void remove(MemorySegment id) {
        ids.remove(id.address());
    }

    void add(MemorySegment native_, ConnectionId id) {
        ids.put(native_.address(), id);
    }

    /**
     * Wakes all waiting threads, because rdma_migrate_id(3) adds events without notifying them. Does nothing if the
     * channel is closed: its descriptor may belong to another file by then, and no thread waits.
     */
    void announce() {
        lock.lock();
        try {
            if (!closed) {
                waiter.wakeAll();
                DescriptorSet.lookAgain(fileDescriptor);
            }
        } finally {
            lock.unlock();
        }
    }

    private IllegalStateException closedException() {
        return new IllegalStateException(this + " is closed", closePlace);
    }

    /** {@return the ids that are open, the oldest first} */
    public List<ConnectionId> ids() {
        return locked(() -> List.copyOf(ids.values()));
    }

    @Override
    public int fileDescriptor() {
        if (closed) {
            throw closedException();
        }
        return fileDescriptor;
    }

    /** {@return whether {@link #close()} has not been called yet} */
    @Override
    public boolean isOpen() {
        return !closed;
    }

    /**
     * Returns the native pointer, for a call that this library does not wrap. It is valid until the channel is closed;
     * its use is not guarded.
     *
     * @return the address of the {@code struct rdma_event_channel}
     * @throws IllegalStateException if the channel is closed
     */
    public long handle() {
        return locked(channel::address);
    }

    /**
     * Closes the ids, the youngest first, and then the channel (rdma_destroy_event_channel(3)). Events that were not
     * taken are dropped, including requests. Does nothing if it is closed already.
     *
     * @throws VerbsException if the kernel refuses to close an id; the channel then remains open
     */
    @Override
    public void close() {
        ClosePlace place = ClosePlace.of(this);
        if (close(this::locked, this::ownedQueuePairs, () -> end(place))) {
            // Without the lock, because a thread that leaves its wait takes the lock first.
            waiter.close();
            CmCalls.destroyEventChannel(channel);
            arena.close();
        }
    }

    /**
     * Closes queue pairs, and then what they belong to. A queue pair is closed without the lock, because its close
     * waits for a thread with a cursor, which may use other ids.
     *
     * @param locked locks the channel
     * @param owned returns the queue pairs; called with the lock held
     * @param end closes the rest; called with the lock held, when all queue pairs are closed
     * @return the result of the end
     */
    static boolean close(Supplier<ReentrantLock> locked, Supplier<List<QueuePair>> owned, BooleanSupplier end) {
        List<QueuePair> closedPairs = List.of();
        while (true) {
            ReentrantLock lock = locked.get();
            try {
                List<QueuePair> pairs = owned.get();
                if (closedPairs.containsAll(pairs)) {
                    return end.getAsBoolean();
                }
                closedPairs = pairs;
            } finally {
                lock.unlock();
            }
            closedPairs.forEach(QueuePair::close);
        }
    }

    private ReentrantLock locked() {
        lock.lock();
        return lock;
    }

    private List<ConnectionId> youngestFirst() {
        return new ArrayList<>(ids.values()).reversed();
    }

    private List<QueuePair> ownedQueuePairs() {
        return youngestFirst().stream()
                .flatMap(id -> id.ownedQueuePairs().stream())
                .toList();
    }

    /** Returns false if the channel is closed already. */
    private boolean end(ClosePlace place) {
        if (closed) {
            return false;
        }
        youngestFirst().forEach(id -> id.destroy(place));
        closePlace = place;
        closed = true;
        return true;
    }

    /** {@return the file descriptor} */
    @Override
    public String toString() {
        return "event channel " + fileDescriptor;
    }
}
