// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.LoopChannels;
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
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
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

    private final ThreadAwareExecutor executor;
    private final EndpointSelector selector;
    private final LoopChannels channels;

    // Used by the event loop: whether it measures the time of its channels in a run, and this time.
    private boolean timed;
    private long activeNanos;
    /** The {@link System#nanoTime} at which the current turn began to poll. */
    private long turnBegan = System.nanoTime();

    private RdmaIoHandler(ThreadAwareExecutor executor, EndpointSelector selector) {
        this.executor = executor;
        this.selector = selector;
        this.channels = new LoopChannels(executor);
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
            LoopChannels.pauseAfter(e);
            return 0;
        } finally {
            LoopChannels.clearInterrupt();
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
        return channels.add(new Registration(rdma));
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
        return RdmaIoHandle.class.isAssignableFrom(handleType);
    }

    @Override
    public void prepareToDestroy() {
        channels.closeAll();
    }

    @Override
    public void destroy() {
        channels.end();
        selector.close();
    }

    /**
     * A channel of this event loop. It is itself the selector's handler, because HotSpot inlines at most fifteen nested
     * calls ({@code MaxInlineLevel}), counted from here.
     */
    final class Registration extends LoopChannels.Registration implements MessageHandler, Consumer<Object> {
        private final RdmaIoHandle handle;
        private Endpoint endpoint;
        private EndpointServer server;

        private Registration(RdmaIoHandle handle) {
            super(channels, handle);
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

        @Override
        public void unwatch() {
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
    }
}
