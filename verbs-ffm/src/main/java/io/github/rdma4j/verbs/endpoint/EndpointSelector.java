// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.CarrierTurn;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.endpoint.engine.SpinTime;
import io.github.rdma4j.verbs.internal.endpoint.group.ActiveEntries;
import io.github.rdma4j.verbs.internal.endpoint.group.SelectorEntry;
import io.github.rdma4j.verbs.internal.endpoint.group.SelectorGroups;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Serves many endpoints, and the servers that accept them, with one thread, as {@link java.nio.channels.Selector} does
 * for sockets. It starts no thread.
 *
 * <pre>{@code
 * try (EndpointServer server = EndpointServer.bind(address);
 *         EndpointSelector selector = EndpointSelector.open()) {
 *     selector.add(server, s -> s.accept(Duration.ZERO).ifPresent(client -> selector.add(client, this::serve)));
 *     while (running) {
 *         selector.select(Duration.ofSeconds(1));
 *     }
 * }
 *
 * void serve(Endpoint client) {
 *     try {
 *         if (client.poll(message -> answer(client, message)) == Endpoint.CLOSED_BY_PEER) {
 *             client.close();
 *         }
 *     } catch (ConnectionLostException e) {
 *         client.close();
 *     }
 * }
 * }</pre>
 *
 * <p><b>Exceptions of a handler propagate out of {@link #select(Duration)}</b> and end a loop like this one for all
 * clients. Examples are a {@link ConnectionLostException} of one client, and a {@link
 * io.github.rdma4j.verbs.VerbsException} of {@link EndpointServer#accept} when this process has no memory or file
 * descriptor left.
 *
 * <p><b>An endpoint is ready</b> if there is a message, or a transfer to {@link Transfers#pollTransfers poll}; if the
 * peer has closed it or its connection is lost ({@link Endpoint#poll} says which); or, once, if sending is possible
 * again after {@link Endpoint#NO_CREDIT}, {@link Endpoint#QUEUE_FULL} or an empty {@link Endpoint#claim}. In the other
 * cases it stays ready: an endpoint whose messages you do not poll, or that you do not close after its end, is ready in
 * every select. To pause a client, {@linkplain Message#hold() hold} its messages: it runs out of credits. While a
 * thread selects, it makes progress for all endpoints: it completes their futures and detects dead peers ({@link
 * EndpointConfig#silenceTimeout}).
 *
 * <p><b>Cost.</b> A select polls the endpoints that were ready recently. The others cost nothing until the kernel
 * reports an event. Endpoints of an {@link EndpointGroup} cost least, because they share the queues to poll and one
 * event. A select spins before it sleeps ({@link #open(Duration)}).
 *
 * <p>Thread safety: one thread at a time selects; a second one gets an {@link IllegalStateException}. Any thread, and
 * any handler, may call {@link #add}, {@link #remove}, {@link #wakeUp} and {@link #close}. Other threads may use the
 * endpoints meanwhile, and wait in them.
 *
 * @since 0.1.0
 */
public final class EndpointSelector implements AutoCloseable {
    /** Endpoints that are always ready must not keep the others from being polled. */
    private static final int VISITS_PER_KERNEL_LOOK = 16;
    /** Of a thread that spins for endpoints over RDMA and over TCP: for the first, a system call finds nothing. */
    private static final int ROUNDS_PER_KERNEL_LOOK = 4;
    /** How long to wait before checking a timeout again after a check that failed. */
    private static final long NANOS_AFTER_FAILURE = TimeUnit.SECONDS.toNanos(1);

    private final EventPoller poller = EventPoller.open();
    private final SelectorGroups groups = new SelectorGroups(poller);
    private final SpinTime spinTime;
    /** By endpoint or server, which compare by identity. */
    private final Map<Object, SelectorEntry> entries = new ConcurrentHashMap<>();
    /** Changes by other threads. */
    private final Queue<SelectorEntry> changed = new ConcurrentLinkedQueue<>();
    /** Set after each addition to the queue: polling an empty queue costs more, and each select does it twice. */
    private volatile boolean anyChanged;

    private final AtomicReference<Thread> selecting = new AtomicReference<>();
    private volatile boolean asleep;
    private volatile boolean woken;
    /** Null before the close, and if places of closing are not recorded. */
    private volatile ClosePlace closePlace;

    private volatile boolean closed;

    // Used only by the selecting thread.
    /** Whether an interrupt ends the current select. */
    private boolean interruptible;

    private final ActiveEntries active = new ActiveEntries(this::checkAt);
    private final Consumer<EventSource> ringing = this::ring;
    private final CarrierTurn turn = new CarrierTurn();
    private int visits;
    /** The last poll before a wait found nothing. */
    private boolean inVain;

    /** When the timeouts of all entries must be checked, of {@link System#nanoTime}. */
    private long nextTimeouts = System.nanoTime();
    /** The earlier of that time and {@link ActiveEntries#nanosToDue}: one check of the clock covers both. */
    private long nextCheck = nextTimeouts;

    private EndpointSelector(long spinNanos) {
        spinTime = new SpinTime(spinNanos);
    }

    /**
     * Opens a selector with the default of {@link EndpointConfig#spinLimit}.
     *
     * @return the selector; close it after use
     * @throws io.github.rdma4j.verbs.VerbsException if the process has no file descriptor left
     */
    public static EndpointSelector open() {
        return open(new EndpointConfig().settings().times().spin());
    }

    /**
     * Opens a selector.
     *
     * @param spinLimit how long a select may spin before it sleeps; it adapts within this limit as {@link
     *     EndpointConfig#spinLimit} describes. Zero always sleeps
     * @return the selector; close it after use
     * @throws IllegalArgumentException if the limit is negative or longer than a second
     * @throws io.github.rdma4j.verbs.VerbsException if the process has no file descriptor left
     */
    public static EndpointSelector open(Duration spinLimit) {
        return new EndpointSelector(Timeouts.nanos(
                new EndpointConfig().spinLimit(spinLimit).settings().times().spin()));
    }

    /**
     * Adds an endpoint, also during a select. A closed endpoint is removed automatically.
     *
     * @param endpoint the endpoint
     * @param handler called in the selecting thread when the endpoint is ready; it delays all others, so it must not
     *     block
     * @throws IllegalArgumentException if the endpoint is already in a selector
     * @throws IllegalStateException if the endpoint or this selector is closed
     */
    public void add(Endpoint endpoint, Consumer<? super Endpoint> handler) {
        addEndpoint(endpoint, null, handler);
    }

    /**
     * Adds an endpoint with a handler for its messages, as for {@link Endpoint#poll}. This costs less than polling in
     * the other handler. The other handler is called after the messages, even if they closed the endpoint, and also
     * when there are no messages; a poll then returns the end of the connection.
     *
     * @param endpoint the endpoint
     * @param messages gets each message, in the selecting thread
     * @param handler called when the endpoint is ready, after its messages
     * @throws IllegalArgumentException if the endpoint is already in a selector
     * @throws IllegalStateException if the endpoint or this selector is closed
     */
    public void add(Endpoint endpoint, MessageHandler messages, Consumer<? super Endpoint> handler) {
        addEndpoint(endpoint, Objects.requireNonNull(messages, "messages"), handler);
    }

    private void addEndpoint(Endpoint endpoint, MessageHandler messages, Consumer<? super Endpoint> handler) {
        Objects.requireNonNull(handler, "handler");
        requireOpen();
        SelectorEntry.OfEndpoint entry = new SelectorEntry.OfEndpoint(endpoint, endpoint.engine(), messages, handler);
        entry.watch(this::note, this::arrived);
        add(endpoint, entry);
    }

    /**
     * Adds a server, so that the selecting thread accepts its clients, also during a select. A closed server is removed
     * automatically.
     *
     * @param server the server
     * @param handler called in the selecting thread when it should call {@link EndpointServer#accept} with a timeout of
     *     zero, which may return empty
     * @throws IllegalArgumentException if the server was already added
     * @throws IllegalStateException if the server or this selector is closed
     */
    public void add(EndpointServer server, Consumer<? super EndpointServer> handler) {
        Objects.requireNonNull(handler, "handler");
        requireOpen();
        if (!server.isOpen()) {
            throw new IllegalStateException(server + " is closed");
        }
        add(
                server,
                new SelectorEntry.OfServer(server, server.acceptor().events(), server.acceptor()::awaitsTime, handler));
    }

    private void add(Object key, SelectorEntry entry) {
        if (entries.putIfAbsent(key, entry) != null) {
            throw new IllegalArgumentException(key + " was added already");
        }
        try {
            entry.join(groups, poller);
            // Detects a concurrent close that did not see this entry.
            requireOpen();
        } catch (Throwable e) {
            if (entries.remove(key, entry)) {
                dismiss(entry);
            }
            // The failing object is then an internal one that the program does not know.
            requireOpen();
            if (!entry.isOpen()) {
                throw new IllegalStateException(key + " is closed", e);
            }
            throw e;
        }
        note(entry);
    }

    /**
     * Removes an endpoint. Its handler is not called after this method has returned in the selecting thread. A message
     * handler that calls this method still gets the messages that arrived together with the current one.
     *
     * @param endpoint the endpoint; ignored if it was not added or is closed
     */
    public void remove(Endpoint endpoint) {
        remove((Object) endpoint);
    }

    /**
     * Removes a server.
     *
     * @param server the server; ignored if it was not added or is closed
     */
    public void remove(EndpointServer server) {
        remove((Object) server);
    }

    private void remove(Object key) {
        SelectorEntry entry = entries.remove(key);
        if (entry != null) {
            dismiss(entry);
        }
    }

    private void dismiss(SelectorEntry entry) {
        entry.leave();
        entry.part(groups, poller);
        note(entry);
    }

    /** {@return the number of open endpoints and servers} */
    public int size() {
        return (int) entries.values().stream().filter(SelectorEntry::isOpen).count();
    }

    /**
     * Waits until an endpoint or a server is ready, and calls the handlers of all that are, in this thread. An
     * exception of a handler propagates; the next select calls the remaining handlers.
     *
     * @param timeout how long to wait; zero or less does not wait
     * @return how many handlers were called; 0 on timeout and after {@link #wakeUp()}
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws io.github.rdma4j.verbs.VerbsException if an endpoint's adapter has failed or was removed. This is thrown
     *     once. The endpoint, and all endpoints of its group on that device, are lost, which the next select reports;
     *     the others continue
     * @throws IllegalStateException if this selector is closed, before or during the call, or if another thread or a
     *     handler already selects
     */
    public int select(Duration timeout) {
        return select(System.nanoTime(), Timeouts.nanos(timeout));
    }

    /**
     * Waits as {@link #select(Duration)} does, for an event loop that has just read the clock: a second reading costs
     * about as much as polling a queue.
     *
     * @param now the current {@link System#nanoTime}
     * @param nanos how long to wait; zero or less does not wait
     * @return as {@link #select(Duration)}
     * @throws WaitInterruptedException as {@link #select(Duration)}
     * @throws io.github.rdma4j.verbs.VerbsException as {@link #select(Duration)}
     * @throws IllegalStateException as {@link #select(Duration)}
     */
    public int select(long now, long nanos) {
        return select(now, nanos, true);
    }

    /**
     * Waits as {@link #select(Duration)} does, for an event loop that ends by {@link #wakeUp()}: checking for an
     * interrupt costs as much as polling a queue. An interrupt during the wait stays set, and need not end the wait.
     *
     * @param now as {@link #select(long, long)}
     * @param nanos how long to wait; zero or less does not wait
     * @return as {@link #select(Duration)}
     * @throws WaitInterruptedException if an interrupt ends the wait nevertheless, as on a virtual thread
     * @throws io.github.rdma4j.verbs.VerbsException as {@link #select(Duration)}
     * @throws IllegalStateException as {@link #select(Duration)}
     */
    public int selectUninterruptibly(long now, long nanos) {
        return select(now, nanos, false);
    }

    private int select(long now, long nanos, boolean newInterruptible) {
        if (!selecting.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException(
                    selecting.get() == Thread.currentThread()
                            ? "a handler of this selector selects: let the handler return first"
                            : "another thread selects: give each thread a selector of its own");
        }
        interruptible = newInterruptible;
        try {
            return selectAlone(now, Math.max(0, nanos));
        } finally {
            selecting.set(null);
            if (turn.isOver()) {
                CarrierTurn.pass();
            }
        }
    }

    private int selectAlone(long start, long limit) {
        // Reads the clock only where time may have passed.
        long now = start;
        while (true) {
            requireOpen();
            lookAtClocksInTime(now);
            long remaining = limit - (now - start);
            int called = lookFirst(now, remaining);
            if (called == 0 && !woken) {
                called = remaining > 0 ? spinOrSleep(now, remaining) : lookAtKernel() ? visitAll() : 0;
            }
            if (called > 0 || woken || remaining <= 0) {
                woken = false;
                return called;
            }
            now = System.nanoTime();
        }
    }

    /**
     * Polls, unless that is most likely in vain and this thread will not spin: arming an endpoint takes in what has
     * arrived anyway.
     */
    private int lookFirst(long now, long remaining) {
        boolean maySleep = remaining > 0 && !woken;
        if (maySleep && inVain && spinTime.sleepsAtOnce(now)) {
            takeChanged();
            return 0;
        }
        int called = visitAll();
        if (maySleep) {
            inVain = called == 0;
        }
        return called;
    }

    /** Waits. Returns how many handlers were called. */
    private int spinOrSleep(long start, long nanos) {
        return spinTime.maySpin() ? spinAndSleep(start, nanos) : sleepAtOnce(start, nanos);
    }

    /** For a selector that never spins: there is nothing to adapt, and each select sleeps next. */
    private int sleepAtOnce(long start, long nanos) {
        int called = armAll();
        if (called == 0) {
            sleep(start, nanos);
            called = visitAll(inVain);
        }
        return called;
    }

    private int spinAndSleep(long start, long nanos) {
        long spins = spinTime.next(start);
        long limit = canSpin() ? Math.min(nanos, spins) : 0;
        boolean mayLearn = limit == 0 || SpinTime.start();
        int called = limit > 0 && mayLearn ? spin(start, limit) : 0;
        if (called > 0 || woken) {
            return called;
        }
        called = armAll();
        if (called == 0) {
            long now = limit > 0 ? System.nanoTime() : start;
            sleep(now, nanos - (now - start));
            long woke = System.nanoTime();
            called = visitAll(inVain && spinTime.sleepsNext(woke));
            if (mayLearn) {
                spinTime.slept(woke - start, called > 0);
            }
        }
        return called;
    }

    /** After a failure, polls all endpoints and the kernel, even if one endpoint fails again and again. */
    private int armAll() {
        boolean vain = inVain;
        inVain = false;
        int called = active.armAll();
        if (called == 0) {
            groups.arm();
        }
        inVain = vain && called == 0;
        return called;
    }

    /** Endpoints that are armed and inactive wake a thread that sleeps; nothing finds them without the kernel. */
    private boolean canSpin() {
        return !nothingToPoll() || groups.hasReported();
    }

    private boolean nothingToPoll() {
        return active.isEmpty() && groups.isEmpty();
    }

    private int spin(long start, long nanos) {
        try {
            int called = 0;
            boolean kept = true;
            int rounds = 0;
            long now = start;
            while (called == 0 && kept && !woken && canSpin() && now - start < nanos) {
                SpinTime.pause(++rounds, now - start, false);
                long last = now;
                lookAtClocksInTime(now);
                int polls = active.size();
                if (groups.hasReported() && (nothingToPoll() || rounds % ROUNDS_PER_KERNEL_LOOK == 0)) {
                    lookAtKernel();
                }
                called = visitAll();
                now = System.nanoTime();
                kept = spinTime.keptCpu(last, now, polls, called > 0);
            }
            if (kept && (called > 0 || woken)) {
                spinTime.seen(now - start);
            }
            return called;
        } finally {
            SpinTime.stop();
        }
    }

    private void sleep(long now, long nanos) {
        asleep = true;
        try {
            // A change from here on wakes this thread.
            if (!anyChanged && active.isEmpty() && !woken && !closed) {
                long limit = Math.min(nanos, nextCheck - now);
                askKernel(now, limit);
            }
        } finally {
            asleep = false;
        }
    }

    private boolean lookAtKernel() {
        return askKernel(0, 0);
    }

    /** Whether the kernel reports an event within the given time. */
    private boolean askKernel(long now, long nanos) {
        visits = 0;
        try {
            int rang = interruptible
                    ? poller.select(now, nanos, ringing)
                    : poller.selectUninterruptibly(now, nanos, ringing);
            return rang > 0;
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException("EndpointSelector.select");
        } catch (IllegalStateException e) {
            requireOpen();
            throw e;
        }
    }

    private void ring(EventSource source) {
        SelectorEntry.Bell bell = (SelectorEntry.Bell) source;
        bell.entry().ring(bell);
        if (!(bell.entry() instanceof SelectorEntry.OfShared)) {
            active.add(bell.entry());
        }
    }

    /** Polls the active endpoints and calls their handlers. */
    private int visitAll() {
        return visitAll(false);
    }

    /**
     * Polls the active endpoints and calls their handlers.
     *
     * @param armEarly whether this thread will most likely sleep next: endpoints that the kernel reported are then
     *     armed before they are polled, which saves a second poll
     */
    private int visitAll(boolean armEarly) {
        takeChanged();
        groups.poll(armEarly);
        if (++visits >= VISITS_PER_KERNEL_LOOK) {
            lookAtKernel();
        }
        return active.visit(armEarly);
    }

    private void lookAtClocksInTime(long now) {
        if (now - nextCheck >= 0) {
            lookAtClocks(now);
        }
    }

    private void lookAtClocks(long now) {
        active.addDue(now);
        if (now - nextTimeouts >= 0) {
            long soonest = Long.MAX_VALUE;
            for (SelectorEntry entry : entries.values()) {
                soonest = Math.min(soonest, checkTimeouts(entry));
            }
            nextTimeouts = now + Math.min(soonest, Long.MAX_VALUE / 2);
        }
        nextCheck = now + Math.min(nextTimeouts - now, active.nanosToDue(now));
    }

    private void checkAt(long time) {
        if (time - nextCheck < 0) {
            nextCheck = time;
        }
    }

    private long checkTimeouts(SelectorEntry entry) {
        if (!entry.isOpen()) {
            remove(entry.key());
        }
        if (!entry.isIn()) {
            return Long.MAX_VALUE;
        }
        try {
            long nanos = entry.checkTimeouts();
            if (entry.hasRung()) {
                active.add(entry);
            }
            return nanos;
        } catch (Throwable e) {
            // Its own poll throws this again; thrown here, it would keep the others from their turn.
            active.add(entry);
            return NANOS_AFTER_FAILURE;
        }
    }

    private void takeChanged() {
        if (anyChanged) {
            anyChanged = false;
            boolean all = false;
            try {
                takeAllChanged();
                all = true;
            } finally {
                if (!all) {
                    anyChanged = true;
                }
            }
        }
    }

    private void takeAllChanged() {
        SelectorEntry entry = changed.poll();
        while (entry != null) {
            entry.noted.set(false);
            long now = System.nanoTime();
            nextTimeouts = Math.min(nextTimeouts - now, checkTimeouts(entry)) + now;
            checkAt(nextTimeouts);
            if (entry.isIn()) {
                active.add(entry);
            } else {
                active.remove(entry);
            }
            entry = changed.poll();
        }
    }

    /** Something has arrived for an endpoint of a group. Called by any thread, without the endpoint's lock. */
    private void arrived(SelectorEntry entry) {
        if (Thread.currentThread() == selecting.get()) {
            if (entry.isIn()) {
                active.add(entry);
            }
        } else {
            note(entry);
        }
    }

    /** Requests a poll of an entry that has changed. Called by any thread, with an endpoint's lock held. */
    private void note(SelectorEntry entry) {
        if (Thread.currentThread() == selecting.get() && entry.isActive && entry.isIn()) {
            return;
        }
        if (entry.noted.compareAndSet(false, true)) {
            changed.add(entry);
            anyChanged = true;
            if (asleep) {
                try {
                    poller.wakeUp();
                } catch (IllegalStateException e) {
                    // The selector was closed concurrently.
                }
            }
        }
    }

    /**
     * Makes the current select, or else the next one, return at once.
     *
     * @throws IllegalStateException if this selector is closed
     */
    public void wakeUp() {
        requireOpen();
        woken = true;
        // A thread that is awake polls before it sleeps.
        if (asleep) {
            poller.wakeUp();
        }
    }

    /** {@return whether this selector has not been closed} */
    public boolean isOpen() {
        return !closed;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the endpoint selector is closed", closePlace);
        }
    }

    /**
     * Ends the current select with an {@link IllegalStateException}; endpoints and servers stay open. Does nothing if
     * this selector is already closed.
     */
    @Override
    public void close() {
        if (!closed) {
            closePlace = ClosePlace.of("the endpoint selector");
            closed = true;
            entries.keySet().forEach(this::remove);
            poller.close();
        }
    }
}
