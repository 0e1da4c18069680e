// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.NodeType;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.StackReserve;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The objects that the endpoints of a group share on one device: a completion channel, a channel for the events of
 * their connections, and as few {@link QueueShare queues} as the device allows.
 *
 * <p>Any thread that makes progress for one of the endpoints polls for all, and queues each event for its endpoint.
 *
 * <p>Locks are taken in this order: the endpoint's lock, the lock for joining and leaving, the polling lock. A polling
 * thread takes no lock of an endpoint.
 */
public final class SharedQueues implements Sleepers.Host {
    /** Leaves a number of 28 bits, which fits behind {@link Member}'s tags. */
    private static final int NUMBER_SHIFT = 4;

    private static final long MOST_NANOS_TO_END = TimeUnit.SECONDS.toNanos(5);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final int places;

    private final SharedDomain domain;
    private final CompletionChannel channel;
    /** The events of rdma_cm; null on an Elastic Fabric Adapter. */
    private final EventChannel events;
    /** The TCP connections of the endpoints on an Elastic Fabric Adapter; null on other devices. */
    private final EventPoller links;

    private final EventPoller poller;
    private final Sleepers sleepers = new Sleepers(this);
    private final List<QueueShare> shares = new CopyOnWriteArrayList<>();
    /** By the id of the connection, or by its TCP connection. */
    private final Map<Object, Member> connections = new ConcurrentHashMap<>();
    /** Held by the thread that takes the events of the TCP connections. */
    private final ReentrantLock linkEvents = new ReentrantLock();

    private final AtomicInteger awaitEnds = new AtomicInteger();
    private final AtomicInteger selectors = new AtomicInteger();
    // Created once, because each event needs one.
    private final BooleanSupplier selected = () -> selectors.get() > 0;
    private final BooleanSupplier ledOrSelected = () -> sleepers.isLed() || selectors.get() > 1;
    /** The first failure of a channel or a queue; null if there was none. */
    private final AtomicReference<VerbsException> deaf = new AtomicReference<>();

    /**
     * For joining and leaving. A queue pair is created, or closed and forgotten, with this lock held. So no new queue
     * pair gets the number of one whose completions are not all polled.
     */
    private final ReentrantLock membership = new ReentrantLock();

    /** For polling and arming. */
    private final ReentrantLock polling = new ReentrantLock();

    /** Whether a poll has queued everything that arrived before the last arming. Guarded by the lock above. */
    private boolean polled;

    /** Whether an error may have hidden a taken event from its queue. Guarded by the same lock. */
    private boolean eventsMissed;

    // With the lock for joining and leaving.
    /** Queues without members that are still open: not closed yet, or the adapter has refused to close them. */
    private final List<QueueShare> retired = new ArrayList<>();

    private long members;
    private boolean letGo;
    private boolean closed;

    /**
     * Opens the channels.
     *
     * @param places the number of endpoints for which the queues are sized
     */
    public SharedQueues(DeviceContext context, int places) {
        this.places = places;
        this.domain = SharedDomain.allocate(context);
        CompletionChannel newChannel = null;
        EventChannel newEvents = null;
        EventPoller newLinks = null;
        EventPoller newPoller = null;
        try {
            newChannel = context.createCompletionChannel();
            if (hasDatagrams(context)) {
                newLinks = EventPoller.open();
            } else {
                newEvents = EventChannel.create();
            }
            newPoller = EventPoller.open();
            newPoller.add(newChannel);
            newPoller.add(newEvents == null ? newLinks : newEvents);
        } catch (Throwable e) {
            CloseAll.after(
                    e,
                    closeOf(newPoller, EventPoller::close),
                    closeOf(newLinks, EventPoller::close),
                    closeOf(newEvents, EventChannel::close),
                    closeOf(newChannel, CompletionChannel::close),
                    domain::letGo);
            throw e;
        }
        this.channel = newChannel;
        this.events = newEvents;
        this.links = newLinks;
        this.poller = newPoller;
    }

    /** {@return whether a device has SRD queue pairs, which all endpoints can share, and no others} */
    static boolean hasDatagrams(DeviceContext context) {
        return context.device().nodeType() == NodeType.UNSPECIFIED;
    }

    /** Returns an action that closes an object, unless it is null. */
    private static <T> Runnable closeOf(T opened, Consumer<T> close) {
        return () -> {
            if (opened != null) {
                close.accept(opened);
            }
        };
    }

    /** {@return the domain of endpoints that have none of their own; counts one more user} */
    public SharedDomain shareDomain() {
        return domain.share();
    }

    public CompletionChannel channel() {
        return channel;
    }

    public EventChannel events() {
        return events;
    }

    /** {@return what reports events of the connections} */
    EventSource connectionEvents() {
        return events == null ? links : events;
    }

