// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointTransport;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.engine.EngineVisits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** An endpoint or a server of an {@link EndpointSelector}. */
public abstract class SelectorEntry {
    /** A descriptor that the kernel reports as ready when there is something to do. */
    public record Bell(SelectorEntry entry, boolean queue, EventSource source) implements EventSource {
        @Override
        public int fileDescriptor() {
            return source.fileDescriptor();
        }

        @Override
        public boolean isOpen() {
            return source.isOpen();
        }

        /** Compares by identity. */
        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** Held while the entry is added or removed, which two threads may do at once. */
    private final ReentrantLock joining = new ReentrantLock();
    /** Whether it counts as a member of its group. Guarded by the lock above. */
    private boolean joined;
    /** Whether it is in the queue of changed entries. */
    public final AtomicBoolean noted = new AtomicBoolean();
    /** Whether it is visited in each select; used by {@link ActiveEntries}. */
    public boolean isActive;
    /** The last round in which it was ready; used by {@link ActiveEntries}. */
    long lastReady;
    /** Whether it must be armed again at a certain time, and this time; used by {@link ActiveEntries}. */
    boolean isTimed;

    long nextArm;
    /** Whether that time has come: it stays active until it is armed. Used by {@link ActiveEntries}. */
    boolean isDue;

    /** Whether the kernel reports every arrival without arming. Set before it joins. */
    boolean reported;

    private final Object key;
    private final Consumer<Object> handler;
    private final List<Bell> bells = new ArrayList<>();
    private volatile boolean left;

    /**
     * Creates the entry of an endpoint or a server.
     *
     * @param handler receives the key
     */
    @SuppressWarnings("unchecked")
    SelectorEntry(Object key, Consumer<?> handler) {
        this.key = key;
        this.handler = (Consumer<Object>) handler;
    }

    public final Object key() {
        return key;
    }

    final List<Bell> bells() {
        return bells;
    }

    final void addBell(boolean queue, EventSource source) {
        if (source != null) {
            bells.add(new Bell(this, queue, source));
        }
    }

    /** Registers it with the poller and with its group, unless it has left already. */
    public final void join(SelectorGroups groups, EventPoller poller) {
        joining.lock();
        try {
            if (!left) {
                groups.join(shared(), reported);
                joined = true;
                bells.forEach(poller::add);
            }
        } finally {
            joining.unlock();
        }
    }

    /** Removes it from the poller and from its group, after it has {@linkplain #leave left}. */
    public final void part(SelectorGroups groups, EventPoller poller) {
        joining.lock();
        try {
            bells.forEach(poller::remove);
            if (joined) {
                joined = false;
                groups.leave(shared(), reported);
            }
        } finally {
            joining.unlock();
        }
    }

    public final boolean isIn() {
        return !left;
    }

    /** Marks it as removed. */
    public void leave() {
        left = true;
    }

    final void handle() {
        giveMessages();
        if (!left) {
            handler.accept(key);
        }
    }

    /** Passes the message that the visit has taken, and those behind it, to the message handler. */
    void giveMessages() {}

    /**
     * Takes in what has arrived, and calls the handler if the entry is ready.
     *
     * @param armEarly whether it is armed first, if its bell has rung
     */
    final boolean visit(boolean armEarly) {
        if (left || !takeIn(armEarly)) {
            return false;
        }
        // The body of handle(): another call would push the program's handlers beyond the limit of inlining.
        giveMessages();
        // A message handler may have removed it.
        if (!left) {
            handler.accept(key);
        }
        return true;
    }

    /** Whether it notifies the selector of every arrival, so that the selector need not poll or arm it. */
    boolean notifies() {
        return false;
    }

    /**
     * For an entry with notifications, in the selecting thread after a visit: returns whether there may still be
     * something to do. Other threads notify of their changes meanwhile.
     */
    boolean mayHaveMore() {
        return true;
    }

    /** Whether the last visit has left futures to complete. */
    boolean mustComplete() {
        return false;
    }

    /**
     * Returns whether it need not be visited before the kernel reports it, or another thread notifies of a change.
     *
     * @param ready whether there was something to do in the last visit
     */
    boolean isDone(boolean ready) {
        return notifies() && !(ready ? mayHaveMore() : mustComplete());
    }

    /** The queues that it shares with others, which notify for it; null if it has bells of its own. */
    SharedQueues shared() {
        return null;
    }

    public abstract boolean isOpen();

    public abstract void ring(Bell bell);

    /** Whether something has come that was not taken in. */
    public abstract boolean hasRung();

    /**
     * Takes in what has arrived. Returns whether the entry is ready.
     *
     * @param armEarly whether it is armed first, if its bell has rung
     */
    abstract boolean takeIn(boolean armEarly);

    /**
     * Takes in what has arrived, and arms: later arrivals ring a bell. Returns whether the entry is ready.
     */
    abstract boolean arm();

    /**
     * {@return after how many nanoseconds {@link #arm} must be called again, although no bell rings; {@link
     * Long#MAX_VALUE} if bells report everything}
     */
    long nanosToNextArm() {
        return Long.MAX_VALUE;
    }

    /** Checks the time limits. Returns after how many nanoseconds it must be called again at the latest. */
    public abstract long checkTimeouts();

