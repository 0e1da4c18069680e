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
 * <p>An {@link EndpointSelector} does the work: an event loop has one, which starts no thread. Before the loop sleeps
 * it looks for what comes for a time that it learns ({@link EndpointConfig#spinLimit}). Connecting and closing wait for
 * the peer, so each is done by a virtual thread, which ends with it.
 *
 * <p>Thread safety: as {@link IoHandler} says; a program uses the factory only.
 *
 * @since 0.1.0
 */
public final class RdmaIoHandler implements IoHandler {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(RdmaIoHandler.class);
    private static final long LONGEST_SELECT = TimeUnit.HOURS.toNanos(1);
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);
    /** How long an event loop that ends waits in all for closes: an endpoint's own limit, and some more. */
    private static final Duration CLOSES_TIMEOUT = Duration.ofSeconds(7);

    private final ThreadAwareExecutor executor;
    private final EndpointSelector selector;
    private final Set<Registration> registrations = new HashSet<>();
    /** Their channels report the close in this loop. */
    private final Set<Thread> closes = ConcurrentHashMap.newKeySet();
    /** Their channels have reported the close. */
    private final Set<Thread> lastCloses = ConcurrentHashMap.newKeySet();
    /**
     * A loop that is shut down by a task of its own, without a quiet period, does not call {@link #prepareToDestroy},
     * and in {@link #destroy} it accepts no further tasks, which channels use to report their close.
     */
    private final Runnable endOfLoop = this::prepareToDestroy;

    // Of the event loop.
    private boolean ending;
    /** When an event loop that ends waits for closes no longer, of {@link System#nanoTime}. */
    private long closesEnd;

    // Of the event loop: whether it wants to know how long the channels of a run took, and how long that was.
    private boolean timed;
    private long activeNanos;
    /** When the loop began to look for what has come, of {@link System#nanoTime}. */
    private long turnBegan = System.nanoTime();

    private RdmaIoHandler(ThreadAwareExecutor executor, EndpointSelector selector) {
        this.executor = executor;
        this.selector = selector;
    }

    /**
     * {@return what gives each event loop a handler of its own, with the default of {@link EndpointConfig#spinLimit}:
     * 200 µs, and none on a machine with one processor}
     */
    public static IoHandlerFactory newFactory() {
        return executor -> new RdmaIoHandler(executor, EndpointSelector.open());
    }

    /**
     * Gives each event loop a handler of its own.
     *
     * @param spinLimit how long a loop may look for what comes before it sleeps, 0 to 1 s; within this limit it learns
     *     the time. Zero always sleeps: the least processor time, the longest way to wake up
     * @return the factory, for {@link io.netty.channel.MultiThreadIoEventLoopGroup}
     * @throws IllegalArgumentException if the limit is negative or longer than a second; thrown by the group
     */
    public static IoHandlerFactory newFactory(Duration spinLimit) {
        Objects.requireNonNull(spinLimit, "spin limit");
        return executor -> new RdmaIoHandler(executor, EndpointSelector.open(spinLimit));
    }

    /**
     * Does nothing itself. Netty's loop never returns, and after the JVM has discarded the code that it runs in, a call
     * from there that has gone to the interpreter stays there (HotSpot's fixup_callers_callsite patches only callers
     * that are in use). The next call is patched.
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
            // The loop goes on, and not in a hurry if that comes again at once.
            LOGGER.warn("an event loop could not look for what has come", e);
            LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
            return 0;
        } finally {
            if (Thread.interrupted()) {
                // The flag would end waits that are not meant, such as the one for closes.
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
            // Twice does no harm: hooks are a set, and one that has run has left it.
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
     * Netty calls this in each turn of a loop that ends. Channels that are closed here report the close at once, and
     * {@link #destroy} waits for their peers: until then the loop accepts tasks, and threads that go on writing would
     * fill its queue meanwhile.
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
     * One channel at this event loop. It is the selector's handler itself: HotSpot inlines a chain of calls fifteen
     * deep ({@code MaxInlineLevel}), and here it begins.
     */
    final class Registration implements IoRegistration, MessageHandler, Consumer<Object> {
        private final RdmaIoHandle handle;
        private final AtomicBoolean valid = new AtomicBoolean(true);
        private Endpoint endpoint;
        private EndpointServer server;

        private Registration(RdmaIoHandle handle) {
            this.handle = handle;
        }

        /** {@return when the loop began to look for what has come the last time, of {@link System#nanoTime}} */
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

        /** Runs what waits for the peer and then reports to this loop, in a virtual thread. */
        void closeAside(Runnable close) {
            closeAside(close, closes);
        }

        /** Runs what waits for the peer, in a virtual thread; the event loop ends behind it. */
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
