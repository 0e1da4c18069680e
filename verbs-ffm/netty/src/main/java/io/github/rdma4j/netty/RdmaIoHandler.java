// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Lets an event loop serve {@link RdmaSocketChannel}s and {@link RdmaServerSocketChannel}s:
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
 * }</pre>
 *
 * <p>Each event loop has an {@link EndpointSelector}, which starts no thread. Before the loop sleeps, it polls for a
 * time that adapts to recent response times ({@link EndpointConfig#spinLimit}). Connecting and closing wait for the
 * peer, so each runs in a virtual thread of its own.
 *
 * <p>Thread safety: see {@link IoHandler}. Programs use only the factory, from any thread.
 *
 * @since 0.1.0
 */
public final class RdmaIoHandler implements IoHandler {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaIoHandler.class);
    private static final long LONGEST_SELECT = TimeUnit.HOURS.toNanos(1);
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);
    /** The total time for which an ending event loop waits for closes: an endpoint's own limit, and some more. */
    private static final Duration CLOSES_TIMEOUT = Duration.ofSeconds(7);

    private final ThreadAwareExecutor executor;
    private final EndpointSelector selector;
    private final Set<Registration> registrations = new HashSet<>();
    /** The closing threads of channels that will report the close in this loop. */
    private final Set<Thread> closes = ConcurrentHashMap.newKeySet();
    /** The closing threads of channels that have reported the close. */
    private final Set<Thread> lastCloses = ConcurrentHashMap.newKeySet();
    /**
     * A loop that is shut down by one of its tasks, without a quiet period, does not call {@link #prepareToDestroy},
     * and it accepts no tasks in {@link #destroy}. Channels report their close by tasks.
     */
    private final Runnable endOfLoop = this::prepareToDestroy;

    // Used by the event loop.
    private boolean ending;
    /** The {@link System#nanoTime} at which an ending event loop stops waiting for closes. */
    private long closesEnd;

    // Used by the event loop: whether it measures the time of its channels in a run, and this time.
    private boolean timed;
    private long activeNanos;
    /** The {@link System#nanoTime} at which the current turn began to poll. */
    private long turnBegan = System.nanoTime();

    private RdmaIoHandler(ThreadAwareExecutor executor, EndpointSelector selector) {
        this.executor = executor;
        this.selector = selector;
    }

    /**
     * {@return the factory of the handlers, one for each event loop, with the default {@link EndpointConfig#spinLimit}:
     * 200 µs, or zero on a machine with one CPU}
     */
    public static IoHandlerFactory newFactory() {
        return executor -> new RdmaIoHandler(executor, EndpointSelector.open());
    }

    /**
     * Returns the factory of the handlers, one for each event loop.
     *
     * @param spinLimit the longest time for which a loop polls before it sleeps, 0 to 1 s; the time adapts within this
     *     limit.
     *     With zero it sleeps at once, which uses the least CPU time and has the longest latency
     * @return the factory, for {@link io.netty.channel.MultiThreadIoEventLoopGroup}
     * @throws IllegalArgumentException if the limit is negative or longer than a second; thrown by the group
     */
    public static IoHandlerFactory newFactory(Duration spinLimit) {
        Objects.requireNonNull(spinLimit, "spin limit");
        return executor -> new RdmaIoHandler(executor, EndpointSelector.open(spinLimit));
    }

    /**
     * Only delegates. Netty's loop never returns. After the JVM has discarded its compiled code, the loop's calls to
     * the interpreter stay unpatched (HotSpot's fixup_callers_callsite patches only callers that are in use). The next
     * call, from here, is patched.
     */
    @Override
    public int run(IoHandlerContext context) {
        return turn(context);
    }

    private int turn(IoHandlerContext context) {
        turnBegan = System.nanoTime();
        long nanos = context.canBlock() ? context.delayNanos(turnBegan) : 0;
        timed = context.shouldReportActiveIoTime();
        activeNanos = 0;
        try {
            return selector.selectUninterruptibly(turnBegan, Math.min(nanos, LONGEST_SELECT));
        } catch (WaitInterruptedException e) {
            return 0;
        } catch (RuntimeException e) {
            // The loop continues, with a pause in case this fails again at once.
            LOGGER.warn("an event loop could not look for what has come", e);
            LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
            return 0;
        } finally {
            if (Thread.interrupted()) {
                // The flag would also end other waits, such as the wait for closes.
                LOGGER.debug("an event loop was interrupted: end it by shutdownGracefully");
            }
            if (timed) {
                context.reportActiveIoTime(activeNanos);
            }
        }
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            try {
                selector.wakeUp();
            } catch (IllegalStateException e) {
                // The loop has ended.
                LOGGER.trace("nobody to wake up", e);
            }
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof RdmaIoHandle rdma)) {
            throw new IllegalArgumentException(
                    "no channel of RDMA: " + handle.getClass().getName());
        }
        if (registrations.isEmpty() && executor instanceof SingleThreadEventExecutor loop) {
            // Adding it twice is harmless: hooks are a set, and a hook that has run has left it.
            loop.addShutdownHook(endOfLoop);
        }
        Registration registration = new Registration(rdma);
        registrations.add(registration);
        handle.registered();
        return registration;
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType);
    }

    /**
     * Netty calls this in each turn of an ending loop. Channels that are closed here report the close at once, and
     * {@link #destroy} waits for their peers. Until then the loop accepts tasks, and writing threads would fill its
     * queue.
     */
    @Override
    public void prepareToDestroy() {
        if (!ending) {
            ending = true;
            closesEnd = System.nanoTime() + CLOSES_TIMEOUT.toNanos();
        }
        for (Registration registration : List.copyOf(registrations)) {
            try {
                registration.handle.close();
            } catch (Exception e) {
                LOGGER.warn("closing a channel of an event loop that ends", e);
            }
        }
        awaitAll(closes);
    }

    private void awaitAll(Set<Thread> threads) {
        for (Thread close : threads) {
            try {
                close.join(Duration.ofNanos(Math.max(1, closesEnd - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void destroy() {
        prepareToDestroy(); // of a loop that has no hooks
        awaitAll(lastCloses);
        selector.close();
    }

    /**
     * A channel of this event loop. It is itself the selector's handler, because HotSpot inlines at most fifteen nested
     * calls ({@code MaxInlineLevel}), counted from here.
     */
    final class Registration implements IoRegistration, MessageHandler, Consumer<Object> {
        private final RdmaIoHandle handle;
        private final AtomicBoolean valid = new AtomicBoolean(true);
        private Endpoint endpoint;
        private EndpointServer server;

        private Registration(RdmaIoHandle handle) {
            this.handle = handle;
        }

        /** {@return the {@link System#nanoTime} at which the current turn of the loop began to poll} */
        long turnBegan() {
            return turnBegan;
        }

        /** Reports messages, the end and free send slots from now on. Called in the event loop. */
        void watch(Endpoint newEndpoint) {
            endpoint = newEndpoint;
            selector.add(newEndpoint, this, this);
        }

        /** Reports clients from now on. Called in the event loop. */
        void watch(EndpointServer newServer) {
            server = newServer;
            selector.add(newServer, this);
        }

        /** Reports nothing from now on. Called in the event loop. */
        void unwatch() {
            if (endpoint != null) {
                selector.remove(endpoint);
                endpoint = null;
            }
            if (server != null) {
                selector.remove(server);
                server = null;
            }
        }

        @Override
        public void onMessage(Message message) {
            try {
                handle.came(message);
            } catch (Throwable e) {
                failed(e);
            }
        }

        /** The failure of one channel ends neither the loop nor the other channels. */
        private void failed(Throwable why) {
            LOGGER.warn("a channel of RDMA failed, and is closed", why);
            try {
                handle.close();
            } catch (Exception suppressed) {
                LOGGER.warn("it could not be closed", suppressed);
            }
        }

        @Override
        public void accept(Object ready) {
            long start = timed ? System.nanoTime() : 0;
            try {
                handle.ready();
            } catch (Throwable e) {
                failed(e);
            }
            if (timed) {
                activeNanos += System.nanoTime() - start;
            }
        }

        /** {@return whether the event loop ends} In the event loop. */
        boolean isEnding() {
            return ending;
        }

        /** Runs a close in a virtual thread, because it waits for the peer; then it reports to this loop. */
        void closeAside(Runnable close) {
            closeAside(close, closes);
        }

        /** Runs a close in a virtual thread, because it waits for the peer; the event loop ends after it. */
        void closeAtEnd(Runnable close) {
            closeAside(close, lastCloses);
        }

        private void closeAside(Runnable close, Set<Thread> threads) {
            Thread thread = Thread.ofVirtual().name("rdma4j-netty-close").unstarted(() -> {
                try {
                    close.run();
                } finally {
                    threads.remove(Thread.currentThread());
                }
            });
            threads.add(thread);
            thread.start();
        }

        @Override
        @SuppressWarnings("unchecked")
        public <T> T attachment() {
            return (T) this;
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("a channel of RDMA submits nothing");
        }

        @Override
        public boolean isValid() {
            return valid.get();
        }

        @Override
        public boolean cancel() {
            if (!valid.compareAndSet(true, false)) {
                return false;
            }
            if (executor.isExecutorThread(Thread.currentThread())) {
                leave();
            } else {
                executor.execute(this::leave);
            }
            return true;
        }

        private void leave() {
            unwatch();
            if (registrations.remove(this)) {
                handle.unregistered();
            }
        }
    }
}
