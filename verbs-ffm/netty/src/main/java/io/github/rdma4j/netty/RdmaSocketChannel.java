// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.ConnectAttempt;
import io.github.rdma4j.netty.internal.LoopChannels;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Message;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseCombiner;
import io.netty.util.internal.StringUtil;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A byte stream over RDMA for Netty's pipelines, to use instead of {@code NioSocketChannel} with an event loop of
 * {@link RdmaIoHandler}. It is an {@link Endpoint}: it cuts the stream into messages, and a slow reader slows its peer
 * down by credits.
 *
 * <p><b>Copies.</b> Writing copies once, into the send buffers, unless the buffer is from an {@link
 * RdmaByteBufAllocator}. Reading passes on the receive buffer without a copy while handlers hold less than half of the
 * receive buffers. Otherwise, and for up to 512 bytes if a {@link io.netty.channel.RecvByteBufAllocator} proposes less,
 * it copies once. Buffers stay readable after their channel is closed.
 *
 * <p><b>Closing.</b> {@code close} sends the flushed bytes that fitted into the send queue, and notifies the peer; with
 * {@link io.netty.channel.ChannelOption#SO_LINGER} 0 it resets the connection. {@code shutdownOutput} and {@link
 * io.netty.channel.ChannelOption#ALLOW_HALF_CLOSURE} work as in TCP. A lost connection is a {@link
 * java.net.SocketException} whose cause has the reason.
 *
 * <p><b>Options without effect</b>: {@code TCP_NODELAY} and {@code SO_KEEPALIVE}, which are always on, {@code
 * SO_REUSEADDR}, {@code SO_RCVBUF}, {@code SO_SNDBUF}, {@code IP_TOS}. See {@link RdmaChannelOption} for others.
 *
 * <p>Thread safety: like Netty's other channels.
 *
 * @since 0.1.0
 */
