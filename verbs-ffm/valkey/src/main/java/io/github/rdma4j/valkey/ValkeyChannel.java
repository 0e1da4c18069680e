// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.netty.internal.ConnectAttempt;
import io.github.rdma4j.netty.internal.LoopChannels;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.RejectReason;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.StringUtil;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ConnectionPendingException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A client's connection to a Valkey server over RDMA, for Netty's pipelines: the server's own protocol, so the server
 * needs its RDMA module and nothing of this library. Use it instead of {@code NioSocketChannel}, with an event loop of
 * {@link ValkeyIoHandler}.
 *
 * <p><b>Copies.</b> Writing copies once, into registered memory. Reading copies once, out of the ring that the server
 * writes.
 *
 * <p><b>Flow control.</b> If the program does not read, the ring fills, and the server waits. If the server does not
 * read, the channel becomes unwritable.
 *
 * <p><b>Failures.</b> A connect fails like a socket's, with a {@link java.net.ConnectException}, {@link
 * java.net.NoRouteToHostException} or {@link io.netty.channel.ConnectTimeoutException} whose cause has the reason. It
 * fails with a {@link SocketException} if the server closes the connection at once, for example beyond its {@code
 * maxclients}. For a lost connection {@code exceptionCaught} gets a {@link SocketException}; {@code channelInactive}
 * follows. If the server closes the connection, there is only {@code channelInactive}. A server that breaks the
 * protocol causes a {@link java.net.ProtocolException}, also during the connect.
 *
 * <p><b>Names.</b> An unresolved address is resolved with {@link java.net.InetAddress}, outside the event loop. Netty's
 * {@code Bootstrap} resolves names in the event loop, unless {@code disableResolver} is called.
 *
 * <p><b>Closing</b> waits up to 5 s until the server's adapter has what was written. A server executes no command that
 * it has not read when the connection ends: wait for the reply before closing.
 *
 * <p>Socket options are accepted and have no effect. Thread safety: like Netty's other channels.
 *
 * @since 0.1.0
 */
public final class ValkeyChannel extends AbstractChannel {
    static final Duration LINGER = Duration.ofSeconds(5);

    private static final String NO_LISTENER =
            ". A Valkey server listens for RDMA only with --rdma-bind and --rdma-port, besides its TCP port";

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    /** As the server's default. */
    private static final int RING_BYTES = 1024 * 1024;

    private static final long KEEPALIVE_SECONDS = 3;

    private final ChannelConfig config = new Config(this);
    /** Copies a buffer into {@link #space}; returns whether space is left. */
    private final ChannelOutboundBuffer.MessageProcessor gatherer = this::gather;

    private final Runnable deliverTask = this::deliverLater;

    private volatile ValkeyConnection connection;
    private volatile boolean closed;
    private volatile InetSocketAddress boundTo;

    // Used by the event loop.
    private IoRegistration registration;
    private ConnectAttempt<ValkeyConnection> connecting;
    private boolean closing;
    private boolean readPending;
    private boolean deliverScheduled;
    private boolean flushWaits;
    private boolean watched;
    private ByteBuffer space;
    private Future<?> keepalive;

    /** Creates a channel that is connected later. */
    public ValkeyChannel() {
        super(null);
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return !closed;
    }

    @Override
    public boolean isActive() {
        return connection != null && !closed;
    }

    @Override
    protected SocketAddress localAddress0() {
        ValkeyConnection made = connection;
        return made == null ? boundTo : made.localAddress();
    }

    @Override
    protected SocketAddress remoteAddress0() {
        ValkeyConnection made = connection;
        return made == null ? null : made.serverAddress();
    }

    // ---- The event loop ----

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(ChannelUnsafe.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ChannelUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        LoopChannels.register(this, (ChannelUnsafe) unsafe(), promise, made -> {
            registration = made;
            watch();
        });
    }

    @Override
    protected void doDeregister() {
        unwatch();
        if (registration != null) {
            registration.cancel();
        }
    }

    private ValkeyIoHandler.Registration at() {
        return registration.attachment();
    }

    private void watch() {
        if (isActive() && registration.isValid()) {
            // Netty asks for these also when the connection is closed.
            localAddress();
            remoteAddress();
            at().watch(connection);
            watched = true;
            keepalive = eventLoop()
                    .scheduleWithFixedDelay(this::keepAlive, KEEPALIVE_SECONDS, KEEPALIVE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void unwatch() {
        if (watched) {
            watched = false;
            keepalive.cancel(false);
            at().unwatch();
        }
    }

    private void keepAlive() {
        connection.keepAlive();
        // If it has failed, nothing else may happen on the connection.
        ((ChannelUnsafe) unsafe()).ready();
    }

    // ---- Reading ----

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (connection != null && connection.readable() > 0 && !deliverScheduled) {
            deliverScheduled = true;
            LoopChannels.inLoopLater(this, deliverTask);
        }
    }

    private void deliverLater() {
        deliverScheduled = false;
        ((ChannelUnsafe) unsafe()).ready();
    }

    private void deliver() {
        RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        do {
            ByteBuf bytes = handle.allocate(alloc());
            handle.attemptedBytesRead(bytes.writableBytes());
            handle.lastBytesRead(connection.read(bytes));
            handle.incMessagesRead(1);
            readPending = false;
            pipeline().fireChannelRead(bytes);
        } while (!closing && connection.readable() > 0 && handle.continueReading());
        handle.readComplete();
        pipeline().fireChannelReadComplete();
    }

    // ---- Writing ----

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf) {
            return message;
        }
        throw new UnsupportedOperationException(
                "unsupported message type: %s (expected: ByteBuf)".formatted(StringUtil.simpleClassName(message)));
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        if (connection.failure() != null) {
            throw connection.failure();
        }
        if (connection.isDisconnected()) {
            throw new SocketException("Broken pipe: the server has closed the connection");
        }
        // A listener of a write may close the channel: then the connection is the closing thread's.
        while (!out.isEmpty() && !closing) {
            space = connection.sendSpace();
            if (!space.hasRemaining()) {
                flushWaits = true;
                return;
            }
            int from = space.position();
            out.forEachFlushedMessage(gatherer);
            int length = space.position() - from;
            if (length > 0) {
                connection.send(length);
            }
            out.removeBytes(length);
        }
    }

