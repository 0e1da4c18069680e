// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.CarrierTurn;
import io.github.rdma4j.verbs.internal.ClosePlace;
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
 * <p><b>What a handler throws comes out of {@link #select(Duration)}</b>, and ends a loop like this one for all
 * clients. That is a {@link ConnectionLostException} of one client's endpoint, and a {@link
 * io.github.rdma4j.verbs.VerbsException} of {@link EndpointServer#accept} when this process has no memory or file
 * descriptor left for one more.
 *
 * <p><b>When an endpoint is ready</b>: there is a message, or a transfer to {@link Transfers#pollTransfers poll}; it
 * has been closed by the peer, or its connection is lost ({@link Endpoint#poll} says which); or there is room again
 * after {@link Endpoint#NO_CREDIT}, {@link Endpoint#QUEUE_FULL} or a {@link Endpoint#claim} that came back empty,
 * which is told once. Everything else stays ready until it is taken: an endpoint whose messages nobody polls, or whose
 * end nobody answers by a close, is ready in every select. To take no more from a client for a while, {@linkplain
 * Message#hold() hold} what it has sent: it runs out of credits. While a thread selects, it makes the progress of all
 * endpoints: their futures are completed, and their dead peers noticed ({@link EndpointConfig#silenceTimeout}).
 *
 * <p><b>Cost.</b> A select visits those endpoints that were ready of late; the others cost nothing until the kernel
 * names them, however busy the ones are. Endpoints of an {@link EndpointGroup} cost least: one look at the queues that
 * they share finds what has come for each, and one event tells for all. Before it sleeps it looks for a while ({@link
 * #open(Duration)}).
 *
 * <p>Thread safety: one thread at a time selects; another one that tries gets an {@link IllegalStateException}. {@link
 * #add}, {@link #remove}, {@link #wakeUp} and {@link #close} may be called from any thread, and from a handler. The
 * endpoints themselves may be used by other threads meanwhile, those that wait there included.
 *
 * @since 0.1.0
 */
public final class EndpointSelector implements AutoCloseable {
    /** Those that are ready all the time must not keep the others from being looked at. */
    private static final int VISITS_PER_KERNEL_LOOK = 16;
    /** When a clock is looked at again that could not be looked at. */
    private static final long NANOS_AFTER_FAILURE = TimeUnit.SECONDS.toNanos(1);

    private final EventPoller poller = EventPoller.open();
    private final SelectorGroups groups = new SelectorGroups(poller);
    private final SpinTime spinTime;
    /** By endpoint or server; both are equal to nothing but themselves. */
    private final Map<Object, SelectorEntry> entries = new ConcurrentHashMap<>();
    /** What other threads have changed. */
    private final Queue<SelectorEntry> changed = new ConcurrentLinkedQueue<>();
    /** Set behind each addition to that: to look into an empty queue costs more, and each select does so twice. */
    private volatile boolean anyChanged;

    private final AtomicReference<Thread> selecting = new AtomicReference<>();
    private volatile boolean asleep;
    private volatile boolean woken;
    /** Null before the close, and where places are not kept. */
    private volatile ClosePlace closePlace;

    private volatile boolean closed;

    // Of the thread that selects.
    /** Whether an interrupt has to end the select that is under way. */
    private boolean interruptible;

    private final ActiveEntries active = new ActiveEntries();
    private final Consumer<EventSource> ringing = this::ring;
    private final CarrierTurn turn = new CarrierTurn();
    private int visits;
    /** The last look before a wait has found nothing. */
    private boolean inVain;

    private long nextLook = System.nanoTime();

    private EndpointSelector(long spinNanos) {
        spinTime = new SpinTime(spinNanos);
    }

    /**
     * Opens a selector with the default of {@link EndpointConfig#spinLimit}.
     *
     * @return the selector, to be closed
     * @throws io.github.rdma4j.verbs.VerbsException if the process has no file descriptor left
     */
    public static EndpointSelector open() {
        return open(new EndpointConfig().spinLimit());
    }

    /**
     * Opens a selector.
     *
     * @param spinLimit how long a select may look for what comes before it sleeps; within this limit it learns the
     *     time, as {@link EndpointConfig#spinLimit} says. Zero always sleeps
     * @return the selector, to be closed
     * @throws IllegalArgumentException if the limit is negative or longer than a second
     * @throws io.github.rdma4j.verbs.VerbsException if the process has no file descriptor left
     */
    public static EndpointSelector open(Duration spinLimit) {
        return new EndpointSelector(
                Engine.nanos(new EndpointConfig().spinLimit(spinLimit).spinLimit()));
    }

    /**
     * Adds an endpoint; a select that is under way notices it. One that is closed leaves by itself.
     *
     * @param endpoint to serve
     * @param handler is called in the thread that selects, when the endpoint is ready; it must not wait for long, since
     *     all others wait with it
     * @throws IllegalArgumentException if the endpoint is in a selector already
     * @throws IllegalStateException if the endpoint or this selector is closed
     */
    public void add(Endpoint endpoint, Consumer<? super Endpoint> handler) {
        addEndpoint(endpoint, null, handler);
    }

    /**
     * Adds an endpoint whose messages go to a handler of their own, as from {@link Endpoint#poll}, which costs less
     * than to poll in the other handler. That one is called behind them, also when they have closed the endpoint, and,
     * as ever, when there are none: the end of the connection is told by a poll then.
     *
     * @param endpoint to serve
     * @param messages gets each message, in the thread that selects
     * @param handler is called when the endpoint is ready, behind its messages
     * @throws IllegalArgumentException if the endpoint is in a selector already
     * @throws IllegalStateException if the endpoint or this selector is closed
     */
    public void add(Endpoint endpoint, MessageHandler messages, Consumer<? super Endpoint> handler) {
        addEndpoint(endpoint, Objects.requireNonNull(messages, "messages"), handler);
    }

    private void addEndpoint(Endpoint endpoint, MessageHandler messages, Consumer<? super Endpoint> handler) {
        Objects.requireNonNull(handler, "handler");
        requireOpen();
        SelectorEntry.OfEndpoint entry = new SelectorEntry.OfEndpoint(endpoint, messages, handler);
        entry.watch(this::note, this::arrived);
        add(endpoint, entry);
    }

    /**
     * Adds a server, whose clients then are accepted by this thread; a select that is under way notices it. One that is
     * closed leaves by itself.
     *
     * @param server to accept clients of
     * @param handler is called in the thread that selects, when it should call {@link EndpointServer#accept} with a
     *     timeout of zero; it need not get a client then
     * @throws IllegalArgumentException if the server was added already
     * @throws IllegalStateException if the server or this selector is closed
     */
    public void add(EndpointServer server, Consumer<? super EndpointServer> handler) {
        Objects.requireNonNull(handler, "handler");
        requireOpen();
        if (!server.isOpen()) {
            throw new IllegalStateException(server + " is closed");
        }
        add(server, new SelectorEntry.OfServer(server, handler));
    }

    private void add(Object key, SelectorEntry entry) {
        if (entries.putIfAbsent(key, entry) != null) {
            throw new IllegalArgumentException(key + " was added already");
        }
        try {
            entry.join(groups, poller);
            // A close that has not seen this entry is seen here.
            requireOpen();
        } catch (Throwable e) {
            if (entries.remove(key, entry)) {
                dismiss(entry);
            }
            // What fails then is another object, of which the program knows nothing.
            requireOpen();
            if (!entry.isOpen()) {
                throw new IllegalStateException(key + " is closed", e);
            }
            throw e;
        }
        note(entry);
    }

    /**
     * Removes an endpoint. Its handler is not called any more, once this has returned in the thread that selects. A
     * handler of messages that calls this gets those that came together with its message.
     *
     * @param endpoint not to serve any more; one that was not added, or is closed, does no harm
     */
    public void remove(Endpoint endpoint) {
        remove((Object) endpoint);
    }

    /**
     * Removes a server.
     *
     * @param server not to accept from any more; one that was not added, or is closed, does no harm
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

    /** {@return how many endpoints and servers there are; closed ones do not count} */
    public int size() {
        return (int) entries.values().stream().filter(SelectorEntry::isOpen).count();
    }

    /**
     * Waits until an endpoint or a server is ready, and calls the handlers of those that are, in this thread. What a
     * handler throws comes out of here; the handlers behind it are called by the next select.
     *
     * @param timeout how long to wait; zero or less only looks
     * @return how many handlers were called; 0 after the time, and after {@link #wakeUp()}
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws io.github.rdma4j.verbs.VerbsException if nothing is to be heard of an endpoint's adapter any more, as
     *     when that is gone. This is thrown once: the endpoint, and all others of its group on that device, are lost
     *     then, of which the next select tells them, and the others go on
     * @throws IllegalStateException if this selector is closed, before or meanwhile, or selected by another thread or
     *     by a handler
     */
    public int select(Duration timeout) {
        return select(System.nanoTime(), Engine.nanos(timeout));
    }

    /**
     * Waits as {@link #select(Duration)} does, for an event loop that has just read the clock: a second reading costs
     * about as much as a look at a queue.
     *
     * @param now what {@link System#nanoTime} has just returned: this is not asked again before the wait
     * @param nanos how long to wait; zero or less only looks
     * @return as {@link #select(Duration)}
     * @throws WaitInterruptedException as {@link #select(Duration)}
     * @throws io.github.rdma4j.verbs.VerbsException as {@link #select(Duration)}
     * @throws IllegalStateException as {@link #select(Duration)}
     */
    public int select(long now, long nanos) {
        return select(now, nanos, true);
    }

    /**
     * Waits as {@link #select(Duration)} does, for an event loop that others end by {@link #wakeUp()}: to look out for
     * an interrupt costs as much as to look at a queue. One that comes meanwhile stays with the thread, and need not
     * end the wait.
     *
     * @param now as {@link #select(long, long)}
     * @param nanos how long to wait; zero or less only looks
     * @return as {@link #select(Duration)}
     * @throws WaitInterruptedException if an interrupt has ended the wait all the same, as on a virtual thread
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
        // The clock is read where time may have passed.
        long now = start;
        while (true) {
            requireOpen();
            lookAtClocksInTime(now);
            long remaining = limit - (now - start);
            int called = lookFirst(remaining);
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
     * Looks, unless that is most likely in vain and this thread will not spin: whoever arms takes in what has come,
     * too.
     */
    private int lookFirst(long remaining) {
        boolean maySleep = remaining > 0 && !woken;
        if (maySleep && inVain && spinTime.sleepsAtOnce()) {
            takeChanged();
            return 0;
        }
        int called = visitAll();
        if (maySleep) {
            inVain = called == 0;
        }
        return called;
    }

    /** Waits; how many handlers were called meanwhile. */
    private int spinOrSleep(long start, long nanos) {
        return spinTime.maySpin() ? spinAndSleep(start, nanos) : sleepAtOnce(start, nanos);
    }

    /** Of one that never spins: there is nothing to learn, and a sleep comes next each time. */
    private int sleepAtOnce(long start, long nanos) {
        int called = armAll();
        if (called == 0) {
            sleep(start, nanos);
            called = visitAll(inVain);
        }
        return called;
    }

    private int spinAndSleep(long start, long nanos) {
        long spins = spinTime.next();
        long limit = active.isEmpty() && groups.isEmpty() ? 0 : Math.min(nanos, spins);
        boolean mayLearn = limit == 0 || SpinTime.start();
        int called = limit > 0 && mayLearn ? spin(start, limit) : 0;
        if (called > 0 || woken) {
            spinTime.seen(System.nanoTime() - start);
            return called;
        }
        called = armAll();
        if (called == 0) {
            long now = limit > 0 ? System.nanoTime() : start;
            sleep(now, nanos - (now - start));
            long slept = mayLearn ? System.nanoTime() - start : 0;
            called = visitAll(inVain && spinTime.sleepsNext());
            if (mayLearn) {
                spinTime.slept(slept, called > 0);
            }
        }
        return called;
    }

    /** After a failure all are looked at, and the kernel is asked, whoever fails again and again. */
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

    private int spin(long start, long nanos) {
        try {
            int called = 0;
            // Those that are not active are armed: the kernel tells of them, and spinning finds nothing.
            int rounds = 0;
            long now = start;
            while (called == 0 && !woken && !(active.isEmpty() && groups.isEmpty()) && now - start < nanos) {
                SpinTime.pause(++rounds, false);
                now = System.nanoTime();
                lookAtClocksInTime(now);
                called = visitAll();
            }
            return called;
        } finally {
            SpinTime.stop();
            spinTime.spun(System.nanoTime() - start);
        }
    }

    private void sleep(long now, long nanos) {
        asleep = true;
        try {
            // Whoever changes something from here on wakes this thread.
            if (!anyChanged && active.isEmpty() && !woken && !closed) {
                long limit = Math.min(nanos, nextLook - now);
                askKernel(now, limit);
            }
        } finally {
            asleep = false;
        }
    }

    private boolean lookAtKernel() {
        return askKernel(0, 0);
    }

    /** Whether the kernel has named something within some time, which begins now. */
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

    /** Takes in what has come for those that are active, and calls their handlers. */
    private int visitAll() {
        return visitAll(false);
    }

    /**
     * Takes in what has come for those that are active, and calls their handlers.
     *
     * @param armEarly whether this thread will most likely sleep next: who was named by the kernel is armed before it
     *     is polled, and need not be polled again for that
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
        if (now - nextLook >= 0) {
            lookAtClocks(now);
        }
    }

    private void lookAtClocks(long now) {
        long soonest = Long.MAX_VALUE;
        for (SelectorEntry entry : entries.values()) {
            soonest = Math.min(soonest, lookAtClock(entry));
        }
        nextLook = now + Math.min(soonest, Long.MAX_VALUE / 2);
    }

    private long lookAtClock(SelectorEntry entry) {
        if (!entry.isOpen()) {
            remove(entry.key());
        }
        if (!entry.isIn()) {
            return Long.MAX_VALUE;
        }
        try {
            long nanos = entry.lookAtClock();
            if (entry.hasRung()) {
                active.add(entry);
            }
            return nanos;
        } catch (Throwable e) {
            // Its visit fails in its turn, and says so; here it would keep the others from theirs.
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
            nextLook = Math.min(nextLook - now, lookAtClock(entry)) + now;
            if (entry.isIn()) {
                active.add(entry);
            } else {
                active.remove(entry);
            }
            entry = changed.poll();
        }
    }

    /** Something has come for an endpoint of a group. Called by any thread, without the endpoint's lock. */
    private void arrived(SelectorEntry entry) {
        if (Thread.currentThread() == selecting.get()) {
            if (entry.isIn()) {
                active.add(entry);
            }
        } else {
            note(entry);
        }
    }

    /** Something has changed: it is to be visited again. Called by any thread, with an endpoint's lock held. */
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
                    // The selector was closed meanwhile.
                }
            }
        }
    }

    /**
     * Ends the select that is under way, or else the next one, at once.
     *
     * @throws IllegalStateException if this selector is closed
     */
    public void wakeUp() {
        requireOpen();
        woken = true;
        // Who is awake looks before it sleeps.
        if (asleep) {
            poller.wakeUp();
        }
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public boolean isOpen() {
        return !closed;
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the endpoint selector is closed", closePlace);
        }
    }

    /**
     * Ends the select that is under way with an {@link IllegalStateException}; endpoints and servers stay open. Twice
     * does nothing.
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
