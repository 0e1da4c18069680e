// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.DescriptorSet;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Waits for many {@link EventSource event sources} at once, as {@link java.nio.channels.Selector} does for sockets: one
 * thread for any number of completion channels, device contexts and rdma_cm event channels. It uses epoll(7), starts no
 * thread, and on a virtual thread holds no carrier while it waits.
 *
 * <pre>{@code
 * try (EventPoller poller = EventPoller.open()) {
 *     poller.add(channel);
 *     poller.add(device);
 *     while (running) {
 *         poller.select(Duration.ofSeconds(1), source -> {
 *             if (source == channel) {
 *                 channel.nextEvent(Duration.ZERO).ifPresent(this::drain);
 *             } else {
 *                 device.nextAsyncEvent(Duration.ZERO).ifPresent(this::report);
 *             }
 *         });
 *     }
 * }
 * }</pre>
 *
 * <p>A source remains ready until its event is taken. A closed source leaves the poller automatically.
 *
 * <p>Thread safety: all methods may be called from any thread. If several threads select at once, one event may call
 * the handlers of all of them.
 *
 * @since 0.1.0
 */
public final class EventPoller implements EventSource, AutoCloseable {
    private static final EventSource[] NO_SOURCES = {};
    private static final int LEAST_SWEEP = 16;
    private static final int NOBODY = -1;

    private final DescriptorSet descriptors = new DescriptorSet(this::closedException);
    /**
     * The sources by descriptor, which several can share, such as two objects for one native context. It guards itself
     * and {@link #closed}; the lists never change.
     */
    private final Map<Integer, List<EventSource>> sources = new HashMap<>();
    /** The descriptor of each source, also if the source is closed and no longer returns it. */
    private final Map<EventSource, Integer> places = new IdentityHashMap<>();
    /** The content of {@link #sources} as an array that never changes; read for each ready descriptor. */
    private volatile EventSource[][] table = {};

    /** With this many descriptors, closed ones are searched: rarely enough that each addition costs the same. */
    private int sweepAt = LEAST_SWEEP;

    /** The descriptor at which a handler last threw; the next select begins after it. */
    private volatile int thrower = NOBODY;

    private boolean closed;
    /** Null before the close, and if the place of a close is not recorded. */
    private volatile ClosePlace closePlace;

    private EventPoller() {}

    /**
     * Opens a poller.
     *
     * @return the poller, without sources
     * @throws VerbsException if the process has no file descriptor left
     * @throws NativeLibraryException if the JVM denies native access, or the system is not supported
     */
    public static EventPoller open() {
        NativeLibraries.requireSystem();
        return new EventPoller();
    }

    private IllegalStateException closedException() {
        return new IllegalStateException("the event poller is closed", closePlace);
    }

    /**
     * Adds a source; a select in progress notices it.
     *
     * @param source what to wait for
     * @throws IllegalArgumentException if it was added already
     * @throws IllegalStateException if the source or this poller is closed
     * @throws VerbsException if its descriptor does not support epoll(7)
     */
    public void add(EventSource source) {
        Objects.requireNonNull(source, "source");
        synchronized (sources) {
            if (sources.size() >= sweepAt) {
                dropClosed();
                sweepAt = Math.max(LEAST_SWEEP, 2 * sources.size());
            }
            int descriptor = source.fileDescriptor();
            List<EventSource> those = sources.getOrDefault(descriptor, List.of());
            if (contains(those, source)) {
                throw new IllegalArgumentException(source + " was added already");
            }
            descriptors.add(descriptor);
            Integer before = places.get(source);
            if (before != null) {
                // It was opened again, with another number.
                drop(before, kept -> kept != source);
            }
            // Closed sources had the same number before.
            put(
                    descriptor,
                    Stream.concat(those.stream().filter(EventSource::isOpen), Stream.of(source))
                            .toList());
        }
    }

    /**
     * Removes a source. If the selecting thread calls this, it calls no handler for the source afterwards.
     *
     * @param source the source; does nothing if it was not added, or if it or this poller is closed
     */
    public void remove(EventSource source) {
        Objects.requireNonNull(source, "source");
        synchronized (sources) {
            Integer descriptor = places.get(source);
            if (descriptor != null) {
                drop(descriptor, kept -> kept != source);
            }
        }
    }