    /** An endpoint. */
    public static final class OfEndpoint extends SelectorEntry {
        /** Null if the program polls itself. */
        private final MessageHandler messages;

        private final Engine engine;
        private final EngineVisits visits;
        /** Identifies this selector to the engine. */
        private Runnable watcher;
        /** Null without a group. */
        private SharedQueues shared;

        private boolean queueRang;
        private boolean linkRang;

        public OfEndpoint(
                Endpoint endpoint, Engine engine, MessageHandler messages, Consumer<? super Endpoint> handler) {
            super(endpoint, handler);
            this.messages = messages;
            this.engine = engine;
            visits = engine.visits();
        }

        /**
         * Makes other threads notify the selector of their changes.
         *
         * @param arrival called for each arrival, for an endpoint of a group
         */
        public void watch(Consumer<SelectorEntry> changed, Consumer<SelectorEntry> arrival) {
            watcher = () -> changed.accept(this);
            EndpointTransport.Events events = visits.watch(watcher, () -> arrival.accept(this), messages != null);
            shared = engine.transport() instanceof GroupWire member ? member.queues() : null;
            reported = visits.isReported();
            addBell(true, events.queue());
            addBell(false, events.link());
        }

        @Override
        void giveMessages() {
            if (messages != null) {
                int buffer = visits.taken();
                if (buffer >= 0) {
                    engine.deliver(buffer, messages);
                }
            }
        }

        @Override
        public void leave() {
            super.leave();
            visits.unwatch();
        }

        @Override
        boolean notifies() {
            return shared != null;
        }

        @Override
        SharedQueues shared() {
            return shared;
        }

        @Override
        public boolean isOpen() {
            return engine.isOpen();
        }

        @Override
        public void ring(Bell bell) {
            queueRang |= bell.queue;
            linkRang |= !bell.queue;
        }

        @Override
        public boolean hasRung() {
            return queueRang || linkRang;
        }

        @Override
        boolean isDone(boolean ready) {
            return shared != null ? super.isDone(ready) : !isDue && visits.isArmedAndDone();
        }

        @Override
        boolean takeIn(boolean armEarly) {
            if (shared != null) {
                return visits.visitMember(watcher);
            }
            // If the visit fails, the events that it has not taken ring again.
            boolean queue = queueRang;
            boolean link = linkRang;
            queueRang = false;
            linkRang = false;
            return visits.visit(watcher, queue, link, armEarly);
        }

        @Override
        boolean mayHaveMore() {
            return visits.mayHaveMore();
        }

        @Override
        boolean mustComplete() {
            return visits.mustComplete();
        }

        @Override
        boolean arm() {
            return shared != null ? visits.visitMember(watcher) : visits.arm(watcher);
        }

        @Override
        long nanosToNextArm() {
            return shared != null ? Long.MAX_VALUE : visits.nanosToNextArm();
        }

        @Override
        public long checkTimeouts() {
            return visits.checkTimeouts();
        }
    }

    /** The queues of a group. Their bells ring for all endpoints of the group, and each endpoint is notified. */
    public static final class OfShared extends SelectorEntry {
        private final SharedQueues queues;
        /** How many of its endpoints the selector serves. */
        int endpoints;

        OfShared(SharedQueues queues) {
            super(queues, nothing -> {});
            this.queues = queues;
            addBell(true, queues.channel());
            addBell(false, queues.connectionEvents());
        }

        SharedQueues queues() {
            return queues;
        }

        @Override
        public boolean isOpen() {
            return queues.isOpen();
        }

        /** Takes the event; the poll that follows finds what has arrived. */
        @Override
        public void ring(Bell bell) {
            if (bell.queue) {
                queues.takeEventsForSelector();
            } else {
                queues.takeConnectionEvents();
            }
        }

        @Override
        public boolean hasRung() {
            return false;
        }

        @Override
        boolean takeIn(boolean armEarly) {
            return false;
        }

        @Override
        boolean arm() {
            return false;
        }

        @Override
        public long checkTimeouts() {
            return Long.MAX_VALUE;
        }
    }

    /** A server. Its bell rings until the program accepts, so it needs no arming. */
    public static final class OfServer extends SelectorEntry {
        /** A silent client is dropped so long after its time limit at most. */
        private static final long NANOS_BETWEEN_LOOKS = TimeUnit.MILLISECONDS.toNanos(500);

        private final EndpointServer server;
        private final BooleanSupplier awaitsTime;
        private boolean rang;

        public OfServer(
                EndpointServer server,
                EventSource clients,
                BooleanSupplier awaitsTime,
                Consumer<? super EndpointServer> handler) {
            super(server, handler);
            this.server = server;
            this.awaitsTime = awaitsTime;
            addBell(true, clients);
        }

        @Override
        public boolean isOpen() {
            return server.isOpen();
        }

        @Override
        public void ring(Bell bell) {
            rang = true;
        }

        @Override
        public boolean hasRung() {
            return rang;
        }

        @Override
        boolean takeIn(boolean armEarly) {
            boolean ready = rang;
            rang = false;
            return ready;
        }

        @Override
        boolean arm() {
            return takeIn(true);
        }

        @Override
        public long checkTimeouts() {
            if (isOpen() && awaitsTime.getAsBoolean()) {
                rang = true;
            }
            return NANOS_BETWEEN_LOOKS;
        }
    }
}