    /** {@return a key for a queue pair that no peer predicts; the highest bit would mean the queue pair's own key} */
    public static int newQueueKey() {
        return RANDOM.nextInt() & Integer.MAX_VALUE;
    }

    // ---- Joining and leaving ----

    /**
     * Takes a place for an endpoint, and creates its queue pair, whose completions are then queued for it.
     *
     * @param creation creates the queue pair; null if the endpoints share one
     */
    public Member join(
            ProtectionDomain itsDomain,
            QueueShare.Sizes sizes,
            Function<Consumer<QueuePairConfig>, QueuePair> creation) {
        membership.lock();
        try {
            QueueShare share = shareFor(itsDomain, sizes);
            Member member = share.join(creation == null ? newNumber(share) : ++members);
            try {
                if (creation != null) {
                    share.connect(member, creation);
                }
                polling.lock();
                try {
                    share.add(member);
                } finally {
                    polling.unlock();
                }
                return member;
            } catch (Throwable e) {
                if (member.queuePair() != null) {
                    CloseAll.after(e, member.queuePair()::close);
                }
                share.leave(member);
                throw e;
            }
        } finally {
            membership.unlock();
        }
    }

    /** Returns a number that no peer guesses, because it is all that separates the members' datagrams. */
    private long newNumber(QueueShare share) {
        polling.lock();
        try {
            int number;
            do {
                number = RANDOM.nextInt() >>> NUMBER_SHIFT;
            } while (number == 0 || share.hasNumber(number));
            return number;
        } finally {
            polling.unlock();
        }
    }

    private QueueShare shareFor(ProtectionDomain itsDomain, QueueShare.Sizes sizes) {
        if (letGo) {
            throw new IllegalStateException("the endpoint group is closed");
        }
        requireHearing(connections.isEmpty());
        for (QueueShare share : shares) {
            if (share.hasRoomFor(itsDomain, sizes)) {
                return share;
            }
        }
        QueueShare share = new QueueShare(itsDomain, channel, sizes, places);
        polling.lock();
        try {
            shares.add(share);
            // Sleeping threads rely on everything being armed.
            share.arm(true);
        } finally {
            polling.unlock();
        }
        return share;
    }

    private void closeSpent() {
        shares.stream().filter(QueueShare::isSpent).forEach(this::retire);
        List.copyOf(retired).forEach(this::closeRetired);
    }

    /** Removes queues from those that are polled. */
    private void retire(QueueShare share) {
        polling.lock();
        try {
            shares.remove(share);
        } finally {
            polling.unlock();
        }
        retired.add(share);
    }

    private void closeRetired(QueueShare share) {
        share.close();
        retired.remove(share);
    }

    /** Receives the events of a member's connection from now on. */
    public void adopt(SynchronousId id, Member member) {
        connections.put(id.id(), member);
        try {
            id.migrate(events);
            // An endpoint that joins while lose() notifies the others would miss the notification.
            requireHearing(false);
        } catch (Throwable e) {
            connections.remove(id.id());
            throw e;
        }
    }

    /**
     * Receives the events of a member's TCP connection from now on.
     *
     * @param takesEvent takes an event of the connection; returns false if there was none
     */
    public void adopt(EventSource connection, BooleanSupplier takesEvent, Member member) {
        member.link(takesEvent);
        connections.put(connection, member);
        try {
            links.add(connection);
            requireHearing(false);
        } catch (Throwable e) {
            CloseAll.after(e, () -> forget(connection));
            throw e;
        }
    }

    /** Closes a member's queue pair, and takes in its last completions, so that its buffers are returned. */
    public void disconnect(Member member) {
        membership.lock();
        try {
            awaitEnds(member, false);
            QueuePair queuePair = member.queuePair();
            if (queuePair == null) {
                awaitEndOfRequests(member);
                forgetClosed(member);
                return;
            }
            CloseAll.of(() -> stop(member), this::poll, queuePair::close, () -> forgetClosed(member));
        } finally {
            membership.unlock();
        }
    }

    /**
     * Waits until the adapter has ended the requests of a member whose address handle is closed: until then it uses
     * their memory. A share with requests that do not end takes no more endpoints.
     */
    private void awaitEndOfRequests(Member member) {
        long start = System.nanoTime();
        try {
            while (member.hasUnderWay()) {
                poll();
                if (member.hasUnderWay() && System.nanoTime() - start > MOST_NANOS_TO_END) {
                    member.share().spoil();
                    return;
                }
                Thread.onSpinWait();
            }
        } catch (VerbsException e) {
            // The adapter does not answer any more.
            member.share().spoil();
        }
    }