    /** A number that has another owner by now is not in the kernel's set, or belongs to a source that is kept. */
    private void drop(int descriptor, Predicate<EventSource> condition) {
        List<EventSource> kept =
                sources.get(descriptor).stream().filter(condition).toList();
        if (kept.isEmpty()) {
            descriptors.remove(descriptor);
        }
        put(descriptor, kept);
    }

    /** Sets the sources of one descriptor, and rewrites only its row of the table. */
    private void put(int descriptor, List<EventSource> those) {
        note(descriptor, those);
        EventSource[][] written = Arrays.copyOf(table, Math.max(table.length, descriptor + 1));
        if (those.isEmpty()) {
            sources.remove(descriptor);
            written[descriptor] = null;
        } else {
            sources.put(descriptor, those);
            written[descriptor] = those.toArray(EventSource[]::new);
        }
        table = written;
    }

    /** Records the sources of a descriptor, replacing the previous ones. */
    private void note(int descriptor, List<EventSource> those) {
        sources.getOrDefault(descriptor, List.of()).forEach(places::remove);
        those.forEach(source -> places.put(source, descriptor));
    }

    /** A closed descriptor leaves the kernel's set automatically; a descriptor with another owner may still be open. */
    private void dropClosed() {
        synchronized (sources) {
            for (int descriptor : List.copyOf(sources.keySet())) {
                List<EventSource> kept = sources.get(descriptor).stream()
                        .filter(EventSource::isOpen)
                        .toList();
                note(descriptor, kept);
                if (kept.isEmpty()) {
                    descriptors.remove(descriptor);
                    sources.remove(descriptor);
                } else {
                    sources.put(descriptor, kept);
                }
            }
            writeTable();
        }
    }

    private void writeTable() {
        int length = sources.keySet().stream().mapToInt(Integer::intValue).max().orElse(-1) + 1;
        EventSource[][] written = new EventSource[length][];
        sources.forEach((descriptor, those) -> written[descriptor] = those.toArray(EventSource[]::new));
        table = written;
    }

    private static boolean contains(List<EventSource> those, EventSource source) {
        return contains(those.toArray(EventSource[]::new), source);
    }

    /** Compares by identity, as everywhere here. Called for each ready source: a stream would cost more. */
    private static boolean contains(EventSource[] those, EventSource source) {
        for (EventSource one : those) {
            if (one == source) {
                return true;
            }
        }
        return false;
    }

    /** {@return the number of open sources} */
    public int size() {
        synchronized (sources) {
            return (int) sources.values().stream()
                    .flatMap(List::stream)
                    .filter(EventSource::isOpen)
                    .count();
        }
    }

    /**
     * Waits until a source is ready, and calls the handler in this thread for each ready source. The handler should
     * take the event with a timeout of zero: another thread may have taken it, and a source that is added meanwhile may
     * reuse the file descriptor of a closed source that was ready. The handler may add, remove and close sources. If it
     * throws, this method throws the same exception, and the next select begins with the following descriptors.
     *
     * @param timeout how long to wait; zero or less returns at once
     * @param handler called for each ready source
     * @return how many sources the handler was called for; 0 after the timeout or {@link #wakeUp()}, and rarely without
     *     a reason, if an interrupt and a {@link #wakeUp()} coincide
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this poller is closed, before or during the wait
     */
    public int select(Duration timeout, Consumer<? super EventSource> handler) {
        long nanos = Timeouts.nanos(timeout);
        return select(nanos == 0 ? 0 : System.nanoTime(), nanos, handler);
    }

    /**
     * Waits as {@link #select(Duration, Consumer)} does, for an event loop that has just read the clock: reading it
     * again costs about as much as polling a queue.
     *
     * @param now what {@link System#nanoTime} has just returned; ignored if the next argument is zero or less
     * @param nanos how long to wait; zero or less returns at once
     * @param handler called for each ready source
     * @return as {@link #select(Duration, Consumer)}
     * @throws WaitInterruptedException as {@link #select(Duration, Consumer)}
     * @throws IllegalStateException as {@link #select(Duration, Consumer)}
     */
    public int select(long now, long nanos, Consumer<? super EventSource> handler) {
        return select(now, nanos, true, handler);
    }

