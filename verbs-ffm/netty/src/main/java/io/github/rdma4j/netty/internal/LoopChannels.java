// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty.internal;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The channels of an event loop, and the threads that close them. Closing waits for the peer, so it runs in virtual
 * threads. Used by the event loop.
 */
public final class LoopChannels {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(LoopChannels.class);
    private static final long PAUSE_AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);
    /** The total time for which an ending event loop waits for closes: a connection's own limit, and some more. */
    private static final Duration CLOSES_TIMEOUT = Duration.ofSeconds(7);

    private final ThreadAwareExecutor executor;
    private final Set<Registration> registrations = new HashSet<>();
    /** The closing threads of channels that will report the close in this loop. */
    private final Set<Thread> closes = ConcurrentHashMap.newKeySet();
    /** The closing threads of channels that have reported the close. */
    private final Set<Thread> lastCloses = ConcurrentHashMap.newKeySet();
    /**
     * A loop that is shut down by one of its tasks, without a quiet period, does not call its handler's {@code
     * prepareToDestroy}, and it accepts no tasks in {@code destroy}. Channels report their close by tasks.
     */
    private final Runnable endOfLoop = this::closeAll;

    private boolean ending;
    /** The {@link System#nanoTime} at which an ending event loop stops waiting for closes. */
    private long closesEnd;

    /** Creates it without channels. */
    public LoopChannels(ThreadAwareExecutor executor) {
        this.executor = executor;
    }

    /**
     * Registers a channel with its event loop.
     *
     * @param registered lets the loop serve the channel
     */
    public static void register(
            Channel channel, IoHandle handle, ChannelPromise promise, Consumer<IoRegistration> registered) {
        ((IoEventLoop) channel.eventLoop()).register(handle).addListener(done -> {
            if (!done.isSuccess()) {
                promise.setFailure(done.cause());
                return;
            }
            IoRegistration registration = (IoRegistration) done.getNow();
            try {
                registered.accept(registration);
            } catch (RuntimeException e) {
                registration.cancel();
                promise.setFailure(Failures.ofUse(e));
                return;
            }
            promise.setSuccess();
        });
    }

    /** Runs a task in the event loop that the channel then has: it may move in between. */
    public static void inLoopLater(Channel channel, Runnable task) {
        EventLoop loop = channel.eventLoop();
        loop.execute(() -> {
            if (channel.eventLoop() == loop) {
                task.run();
            } else {
                inLoopLater(channel, task);
            }
        });
    }

    /** Runs a task in the channel's event loop, at once in that loop or before the channel has one. */
    public static void inLoop(Channel channel, Runnable task) {
        if (channel.isRegistered() && !channel.eventLoop().inEventLoop()) {
            channel.eventLoop().execute(task);
        } else {
            task.run();
        }
    }

    /** Clears the interrupt flag of the event loop. It would also end other waits, such as the wait for closes. */
    public static void clearInterrupt() {
        if (Thread.interrupted()) {
            LOGGER.debug("an event loop was interrupted: end it by shutdownGracefully");
        }
    }

    /** The loop continues after a failure of its handler, with a pause in case the handler fails again at once. */
    public static void pauseAfter(RuntimeException failure) {
        LOGGER.warn("an event loop could not poll its channels", failure);
        LockSupport.parkNanos(PAUSE_AFTER_FAILURE);
    }

    /** {@return the registration, whose channel is now one of this loop} */
    public IoRegistration add(Registration registration) {
        if (registrations.isEmpty() && executor instanceof SingleThreadEventExecutor loop) {
            // Adding it twice is harmless: hooks are a set, and a hook that has run has left it.
            loop.addShutdownHook(endOfLoop);
        }
        registrations.add(registration);
        registration.handle.registered();
        return registration;
    }

    /**
     * Closes all channels, in each turn of an ending loop. Channels that are closed here report the close at once, and
     * {@link #end} waits for their peers. Until then the loop accepts tasks, and writing threads would fill its queue.
     */
    public void closeAll() {
        if (!ending) {
            ending = true;
            closesEnd = System.nanoTime() + CLOSES_TIMEOUT.toNanos();
        }
        List.copyOf(registrations).forEach(Registration::close);
        awaitAll(closes);
    }

    /** Closes all channels, and waits for their peers. */
    public void end() {
        closeAll(); // of a loop that has no hooks
        awaitAll(lastCloses);
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

    /** A channel of this event loop. */
    public abstract static class Registration implements IoRegistration {
        private final LoopChannels channels;
        private final IoHandle handle;
        private final AtomicBoolean valid = new AtomicBoolean(true);

        /** Creates it; {@link LoopChannels#add} follows. */
        protected Registration(LoopChannels channels, IoHandle handle) {
            this.channels = channels;
            this.handle = handle;
        }

        /** Reports nothing from now on. Called in the event loop. */
        public abstract void unwatch();

        /** The failure of one channel ends neither the loop nor the other channels. */
        protected final void failed(Throwable why) {
            LOGGER.warn("a channel failed, and is closed", why);
            close();
        }

        private void close() {
            try {
                handle.close();
            } catch (Exception e) {
                LOGGER.warn("a channel could not be closed", e);
            }
        }

        /** {@return whether the event loop ends} In the event loop. */
        public final boolean isEnding() {
            return channels.ending;
        }

        /** Runs a close in a virtual thread, because it waits for the peer; then it reports to this loop. */
        public final void closeAside(Runnable close) {
            start(close, channels.closes);
        }

        /** Runs a close in a virtual thread, because it waits for the peer; the event loop ends after it. */
        public final void closeAtEnd(Runnable close) {
            start(close, channels.lastCloses);
        }

        private static void start(Runnable close, Set<Thread> threads) {
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
        public final <T> T attachment() {
            return (T) this;
        }

        @Override
        public final long submit(IoOps ops) {
            throw new UnsupportedOperationException("a channel of RDMA submits nothing");
        }

        @Override
        public final boolean isValid() {
            return valid.get();
        }

        @Override
        public final boolean cancel() {
            if (!valid.compareAndSet(true, false)) {
                return false;
            }
            if (channels.executor.isExecutorThread(Thread.currentThread())) {
                leave();
            } else {
                channels.executor.execute(this::leave);
            }
            return true;
        }

        private void leave() {
            unwatch();
            if (channels.registrations.remove(this)) {
                handle.unregistered();
            }
        }
    }
}