    /**
     * Forgets a member once its queue pair is closed, whatever else has failed: until then completions arrive, and
     * after it the next queue pair may get the number.
     */
    private void forgetClosed(Member member) {
        if (member.queuePair() != null && member.queuePair().isOpen()) {
            return;
        }
        polling.lock();
        try {
            CloseAll.of(this::poll, () -> member.share().forget(member));
        } finally {
            polling.unlock();
        }
    }

    /** Stops receiving before the close: adapters drop the completions of a destroyed queue pair. */
    private void stop(Member member) {
        try {
            if (member.queuePair().isOpen()) {
                member.queuePair().toError();
            }
        } catch (VerbsException e) {
            // A removed device reports nothing, and the program has been notified of the removal.
            if (e.errno() != Errno.EIO || deaf.get() == null && member.lost() == null) {
                throw e;
            }
        }
    }

    public void forget(ConnectionId id) {
        connections.remove(id);
    }

    /** Receives no more events of a TCP connection. */
    public void forget(EventSource connection) {
        connections.remove(connection);
        links.remove(connection);
    }

    /** Frees the place of a member, of which the program holds no message any more. */
    public void leave(Member member) {
        membership.lock();
        try {
            member.share().leave(member);
            closeUnused();
        } finally {
            membership.unlock();
        }
    }

    /** {@return the number of endpoints, including closed ones with held messages} */
    public int size() {
        membership.lock();
        try {
            return shares.stream().mapToInt(QueueShare::size).sum();
        } finally {
            membership.unlock();
        }
    }

    /** {@return the number of queues} */
    public int queues() {
        return shares.size();
    }

    /** Lets no endpoint join any more; the last endpoint that leaves closes everything. */
    public void letGo() {
        membership.lock();
        try {
            letGo = true;
            closeUnused();
        } finally {
            membership.unlock();
        }
    }

    private void closeUnused() {
        closeSpent();
        if (!letGo || !shares.stream().allMatch(QueueShare::isEmpty)) {
            return;
        }
        shares.forEach(this::retire);
        List<Runnable> closes = new ArrayList<>();
        retired.forEach(share -> closes.add(() -> closeRetired(share)));
        closes.add(poller::close);
        closes.add(closeOf(events, EventChannel::close));
        closes.add(closeOf(links, EventPoller::close));
        closes.add(channel::close);
        closes.add(closed ? domain::closeUnused : domain::letGo);
        closed = true;
        CloseAll.of(closes.toArray(Runnable[]::new));
    }

    // ---- Polling ----

    /** Queues the arrivals of all endpoints. Returns how many there were. */
    public int poll() {
        polling.lock();
        try {
            polled = false;
            int total = 0;
            for (QueueShare share : shares) {
                total += share.poll(sleepers);
            }
            polled = true;
            return total;
        } catch (VerbsException e) {
            lose(e);
            return 0;
        } finally {
            polling.unlock();
        }
    }

    private void arm() {
        if (deaf.get() != null) {
            return;
        }
        boolean ends = awaitEnds.get() > 0;
        boolean before = polled;
        boolean newly = false;
        // Also if arming throws.
        polled = false;
        try {
            if (eventsMissed) {
                shares.forEach(QueueShare::disarm);
                eventsMissed = false;
            }
            for (QueueShare share : shares) {
                newly |= share.arm(ends);
            }
            polled = before && !newly;
        } catch (VerbsException e) {
            lose(e);
        }
    }

    /**
     * Loses all endpoints of a device that does not answer, for example a removed one, and notifies each. Throws the
     * first failure only: more failures would keep a selector from its other endpoints.
     */
    private void lose(VerbsException failure) {
        if (deaf.compareAndSet(null, failure)) {
            for (Member member : connections.values()) {
                member.lost(Engine.ADAPTER_FAILED + failure.getMessage());
                member.notifyArrival(sleepers);
            }
        }
        // The same failure may get here again on its way up the stack.
        if (deaf.get() == failure) {
            throw failure;
        }
    }

    /** Throws while the device counts as failed. Once all lost endpoints have left, the device is tried again. */
    private void requireHearing(boolean alone) {
        VerbsException failure = deaf.get();
        if (failure == null || alone && deaf.compareAndSet(failure, null)) {
            return;
        }
        throw new VerbsException(
                failure.operation(),
                failure.errno(),
                "for another endpoint; its group takes no more on this device before those that are lost have gone",
                "close the endpoints that are lost, and connect again");
    }

    /** Sets whether completions of an endpoint's sends must end a sleep. */
    void awaitEnds(Member member, boolean ends) {
        if (member.awaitsEnds() == ends) {
            return;
        }
        // In this order an error in between leaves the count too high, which only wakes threads too often.
        if (!ends) {
            member.awaitsEnds(false);
            awaitEnds.addAndGet(-1);
        } else {
            awaitEnds.addAndGet(1);
            member.awaitsEnds(true);
            polling.lock();
            try {
                // From now on, sleeping threads wake for completions of sends. Earlier ones raise no event: poll them.
                if (shares.stream().anyMatch(QueueShare::missesEnds)) {
                    arm();
                    poll();
                }
            } finally {
                polling.unlock();
            }
        }
    }

