// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
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
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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
 * <p><b>Failures.</b> A connect fails with a {@link ConnectException} or {@link ConnectTimeoutException} whose cause
 * has the reason. For a lost connection {@code exceptionCaught} gets a {@link SocketException}, and for a server that
 * breaks the protocol a {@link java.net.ProtocolException}; {@code channelInactive} follows. If the server closes the
 * connection, there is only {@code channelInactive}.
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

    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    /** As the server's default. */
    private static final int RING_BYTES = 1024 * 1024;

    private static final long KEEPALIVE_SECONDS = 3;
    /** The timeout of a program that sets none: every wait must end. */
    private static final Duration LONGEST_CONNECT = Duration.ofHours(1);

    private final ChannelConfig config = new Config(this);
    /** Copies a buffer into {@link #space}; returns whether space is left. */
    private final ChannelOutboundBuffer.MessageProcessor gatherer = this::gather;

    private final Runnable deliverTask = this::deliverLater;

    private volatile ValkeyConnection connection;
    private volatile boolean closed;
    private volatile InetSocketAddress boundTo;

    // Used by the event loop.
    private IoRegistration registration;
    private Thread connecting;
    private ChannelPromise connectPromise;
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
        ((IoEventLoop) eventLoop()).register((ChannelUnsafe) unsafe()).addListener(done -> {
            if (!done.isSuccess()) {
                promise.setFailure(done.cause());
                return;
            }
            registration = (IoRegistration) done.getNow();
            watch();
            promise.setSuccess();
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
                    .scheduleWithFixedDelay(
                            connection::keepAlive, KEEPALIVE_SECONDS, KEEPALIVE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private void unwatch() {
        if (watched) {
            watched = false;
            keepalive.cancel(false);
            at().unwatch();
        }
    }

    // ---- Reading ----

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (connection != null && connection.readable() > 0 && !deliverScheduled) {
            deliverScheduled = true;
            eventLoop().execute(deliverTask);
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
        while (!out.isEmpty()) {
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
        boundTo = internet(localAddress);
    }

    private static InetSocketAddress internet(SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return internet;
    }

    /** Connecting waits for the server, so it runs in a virtual thread. */
    private Thread startConnecting(InetSocketAddress server, InetSocketAddress from) {
        int millis = config.getConnectTimeoutMillis();
        Duration timeout = millis == 0 ? LONGEST_CONNECT : Duration.ofMillis(millis);
        EventLoop loop = eventLoop();
        return Thread.ofVirtual().name("rdma4j-valkey-connect").start(() -> {
            ValkeyConnection made = null;
            Throwable failure = null;
            long end = System.nanoTime() + timeout.toNanos();
            try {
                made = ValkeyConnection.connect(server, from, RING_BYTES, timeout);
            } catch (Throwable e) {
                failure = ofConnect(e, System.nanoTime() - end >= 0);
            }
            ValkeyConnection result = made;
            Throwable cause = failure;
            try {
                loop.execute(() -> finishConnect(result, cause, server));
            } catch (RejectedExecutionException e) {
                if (made != null) {
                    made.close(Duration.ZERO);
                }
            }
        });
    }

    private static Throwable ofConnect(Throwable failure, boolean late) {
        if (failure instanceof VerbsException && late) {
            return with(new ConnectTimeoutException("connection timed out: " + failure.getMessage()), failure);
        }
        if (failure instanceof ConnectionRejectedException) {
            return with(new ConnectException("Connection refused: " + failure.getMessage()), failure);
        }
        return failure instanceof VerbsException ? with(new ConnectException(failure.getMessage()), failure) : failure;
    }

    private static <T extends Throwable> T with(T exception, Throwable cause) {
        exception.initCause(cause);
        return exception;
    }

    private void finishConnect(ValkeyConnection made, Throwable failure, SocketAddress server) {
        ChannelPromise promise = connectPromise;
        connecting = null;
        connectPromise = null;
        if (promise == null) {
            // The attempt was given up.
            if (made != null) {
                closeAside(made, Duration.ZERO);
            }
            return;
        }
        ChannelUnsafe unsafe = (ChannelUnsafe) unsafe();
        if (failure != null) {
            promise.tryFailure(unsafe.annotated(failure, server));
            unsafe.close();
            return;
        }
        connection = made;
        watch();
        boolean wanted = promise.trySuccess();
        pipeline().fireChannelActive();
        if (wanted) {
            unsafe.ready();
        } else {
            unsafe.close();
        }
    }

    private void closeAside(ValkeyConnection made, Duration linger) {
        at().closeAside(() -> made.close(linger));
    }

    private void giveUpConnecting(Throwable cause) {
        if (connecting != null) {
            connecting.interrupt();
            connecting = null;
            connectPromise.tryFailure(cause);
            connectPromise = null;
        }
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
            closeAside(made, LINGER);
        } else {
            made.close(LINGER);
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
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (connection != null) {
                    throw new AlreadyConnectedException();
                }
                if (local != null) {
                    doBind(local);
                }
                connecting = startConnecting(internet(remote), boundTo);
                connectPromise = promise;
                promise.addListener(done -> {
                    if (done.isCancelled()) {
                        close();
                    }
                });
            } catch (Throwable e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
            }
        }

        Throwable annotated(Throwable failure, SocketAddress remote) {
            return failure instanceof ConnectTimeoutException ? failure : annotateConnectException(failure, remote);
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
            giveUpConnecting(new ClosedChannelException());
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
