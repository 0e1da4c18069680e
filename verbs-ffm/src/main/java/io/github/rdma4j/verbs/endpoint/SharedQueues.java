// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.CompletionChannel;
import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.StackRoom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * What the endpoints of a group share on one device: one completion channel, one channel for the events of their
 * connections, and as few {@link QueueShare queues} as the device allows.
 *
 * <p>Any thread that makes progress for one of the endpoints polls for all, and puts down for each what has come for
 * it.
 *
 * <p>Locks are taken in this order: that of an endpoint, the one of those who join and leave, the one of those who
 * poll. Whoever polls takes no lock of an endpoint.
 */
final class SharedQueues implements Sleepers.Ground {
    /** Why an endpoint is lost of whose adapter nothing is to be heard; the failure stands behind it. */
    static final String DEAF = "nothing is to be heard of its adapter: ";

    private final int places;
    private final SharedDomain domain;
    private final CompletionChannel channel;
    private final EventChannel events;
    private final EventPoller poller;
    private final Sleepers sleepers = new Sleepers(this);
    private final List<QueueShare> shares = new CopyOnWriteArrayList<>();
    private final Map<ConnectionId, Member> connections = new ConcurrentHashMap<>();
    private final AtomicInteger awaitEnds = new AtomicInteger();
    private final AtomicInteger selectors = new AtomicInteger();
    /** The first failure of a channel or a queue; null as long as there was none. */
    private final AtomicReference<VerbsException> deaf = new AtomicReference<>();

    /**
     * Of those who join and leave. A queue pair is created, and closed and forgotten, with it: in between nobody can
     * get the number of one whose completions are still to come.
     */
    private final ReentrantLock membership = new ReentrantLock();

    /** Of those who poll and arm. */
    private final ReentrantLock polling = new ReentrantLock();

    /** With this lock: whether a poll has put down all that came before something was armed. */
    private boolean polled;

    /** With this lock: an error may have kept an event that was taken from the queue that it belongs to. */
    private boolean eventsMissed;

    // With the lock of those who join and leave.
    /** Those that are to be closed, and are not yet if the adapter has refused. */
    private final List<QueueShare> retired = new ArrayList<>();

    private long members;
    private boolean letGo;
    private boolean closed;

    /**
     * Opens the channels.
     *
     * @param places how many endpoints the queues are to be for
     */
    SharedQueues(DeviceContext context, int places) {
        this.places = places;
        this.domain = SharedDomain.allocate(context);
        CompletionChannel newChannel = null;
        EventChannel newEvents = null;
        EventPoller newPoller = null;
        try {
            newChannel = context.createCompletionChannel();
            newEvents = EventChannel.create();
            newPoller = EventPoller.open();
            newPoller.add(newChannel);
            newPoller.add(newEvents);
        } catch (Throwable e) {
            CloseAll.after(
                    e,
                    closeOf(newPoller, EventPoller::close),
                    closeOf(newEvents, EventChannel::close),
                    closeOf(newChannel, CompletionChannel::close),
                    domain::letGo);
            throw e;
        }
        this.channel = newChannel;
        this.events = newEvents;
        this.poller = newPoller;
    }

    /** Closes what was opened, if it was. */
    private static <T> Runnable closeOf(T opened, Consumer<T> close) {
        return () -> {
            if (opened != null) {
                close.accept(opened);
            }
        };
    }

    /** The domain of those that bring none, with one user more. */
    SharedDomain shareDomain() {
        return domain.share();
    }

    CompletionChannel channel() {
        return channel;
    }

    EventChannel events() {
        return events;
    }

    // ---- Joining and leaving ----