public final class RdmaSocketChannel extends AbstractChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    private static final long NANOS_UNTIL_LOOK = TimeUnit.MILLISECONDS.toNanos(100);

    private final RdmaSocketChannelConfig config;
    /** Null until it is connected. */
    private volatile Endpoint endpoint;

    private volatile boolean closed;
    private volatile boolean outputShutdown;
    private volatile InetSocketAddress boundTo;

    /** Whether flushed bytes are sent before the close. Set before the closing thread starts. */
    private volatile boolean graceful;

    // Used by the event loop.
    private ConnectAttempt<Endpoint> connecting;
    private boolean closing;
    private IoRegistration registration;
    /** Null until it is connected; set before the endpoint. */
    private volatile Reading reading;

    /** Null until it is connected; set before the endpoint. */
    private volatile Lending lending;

    /** Whether the program has requested a read before the channel was connected. */
    private boolean readPending;

    private boolean watched;
    private boolean flushWaits;
    private long lastLook = System.nanoTime();
    /** Whether the endpoint was polled in this turn of the event loop and nothing was written since. */
    private boolean polled;

    private boolean endWaits;

    /** Creates a channel that is connected later. */
    public RdmaSocketChannel() {
        super(null);
        this.config = new RdmaSocketChannelConfig(this, new RdmaOptions());
    }

    /** Creates the channel of an accepted client, with the server's options. */
    RdmaSocketChannel(RdmaServerSocketChannel server, Endpoint endpoint, RdmaOptions options) {
        super(server);
        this.config = new RdmaSocketChannelConfig(this, options);
        this.reading = new Reading(this, options.receiveBuffers(), false);
        this.lending = new Lending(endpoint, options.moves());
        this.endpoint = endpoint;
    }

    @Override
    public SocketChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return endpoint != null && !closed;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    /**
     * Returns the current transport, one that {@link RdmaChannelOption#TRANSPORT} allows. It changes only with {@link
     * Transport#RDMA_WITH_FAILOVER}.
     *
     * @return {@link Transport#RDMA} or {@link Transport#TCP}; empty until it is connected
     */
    public Optional<Transport> transport() {
        return Optional.ofNullable(endpoint).map(Endpoint::transport);
    }

    /**
     * Returns why a client with {@link Transport#RDMA_OR_TCP} uses TCP, or why a channel with {@link
     * Transport#RDMA_WITH_FAILOVER} uses TCP now.
     *
     * @return the failure of the connection over RDMA, with cause and remedy; empty over RDMA, before the channel is
     *     connected, and if RDMA was not tried
     */
    public Optional<RuntimeException> rdmaFailure() {
        return Optional.ofNullable(endpoint).flatMap(Endpoint::rdmaFailure);
    }

    /** For tests: the number of messages sent without a copy. */
    long lentMessages() {
        return lending.messages();
    }

    @Override
    protected SocketAddress localAddress0() {
        Endpoint connected = endpoint;
        return connected == null ? boundTo : connected.localAddress().orElse(null);
    }

    @Override
    protected SocketAddress remoteAddress0() {
        Endpoint connected = endpoint;
        return connected == null ? null : connected.peerAddress().orElse(null);
    }

    // ---- The event loop ----

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(SocketUnsafe.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new SocketUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        LoopChannels.register(this, (SocketUnsafe) unsafe(), promise, made -> {
            registration = made;
            watch();
        });
    }

    @Override
    protected void doDeregister() {
        watched = false;
        if (registration != null) {
            registration.cancel();
        }
    }

    private RdmaIoHandler.Registration at() {
        return registration.attachment();
    }

    private void watch() {
        // A channel that is connected while it has no event loop is watched when it gets one.
        if (endpoint != null && registration.isValid() && !reading.isPeerGone()) {
            // Netty asks for these also when the endpoint is closed.
            localAddress();
            remoteAddress();
            at().watch(endpoint);
            watched = true;
        }
    }

    private void unwatch() {
        if (watched) {
            watched = false;
            at().unwatch();
        }
    }

    // ---- Reading ----

    @Override
    protected void doBeginRead() {
        if (reading == null) {
            readPending = true;
        } else {
            reading.begin();
        }
    }

    /** Stops reading until the program requests it again; called by any thread. */
    void clearReadPending() {
        LoopChannels.inLoop(this, this::pauseReading);
    }

    private void pauseReading() {
        readPending = false;
        if (reading != null) {
            reading.pause();
        }
    }

    // ---- Writing ----

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("unsupported message type: " + StringUtil.simpleClassName(message)
                + " (expected: ByteBuf, FileRegion)");
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        lookAtConnection();
        // A listener of a write may close the channel: then the endpoint is the closing thread's.
        for (int attempts = config.getWriteSpinCount(); out.current() != null && !closing; attempts--) {
            if (attempts <= 0) {
                // Other channels have their turn in between.
                LoopChannels.inLoopLater(this, ((SocketUnsafe) unsafe())::flush0);
                return;
            }
            if (Outbound.send(endpoint, lending, out) == Outbound.Result.NOT_NOW) {
                flushWaits = true;
                return;
            }
        }
    }

    /** While a handler blocks the event loop, the loop detects no end of the connection, and a write would be lost. */
    private void lookAtConnection() {
        if (polled) {
            // This is the answer to a message that has just arrived. Reading the clock costs a seventieth of an echo.
            polled = false;
            return;
        }
        long now = System.nanoTime();
        if (now - lastLook > NANOS_UNTIL_LOOK && now - at().turnBegan() > NANOS_UNTIL_LOOK) {
            endpoint.isConnected();
            lastLook = now;
        }
    }

    // ---- Shutting down ----

    @Override
    public boolean isInputShutdown() {
        return !isActive() || reading.isShutDown();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return !isActive() || outputShutdown && reading.isShutDown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inEventLoop(() -> {
            if (isActive()) {
                reading.shutDown();
                promise.setSuccess();
            } else {
                promise.setFailure(notActive());
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inEventLoop(() -> ((SocketUnsafe) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        inEventLoop(() -> {
            PromiseCombiner both = new PromiseCombiner(eventLoop());
            both.add((Future<?>) shutdownOutput());
            both.add((Future<?>) shutdownInput());
            both.finish(promise);
        });
        return promise;
    }

    private void inEventLoop(Runnable task) {
        if (eventLoop().inEventLoop()) {
            task.run();
        } else {
            eventLoop().execute(task);
        }
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        if (!isActive()) {
            throw notActive();
        }
        outputShutdown = true;
        endWaits = !Outbound.sendEnd(endpoint);
    }

    private Exception notActive() {
        return closed ? new ClosedChannelException() : new NotYetConnectedException();
    }

    private void sendEnd() {
        try {
            endWaits = !Outbound.sendEnd(endpoint);
        } catch (Exception e) {
            // The peer is gone, which the reading half reports.
            endWaits = false;
        }
    }

    // ---- Connecting and closing ----

    @Override
    protected void doBind(SocketAddress localAddress) {
        if (boundTo != null || endpoint != null) {
            throw new AlreadyBoundException();
        }
        boundTo = ConnectAttempt.resolved(localAddress);
    }

    private void connected(Endpoint made) {
        reading = new Reading(this, config.options().receiveBuffers(), readPending);
        lending = new Lending(made, config.options().moves());
        endpoint = made;
        watch();
    }

    private void giveUpConnecting() {
        if (connecting != null) {
            connecting.giveUp();
        }
    }

    /** Leaves the endpoint to the closing thread, which waits for the peer. */
    private Executor beginToClose() {
        closing = true;
        giveUpConnecting();
        unwatch();
        if (reading != null) {
            reading.stop();
        }
        graceful = endpoint != null && registration != null && config.getSoLinger() != 0;
        return graceful && !at().isEnding() ? at()::closeAside : null;
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        closed = true;
        if (!closing && reading != null) {
            // A reset, in the event loop.
            reading.stop();
        }
        Endpoint connected = endpoint;
        if (connected == null) {
            giveUpConnecting();
            return;
        }
        if (graceful && eventLoop().inEventLoop()) {
            at().closeAtEnd(() -> closeAndTakeBack(connected));
        } else {
            closeAndTakeBack(connected);
        }
    }

    private void closeAndTakeBack(Endpoint connected) {
        try {
            close(connected);
        } finally {
            lending.takeAllBack();
        }
    }

    private void close(Endpoint connected) {
        if (!graceful) {
            connected.abort();
        } else if (config.getSoLinger() > 0) {
            connected.close(Duration.ofSeconds(config.getSoLinger()));
        } else {
            connected.close();
        }
    }

    /** Receives the calls of Netty and of the event loop. */
    private final class SocketUnsafe extends AbstractUnsafe implements RdmaIoHandle {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            // Cancelling the promise cancels the attempt.
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (endpoint != null) {
                    throw new AlreadyConnectedException();
                }
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (local != null) {
                    doBind(local);
                }
                InetSocketAddress from = boundTo;
                RdmaOptions options = config.options();
                connecting = new ConnectAttempt<>(
                        RdmaSocketChannel.this,
                        promise,
                        config.getConnectTimeoutMillis(),
                        new EndpointConnector(
                                EndpointConnector.servers(ConnectAttempt.resolved(remote), from, options.transport()),
                                settings -> options.applyTo(settings, from)),
                        failure -> annotateConnectException(failure, remote),
                        RdmaSocketChannel.this::connected,
                        Endpoint::abort);
                options.fix();
            } catch (Throwable e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
            }
        }

        @Override
        public void came(Message message) {
            if (!closing && !closed) {
                reading.came(message);
            }
        }

        /** Takes in what has arrived, and continues waiting operations. */
        @Override
        public void ready() {
            if (closing || closed || endpoint == null) {
                return;
            }
            polled = true;
            if (!reading.takeIn(endpoint)) {
                // From now on it would be ready in each select. A later write also reports the end.
                unwatch();
            }
            lending.takeBack();
            if (endWaits) {
                sendEnd();
            }
            if (flushWaits) {
                flushWaits = false;
                flush0();
            }
            reading.goOn();
            polled = false;
        }

        @Override
        public void handle(IoRegistration at, IoEvent event) {
            ready();
        }

        @Override
        protected void flush0() {
            // If bytes wait, the endpoint reports when sending is possible again.
            if (!flushWaits) {
                super.flush0();
            }
        }

        @Override
        protected Executor prepareToClose() {
            return beginToClose();
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }
}