    /**
     * Waits as {@link #select(Duration, Consumer)} does, for an event loop that other threads end by {@link #wakeUp()}:
     * watching for an interrupt costs as much as polling a queue. An interrupt during the wait leaves the thread's
     * interrupt status set, and may not end the wait.
     *
     * @param now as {@link #select(long, long, Consumer)}
     * @param nanos how long to wait; zero or less returns at once
     * @param handler called for each ready source
     * @return as {@link #select(Duration, Consumer)}
     * @throws WaitInterruptedException if an interrupt has ended the wait, as it does on a virtual thread
     * @throws IllegalStateException as {@link #select(Duration, Consumer)}
     */
    public int selectUninterruptibly(long now, long nanos, Consumer<? super EventSource> handler) {
        return select(now, nanos, false, handler);
    }

    private int select(long now, long nanos, boolean interruptible, Consumer<? super EventSource> handler) {
        Objects.requireNonNull(handler, "handler");
        int called = 0;
        boolean anyClosed = false;
        for (int descriptor : inTurn(descriptors.await("EventPoller.select", now, Math.max(0, nanos), interruptible))) {
            EventSource[] those = sourcesOf(descriptor);
            for (int i = 0; i < those.length; i++) {
                EventSource source = those[i];
                // An earlier handler may have removed it.
                EventSource[] still = i == 0 ? those : sourcesOf(descriptor);
                if (!source.isOpen()) {
                    anyClosed = true;
                } else if (still == those || contains(still, source)) {
                    handle(source, descriptor, handler);
                    called++;
                }
            }
        }
        if (anyClosed) {
            dropClosed();
        }
        return called;
    }

    private void handle(EventSource source, int descriptor, Consumer<? super EventSource> handler) {
        try {
            handler.accept(source);
        } catch (Throwable e) {
            thrower = descriptor;
            throw e;
        }
    }

    /** The kernel lists ready descriptors in the same order each time, and a handler may throw each time. */
    private int[] inTurn(int[] ready) {
        return thrower == NOBODY ? ready : behind(thrower, ready);
    }

    private int[] behind(int last, int[] ready) {
        thrower = NOBODY;
        int[] turned = ready.clone();
        for (int i = 0; i < ready.length; i++) {
            if (ready[i] == last) {
                int behind = ready.length - i - 1;
                System.arraycopy(ready, i + 1, turned, 0, behind);
                System.arraycopy(ready, 0, turned, behind, i + 1);
            }
        }
        return turned;
    }

    private EventSource[] sourcesOf(int descriptor) {
        EventSource[] those = written(descriptor);
        if (those.length > 0) {
            return those;
        }
        // The kernel can report a source before it is in the table.
        synchronized (sources) {
            return written(descriptor);
        }
    }

    private EventSource[] written(int descriptor) {
        EventSource[][] all = table;
        EventSource[] those = descriptor < all.length ? all[descriptor] : null;
        return those == null ? NO_SOURCES : those;
    }

    /**
     * Ends the select in progress, or else the next one.
     *
     * @throws IllegalStateException if this poller is closed
     */
    public void wakeUp() {
        descriptors.wakeUp();
    }

    /**
     * Returns the file descriptor that is readable when a source is ready, or after {@link #wakeUp()}, for a program
     * with its own poll(2) loop or for another poller. It belongs to this object: do not close it.
     *
     * @return the descriptor of the epoll(7) instance
     * @throws IllegalStateException if this poller is closed
     */
    @Override
    public int fileDescriptor() {
        return descriptors.fileDescriptor();
    }

    /** {@return whether {@link #close()} has not been called yet} */
    @Override
    public boolean isOpen() {
        synchronized (sources) {
            return !closed;
        }
    }

    /**
     * Closes the poller. Selects in progress end with an {@link IllegalStateException}; the sources stay open. Does
     * nothing if it is closed already.
     */
    @Override
    public void close() {
        synchronized (sources) {
            if (closed) {
                return;
            }
            closePlace = ClosePlace.of("the event poller");
            closed = true;
            sources.clear();
            places.clear();
            writeTable();
        }
        descriptors.close();
    }
}
