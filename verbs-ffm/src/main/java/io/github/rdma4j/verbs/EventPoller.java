// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.DescriptorSet;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.ReadinessWaiter;
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
 * <p>A source remains ready until its event is taken. A source that is closed leaves the poller by itself.
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
     * By descriptor, which several can share: two objects for one native context. Guarded by itself, as is {@link
     * #closed}; the lists are never changed.
     */
    private final Map<Integer, List<EventSource>> sources = new HashMap<>();
    /** Where each stands in there, also when it is closed and does not know any more. */
    private final Map<EventSource, Integer> places = new IdentityHashMap<>();
    /** What {@link #sources} holds, as an array that is never changed: asked for each descriptor that is ready. */
    private volatile EventSource[][] table = {};

    /** With so many descriptors, closed ones are looked for: seldom enough to cost each addition the same. */
    private int sweepAt = LEAST_SWEEP;

    /** The descriptor at which a handler threw last; the next select begins behind it. */
    private volatile int thrower = NOBODY;

    private boolean closed;
    /** Null before the close, and where places are not kept. */
    private volatile ClosePlace closePlace;

    private EventPoller() {}

    /**
     * Opens a poller.
     *
     * @return the poller, without sources
     * @throws VerbsException if the process has no file descriptor left
     * @throws NativeLibraryException if the JVM denies native access, or runs on a system that rdma4j is not for
     */
    public static EventPoller open() {
        NativeLibraries.requireSystem();
        return new EventPoller();
    }

    private IllegalStateException closedException() {
        return new IllegalStateException("the event poller is closed", closePlace);
    }

    /**
     * Adds a source; a select that is under way notices it.
     *
     * @param source what to wait for
     * @throws IllegalArgumentException if it was added already
     * @throws IllegalStateException if the source or this poller is closed
     * @throws VerbsException if its descriptor cannot be waited for
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
                // It was opened anew, with another number.
                drop(before, kept -> kept != source);
            }
            // Closed ones had the same number before.
            put(
                    descriptor,
                    Stream.concat(those.stream().filter(EventSource::isOpen), Stream.of(source))
                            .toList());
        }
    }

    /**
     * Removes a source. A handler is not called for it any more, once this has returned in the thread that selects.
     *
     * @param source what not to wait for any more; one that was not added, or has been closed, does no harm, nor does a
     *     poller that is closed
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

    /** A number that belongs to somebody else by now is not in the kernel's set, or belongs to one that is kept. */
    private void drop(int descriptor, Predicate<EventSource> condition) {
        List<EventSource> kept =
                sources.get(descriptor).stream().filter(condition).toList();
        if (kept.isEmpty()) {
            descriptors.remove(descriptor);
        }
        put(descriptor, kept);
    }

    /** The sources of one descriptor: only its line of the table is written. */
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

    /** Those that stand there now, instead of those that did. */
    private void note(int descriptor, List<EventSource> those) {
        sources.getOrDefault(descriptor, List.of()).forEach(places::remove);
        those.forEach(source -> places.put(source, descriptor));
    }

    /**
     * A closed descriptor leaves the kernel's set by itself; one that belongs to somebody else may have stayed open.
     */
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

    /** By identity, as all that is asked here. Asked for each source that is ready: a stream would cost more. */
    private static boolean contains(EventSource[] those, EventSource source) {
        for (EventSource one : those) {
            if (one == source) {
                return true;
            }
        }
        return false;
    }

    /** {@return how many sources there are; closed ones do not count} */
    public int size() {
        synchronized (sources) {
            return (int) sources.values().stream()
                    .flatMap(List::stream)
                    .filter(EventSource::isOpen)
                    .count();
        }
    }

    /**
     * Waits until a source is ready, and calls the handler for each that is, in this thread. The handler should take
     * the event, with a timeout of zero, because another thread may have taken it; and a source that is added meanwhile
     * may have got the file descriptor of one that was ready and was closed. It may add, remove and close anything.
     * What it throws comes out of here, and the next select begins with the descriptors behind that one.
     *
     * @param timeout how long to wait; zero or less only looks
     * @param handler what to do with a source that is ready
     * @return how many sources the handler was called for; 0 after the time, after {@link #wakeUp()}, and rarely for no
     *     reason, where an interrupt and a {@link #wakeUp()} come at once
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this poller is closed, before or meanwhile
     */
    public int select(Duration timeout, Consumer<? super EventSource> handler) {
        long nanos = ReadinessWaiter.nanos(timeout);
        return select(nanos == 0 ? 0 : System.nanoTime(), nanos, handler);
    }

    /**
     * Waits as {@link #select(Duration, Consumer)} does, for an event loop that has just read the clock: a second
     * reading costs about as much as a look at a queue.
     *
     * @param now what {@link System#nanoTime} has just returned; not looked at if the next argument is zero or less
     * @param nanos how long to wait; zero or less only looks
     * @param handler what to do with a source that is ready
     * @return as {@link #select(Duration, Consumer)}
     * @throws WaitInterruptedException as {@link #select(Duration, Consumer)}
     * @throws IllegalStateException as {@link #select(Duration, Consumer)}
     */
    public int select(long now, long nanos, Consumer<? super EventSource> handler) {
        return select(now, nanos, true, handler);
    }

    /**
     * Waits as {@link #select(Duration, Consumer)} does, for an event loop that others end by {@link #wakeUp()}: to
     * look out for an interrupt costs as much as to look at a queue. One that comes meanwhile stays with the thread,
     * and need not end the wait.
     *
     * @param now as {@link #select(long, long, Consumer)}
     * @param nanos how long to wait; zero or less only looks
     * @param handler what to do with a source that is ready
     * @return as {@link #select(Duration, Consumer)}
     * @throws WaitInterruptedException if an interrupt has ended the wait all the same, as on a virtual thread
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
                // The handlers of those before it may have removed it.
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

    /** The kernel names what stays ready in the same order each time, and the handler may throw each time. */
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
        // The kernel tells of a source before it stands in the table.
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
     * Ends the select that is under way, or else the next one, at once.
     *
     * @throws IllegalStateException if this poller is closed
     */
    public void wakeUp() {
        descriptors.wakeUp();
    }

    /**
     * The file descriptor that is readable when a source is ready, or after {@link #wakeUp()}: for a program that has
     * its own poll(2) loop, or for another poller. It belongs to this object: do not close it.
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
     * Ends selects that are under way with an {@link IllegalStateException}; the sources stay open. Twice does nothing.
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