    private boolean gather(Object message) {
        ByteBuf buffer = (ByteBuf) message;
        int end = space.limit();
        space.limit(Math.min(end, space.position() + buffer.readableBytes()));
        buffer.getBytes(buffer.readerIndex(), space);
        space.limit(end);
        return space.hasRemaining();
    }

    // ---- Connecting and closing ----

    @Override
    protected void doBind(SocketAddress localAddress) {
        boundTo = ConnectAttempt.resolved(localAddress);
    }

    /** A failed write ends the connection: the protocol has no half-closed connections. */
    @Override
    protected void doShutdownOutput() {
        unsafe().close(voidPromise());
    }

    private void connected(ValkeyConnection made) {
        connection = made;
        watch();
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        closed = true;
        ValkeyConnection made = connection;
        if (made == null) {
            return;
        }
        if (eventLoop().inEventLoop()) {
            // The loop ends: it waits for the closes of all channels together.
            at().closeAtEnd(() -> made.close(LINGER));
        } else {
            made.close(LINGER);
        }
    }

    private static ValkeyConnection connect(InetSocketAddress server, InetSocketAddress from, Duration timeout)
            throws IOException {
        try {
            return ValkeyConnection.connect(server, from, RING_BYTES, timeout);
        } catch (ConnectionRejectedException e) {
            if (e.reason() != RejectReason.INVALID_SERVICE_ID) {
                throw e;
            }
            ConnectException refused = new ConnectException("Connection refused: " + e.getMessage() + NO_LISTENER);
            refused.initCause(e);
            throw refused;
        }
    }

    /** Receives the calls of Netty and of the event loop. */
    private final class ChannelUnsafe extends AbstractUnsafe implements ValkeyIoHandler.Handle {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connection != null) {
                    throw new AlreadyConnectedException();
                }
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (local != null) {
                    doBind(local);
                }
                InetSocketAddress server = ConnectAttempt.internet(remote);
                InetSocketAddress from = boundTo;
                connecting = new ConnectAttempt<>(
                        ValkeyChannel.this,
                        promise,
                        config.getConnectTimeoutMillis(),
                        timeout -> ValkeyChannel.connect(server, from, timeout),
                        failure -> annotateConnectException(failure, remote),
                        ValkeyChannel.this::connected,
                        made -> at().closeAside(() -> made.close(Duration.ZERO)));
            } catch (Throwable e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
            }
        }

        @Override
        public void ready() {
            if (closing || !isActive()) {
                return;
            }
            if (connection.readable() > 0 && (readPending || config.isAutoRead())) {
                deliver();
            }
            if (closing) {
                return;
            }
            IOException failure = connection.failure();
            if (failure != null) {
                pipeline().fireExceptionCaught(failure);
                close();
            } else if (connection.isDisconnected()) {
                if (connection.readable() == 0) {
                    close();
                }
            } else if (flushWaits) {
                flushWaits = false;
                super.flush0();
            }
        }

        @Override
        public void handle(IoRegistration at, IoEvent event) {
            ready();
        }

        @Override
        protected void flush0() {
            // If bytes wait, the event loop continues when there is space.
            if (!flushWaits) {
                super.flush0();
            }
        }

        @Override
        protected Executor prepareToClose() {
            closing = true;
            if (connecting != null) {
                connecting.giveUp();
            }
            unwatch();
            return connection != null && !at().isEnding() ? at()::closeAside : null;
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }

    /** Accepts the options of sockets, so that clients need not know what they run on. */
    private static final class Config extends DefaultChannelConfig {
        Config(ValkeyChannel channel) {
            super(channel);
        }

        @Override
        protected void autoReadCleared() {
            LoopChannels.inLoop(channel, () -> ((ValkeyChannel) channel).readPending = false);
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            validate(option, value);
            boolean ofSockets = option == ChannelOption.SO_KEEPALIVE
                    || option == ChannelOption.TCP_NODELAY
                    || option == ChannelOption.SO_REUSEADDR
                    || option == ChannelOption.SO_LINGER
                    || option == ChannelOption.SO_RCVBUF
                    || option == ChannelOption.SO_SNDBUF;
            return ofSockets || super.setOption(option, value);
        }
    }
}
