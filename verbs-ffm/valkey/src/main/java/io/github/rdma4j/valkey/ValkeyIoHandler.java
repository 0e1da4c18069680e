// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.netty.internal.LoopChannels;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.EventSource;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets an event loop serve {@link ValkeyChannel}s:
 *
 * <pre>{@code
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, ValkeyIoHandler.newFactory());
 * }</pre>
 *
 * <p>A loop polls the completion queues of its channels. Before it sleeps, it spins for a limited time.
 *
 * <p>Thread safety: see {@link IoHandler}. Programs use only the factory, from any thread.
 *
 * @since 0.1.0
 */
public final class ValkeyIoHandler implements IoHandler {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ValkeyIoHandler.class);
    private static final Duration DEFAULT_SPIN = Duration.ofNanos(50_000);
    private static final Duration LONGEST_SPIN = Duration.ofSeconds(1);
    private static final long LONGEST_SLEEP = TimeUnit.HOURS.toNanos(1);
    private static final long EVENT_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int AWAKE = 0;
    private static final int ASLEEP = 1;
    private static final int WOKEN = 2;

    private final ThreadAwareExecutor executor;
    private final long spinNanos;
    private final EventPoller poller = EventPoller.open();
    private final AtomicInteger state = new AtomicInteger();
    private final LoopChannels channels;

    // Used by the event loop.
    private final Map<EventSource, Registration> sources = new IdentityHashMap<>();
    /** Never changed, only replaced. */
    private Registration[] watched = {};

    private long lastCheck = System.nanoTime();

    private ValkeyIoHandler(ThreadAwareExecutor executor, Duration spinLimit) {
        if (spinLimit.isNegative() || spinLimit.compareTo(LONGEST_SPIN) > 0) {
            throw new IllegalArgumentException("a spin limit of %s: use 0 to 1 s".formatted(spinLimit));
        }
        this.executor = executor;
        this.channels = new LoopChannels(executor);
        this.spinNanos = spinLimit.toNanos();
    }

    /**
     * {@return the factory of the handlers, one for each event loop, which spin for at most 50 µs before they sleep, or
     * not at all on a machine with one CPU}
     */
    public static IoHandlerFactory newFactory() {
        return newFactory(Runtime.getRuntime().availableProcessors() > 1 ? DEFAULT_SPIN : Duration.ZERO);
    }

    /**
     * Returns the factory of the handlers, one for each event loop.
     *
     * @param spinLimit the time for which a loop polls before it sleeps, 0 to 1 s
     * @return the factory, for {@link io.netty.channel.MultiThreadIoEventLoopGroup}, which throws an
     *     {@link IllegalArgumentException} if the limit is out of range
     */
    public static IoHandlerFactory newFactory(Duration spinLimit) {
        return executor -> new ValkeyIoHandler(executor, spinLimit);
    }

    @Override
    public int run(IoHandlerContext context) {
        // Before Netty looks for tasks: a later task finds the loop awake, and sets WOKEN.
        state.set(AWAKE);
        long start = System.nanoTime();
        long sleep = context.canBlock() ? Math.min(context.delayNanos(start), LONGEST_SLEEP) : 0;
        try {
            return turn(context, start, sleep);
        } catch (RuntimeException e) {
            LoopChannels.pauseAfter(e);
            return 0;
        } finally {
            LoopChannels.clearInterrupt();
        }
    }

    private int turn(IoHandlerContext context, long start, long sleep) {
        int count = poll(context);
        if (count > 0 || sleep <= 0) {
            if (start - lastCheck > EVENT_CHECK_NANOS) {
                lastCheck = start;
                poller.select(start, 0, this::happened);
            }
            return count;
        }
        long spin = Math.min(spinNanos, sleep);
        while (System.nanoTime() - start < spin) {
            count = poll(context);
            if (count > 0 || state.get() == WOKEN) {
                return count;
            }
            Thread.onSpinWait();
        }
        for (Registration one : watched) {
            one.arm();
        }
        count = poll(context);
        if (count > 0 || !state.compareAndSet(AWAKE, ASLEEP)) {
            return count;
        }
        try {
            long now = System.nanoTime();
            lastCheck = now;
            poller.selectUninterruptibly(now, start + sleep - now, this::happened);
        } finally {
            state.set(AWAKE);
        }
        return poll(context);
    }

    private int poll(IoHandlerContext context) {
        int all = 0;
        boolean timed = context.shouldReportActiveIoTime();
        long start = timed ? System.nanoTime() : 0;
        for (Registration one : watched) {
            all += one.poll();
        }
        if (timed && all > 0) {
            context.reportActiveIoTime(System.nanoTime() - start);
        }
        return all;
    }

    private void happened(EventSource source) {
        Registration registration = sources.get(source);
        if (registration != null) {
            registration.happened(source);
        }
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread()) && state.getAndSet(WOKEN) == ASLEEP) {
            try {
                poller.wakeUp();
            } catch (IllegalStateException e) {
                // The loop has ended.
                LOGGER.trace("nobody to wake up", e);
            }
        }
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof Handle ours)) {
            throw new IllegalArgumentException(
                    "no ValkeyChannel: " + handle.getClass().getName());
        }
        return channels.add(new Registration(ours));
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return Handle.class.isAssignableFrom(handleType);
    }

    @Override
    public void prepareToDestroy() {
        channels.closeAll();
    }

    @Override
    public void destroy() {
        channels.end();
        poller.close();
    }

    /** A channel, as its event loop sees it. */
    interface Handle extends IoHandle {
        /** Continues what waits for the connection. Called by the event loop. */
        void ready();
    }

    /** A channel of this event loop, whose methods are called in the loop. */
    final class Registration extends LoopChannels.Registration {
        private final Handle handle;
        private ValkeyConnection connection;

        private Registration(Handle handle) {
            super(channels, handle);
            this.handle = handle;
        }

        /** Polls the connection from now on. */
        void watch(ValkeyConnection made) {
            connection = made;
            sources.put(made.completionChannel(), this);
            sources.put(made.events(), this);
            poller.add(made.completionChannel());
            poller.add(made.events());
            watched = Arrays.copyOf(watched, watched.length + 1);
            watched[watched.length - 1] = this;
        }

        @Override
        public void unwatch() {
            if (connection != null) {
                poller.remove(connection.completionChannel());
                poller.remove(connection.events());
                sources.remove(connection.completionChannel());
                sources.remove(connection.events());
                connection = null;
                watched = Arrays.stream(watched).filter(one -> one != this).toArray(Registration[]::new);
            }
        }

        private void arm() {
            try {
                if (connection != null) {
                    connection.arm();
                }
            } catch (Throwable e) {
                failed(e);
            }
        }

        private int poll() {
            ValkeyConnection polled = connection;
            if (polled == null) {
                // An earlier one of this turn has closed it.
                return 0;
            }
            try {
                int count = polled.poll();
                if (count > 0) {
                    handle.ready();
                }
                return count;
            } catch (Throwable e) {
                failed(e);
                return 1;
            }
        }

        private void happened(EventSource source) {
            try {
                if (source == connection.events()) {
                    connection.takeEvents();
                    connection.poll();
                    handle.ready();
                } else {
                    connection.takeNotification();
                }
            } catch (Throwable e) {
                failed(e);
            }
        }
    }
}