    /**
     * A place for an endpoint, and its queue pair there; its completions are put down from now on.
     *
     * @param creation creates the queue pair
     */
    Member join(
            ProtectionDomain itsDomain,
            QueueShare.Sizes sizes,
            Function<Consumer<QueuePairConfig>, QueuePair> creation) {
        membership.lock();
        try {
            QueueShare share = shareFor(itsDomain, sizes);
            Member member = share.join(++members);
            try {
                share.connect(member, creation);
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
            // Those who sleep rely on everything being armed.
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

    /** Nobody polls it any more. */
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

    /** From now on, the events of its connection come here. */
    void adopt(SynchronousId id, Member member) {
        connections.put(id.id(), member);
        try {
            id.migrate(events);
            // Who comes while the others are told would not be.
            requireHearing(false);
        } catch (Throwable e) {
            connections.remove(id.id());
            throw e;
        }
    }

    /** Closes its queue pair, and takes in what is left of it, so that its buffers come back. */
    void disconnect(Member member) {
        membership.lock();
        try {
            awaitEnds(member, false);
            QueuePair queuePair = member.queuePair();
            CloseAll.of(() -> stop(member), this::poll, queuePair::close, () -> forgetClosed(member));
        } finally {
            membership.unlock();
        }
    }

    /**
     * Only when its queue pair is closed nothing comes any more. Then its number can be given to the next one that
     * joins, whatever else has failed.
     */
    private void forgetClosed(Member member) {
        if (member.queuePair().isOpen()) {
            return;
        }
        polling.lock();
        try {
            CloseAll.of(this::poll, () -> member.share().forget(member));
        } finally {
            polling.unlock();
        }
    }

    /** No more messages come in: adapters drop the completions of a queue pair that they destroy. */
    private void stop(Member member) {
        try {
            if (member.queuePair().isOpen()) {
                member.queuePair().toError();
            }
        } catch (VerbsException e) {
            // From a device that was removed nothing comes, and the program has heard so.
            if (e.errno() != Errno.EIO || deaf.get() == null && member.lost() == null) {
                throw e;
            }
        }
    }

    void forget(ConnectionId id) {
        connections.remove(id);
    }

    /** Its program has nothing of it any more: its place is free. */
    void leave(Member member) {
        membership.lock();
        try {
            member.share().leave(member);
            closeUnused();
        } finally {
            membership.unlock();
        }
    }

    /** How many endpoints there are, those with held messages included. */
    int size() {
        membership.lock();
        try {
            return shares.stream().mapToInt(QueueShare::size).sum();
        } finally {
            membership.unlock();
        }
    }

    /** How many queues there are. */
    int queues() {
        return shares.size();
    }

    /** Nobody joins any more; the last endpoint that leaves closes everything. */
    void letGo() {
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
        closes.add(events::close);
        closes.add(channel::close);
        closes.add(closed ? domain::closeUnused : domain::letGo);
        closed = true;
        CloseAll.of(closes.toArray(Runnable[]::new));
    }

    // ---- Polling ----

    /** Puts down what has come, for all; how much there was. */
    int poll() {
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
        // Also where arming throws.
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
     * Of a device that does not answer, as one that is gone, all endpoints are lost, of which each is told. The first
     * failure is thrown, and no other one: it would keep a selector from its other endpoints again and again.
     */
    private void lose(VerbsException failure) {
        if (deaf.compareAndSet(null, failure)) {
            for (Member member : connections.values()) {
                member.lost(DEAF + failure.getMessage());
                member.tell(sleepers);
            }
        }
        // One that comes by again on its way out is the same.
        if (deaf.get() == failure) {
            throw failure;
        }
    }

    /** When all that were lost have gone, it is tried anew. */
    private void requireHearing(boolean alone) {
        VerbsException failure = deaf.get();
        if (failure == null || alone && deaf.compareAndSet(failure, null)) {
            return;
        }
        throw new VerbsException(
                failure.operation(),
                failure.errno(),
                "for another endpoint; its group takes no more on this device before those that are lost have gone",
                "close the endpoints that are lost, and connect anew");
    }

    /** Whether an endpoint wants the ends of what it has posted to end a sleep. */
    void awaitEnds(Member member, boolean ends) {
        if (member.awaitsEnds() == ends) {
            return;
        }
        // In this order an error in between leaves the count too high, which wakes threads more often than need be.
        if (!ends) {
            member.awaitsEnds(false);
            awaitEnds.addAndGet(-1);
        } else {
            awaitEnds.addAndGet(1);
            member.awaitsEnds(true);
            polling.lock();
            try {
                // Whoever sleeps already sleeps more lightly from now on, and what came before is no event.
                if (shares.stream().anyMatch(QueueShare::missesEnds)) {
                    arm();
                    poll();
                }
            } finally {
                polling.unlock();
            }
        }
    }

    /** Takes what the connection manager has said, and tells those whom it is about. */
    void takeConnectionEvents() {
        try {
            Optional<CmEvent> event = events.isOpen() ? events.poll() : Optional.empty();
            while (event.isPresent()) {
                Member member = connections.get(event.get().id());
                String reason = CmLink.reason(event.get());
                if (member != null && reason != null) {
                    member.lost(reason);
                    member.tell(sleepers);
                }
                event = events.poll();
            }
        } catch (VerbsException e) {
            lose(e);
        }
    }

    private void takeEvents(boolean polls, boolean othersSleep) {
        StackRoom.require(polling);
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
                // To look in vain costs as much as an event, and one that is missed here ends the next sleep.
                event = more ? channel.nextEvent(Duration.ZERO) : Optional.empty();
            }
            if (polls) {
                poll();
            }
            if (came && othersSleep) {
                // They have not seen the event, and there is none to come.
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
            takeEvents(true, selectors.get() > 0);
            takeConnectionEvents();
        } catch (IllegalStateException e) {
            requireClosed(e);
        }
    }

    /** The last endpoint has left while a thread slept for it. */
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

    // ---- For a selector, which sleeps in the endpoints' stead ----

    void joinSelector() {
        selectors.incrementAndGet();
    }

    void leaveSelector() {
        selectors.decrementAndGet();
    }

    /** A selector's sleep was ended by an event; it polls next. */
    void takeEventsForSelector() {
        try {
            takeEvents(false, sleepers.isLed() || selectors.get() > 1);
        } catch (IllegalStateException e) {
            requireClosed(e);
        }
    }

    /** A selector sleeps next, so what comes from now on is an event. What was armed before a poll is one already. */
    void armForSelector() {
        StackRoom.require(polling);
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
}