    /** Takes the events of the connection manager, and notifies their endpoints. */
    public void takeConnectionEvents() {
        if (links != null) {
            takeLinkEvents();
            return;
        }
        try {
            Optional<CmEvent> event = events.isOpen() ? events.poll() : Optional.empty();
            while (event.isPresent()) {
                Member member = connections.get(event.get().id());
                String reason = reason(event.get());
                if (member != null && reason != null) {
                    member.lost(reason);
                    member.notifyArrival(sleepers);
                }
                event = events.poll();
            }
        } catch (VerbsException e) {
            lose(e);
        }
    }

    /** If another thread takes them, it also notifies. */
    private void takeLinkEvents() {
        if (!linkEvents.tryLock()) {
            return;
        }
        try {
            if (links.isOpen()) {
                links.select(Duration.ZERO, connection -> {
                    Member member = connections.get(connection);
                    if (member != null) {
                        member.linkIsReady(sleepers);
                    }
                });
            }
        } catch (IllegalStateException e) {
            requireClosed(e);
        } finally {
            linkEvents.unlock();
        }
    }

    /**
     * Takes the events of the queues.
     *
     * @param othersSleep whether others rely on the events; evaluated when an event was taken, with the polling lock
     *     held. A thread that begins to rely on them later arms first, with that lock
     */
    private void takeEvents(boolean polls, BooleanSupplier othersSleep) {
        StackReserve.require(polling);
        polling.lock();
        try {
            boolean came = false;
            Optional<CompletionQueue> event = channel.nextEvent(Duration.ZERO);
            while (event.isPresent()) {
                came = true;
                boolean more = false;
                for (QueueShare share : shares) {
                    share.eventCame(event.get());
                    more |= share.isArmed();
                }
                // A poll that finds nothing costs as much as an event, and an event that is missed here ends the next
                // sleep.
                event = more ? channel.nextEvent(Duration.ZERO) : Optional.empty();
            }
            if (polls) {
                poll();
            }
            if (came && othersSleep.getAsBoolean()) {
                // The sleeping threads have not seen the event, and no other one follows.
                arm();
                poll();
            }
        } catch (VerbsException e) {
            lose(e);
        } catch (Error e) {
            eventsMissed = true;
            throw e;
        } finally {
            polling.unlock();
        }
    }

    // ---- Sleeping ----

    Sleepers sleepers() {
        return sleepers;
    }

    @Override
    public void armAndTakeIn() {
        polling.lock();
        try {
            if (channel.isOpen()) {
                arm();
                poll();
            }
        } finally {
            polling.unlock();
        }
    }

    @Override
    public void await(long nanos) {
        try {
            poller.select(Duration.ofNanos(nanos), source -> {});
        } catch (IllegalStateException e) {
            requireClosed(e);
        }
    }

    @Override
    public void takeIn() {
        try {
            takeEvents(true, selected);
            takeConnectionEvents();
        } catch (IllegalStateException e) {
            requireClosed(e);
        }
    }

    /** Rethrows a failure, unless everything was closed because the last endpoint left while a thread slept for it. */
    private void requireClosed(IllegalStateException failure) {
        if (poller.isOpen()) {
            throw failure;
        }
    }

    @Override
    public void wake() {
        try {
            poller.wakeUp();
        } catch (IllegalStateException e) {
            requireClosed(e);
        }
    }

    // ---- For a selector, which sleeps instead of the endpoints' threads ----

    void joinSelector() {
        selectors.incrementAndGet();
    }

    void leaveSelector() {
        selectors.decrementAndGet();
    }

    /** Takes the event that has ended a selector's sleep; the selector polls next. */
    void takeEventsForSelector() {
        try {
            takeEvents(false, ledOrSelected);
        } catch (IllegalStateException e) {
            requireClosed(e);
        }
    }

    /** Arms for a selector that sleeps next. An event of an earlier arming is already pending. */
    void armForSelector() {
        StackReserve.require(polling);
        polling.lock();
        try {
            if (channel.isOpen()) {
                arm();
                if (!polled) {
                    poll();
                }
            }
        } finally {
            polling.unlock();
        }
    }

    boolean isOpen() {
        return poller.isOpen();
    }

    /** {@return why an event ends the connection; null if it does not} */
    public static String reason(CmEvent event) {
        return switch (event.type()) {
            case DISCONNECTED -> "the peer disconnected without closing its endpoint: its process ended, or it aborted";
            case DEVICE_REMOVAL -> "the local device was removed";
            default -> event.type().isFailure() ? event.type() + ": " + event.explanation() : null;
        };
    }
}
