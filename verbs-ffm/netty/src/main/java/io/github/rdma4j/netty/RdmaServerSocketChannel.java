// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.ConnectAttempt;
import io.github.rdma4j.netty.internal.Failures;
import io.github.rdma4j.netty.internal.LoopChannels;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Accepts {@link RdmaSocketChannel}s at an address of a network interface that has an RDMA device, or at the wildcard
 * address. It is an {@link EndpointServer}. Its {@link RdmaChannelOption}s apply to the channels that it accepts. With
 * {@code AUTO_READ} off, up to {@link io.netty.channel.ChannelOption#SO_BACKLOG} connected clients wait to be read.
 *
 * <p>Thread safety: like Netty's other channels.
 *
 * @since 0.1.0
 */
public final class RdmaServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final RdmaServerSocketChannelConfig config = new RdmaServerSocketChannelConfig(this);
    private volatile EndpointServer server;
    private volatile boolean closed;
    private IoRegistration registration;
    /** Connected clients that were not read yet, like the connections in the kernel's TCP backlog. */
    private final ArrayDeque<Endpoint> backlog = new ArrayDeque<>();

    private boolean readPending;
    private boolean watched;
    /**
     * Whether accepting has failed and the program does not read. The fault may last, so it is not tried in each turn.
     */
    private boolean failed;

    /** Creates a channel that is bound later. */
    public RdmaServerSocketChannel() {}

    @Override
    public ServerSocketChannelConfig config() {
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
        return server != null && !closed;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(ServerUnsafe.class);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        LoopChannels.register(this, (ServerUnsafe) unsafe(), promise, made -> {
            registration = made;
            watchIfRoom();
        });
    }

    @Override
    protected void doDeregister() {
        watched = false;
        if (registration != null) {
            registration.cancel();
        }
    }

    @Override
    protected void doBind(SocketAddress localAddress) throws Exception {
        if (server != null) {
            throw new AlreadyBoundException();
        }
        try {
            server = EndpointServer.bind(ConnectAttempt.internet(localAddress), config.options()::applyTo);
        } catch (VerbsException e) {
            throw Failures.ofBind(e);
        }
        config.options().fix();
        watchIfRoom();
    }

    @Override
    protected void doBeginRead() {
        if (isActive()) {
            readPending = true;
            failed = false;
            watchIfRoom();
            if (!backlog.isEmpty()) {
                eventLoop().execute(this::deliver);
            }
        }
    }

    private void watchIfRoom() {
        boolean wanted = isActive() && !failed && backlog.size() < config.getBacklog();
        if (wanted != watched && registration != null && registration.isValid()) {
            RdmaIoHandler.Registration at = registration.attachment();
            if (wanted) {
                at.watch(server);
            } else {
                at.unwatch();
            }
            watched = wanted;
        }
    }

    /** The program does not want more clients; called by any thread. */
    void clearReadPending() {
        LoopChannels.inLoop(this, () -> readPending = false);
    }

    private void accept() {
        Throwable failure = null;
        try {
            Optional<Endpoint> client = server.accept(Duration.ZERO);
            while (client.isPresent()) {
                backlog.add(client.get());
                client = backlog.size() < config.getBacklog() ? server.accept(Duration.ZERO) : Optional.empty();
            }
        } catch (Throwable e) {
            failure = e;
        }
        deliver();
        if (failure != null && isActive()) {
            // ServerBootstrap's handler then reads nothing for a second.
            pipeline().fireExceptionCaught(failure);
            failed = !readPending && !config.isAutoRead();
        }
        watchIfRoom();
    }

    private void deliver() {
        if (!isActive() || backlog.isEmpty() || !readPending && !config.isAutoRead()) {
            return;
        }
        RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        do {
            handle.incMessagesRead(1);
            readPending = false;
            pipeline().fireChannelRead(new RdmaSocketChannel(this, backlog.remove(), config.options()));
        } while (!backlog.isEmpty() && handle.continueReading());
        handle.readComplete();
        pipeline().fireChannelReadComplete();
        if (!backlog.isEmpty() && isActive() && (readPending || config.isAutoRead())) {
            eventLoop().execute(this::deliver);
        }
        watchIfRoom();
    }

    @Override
    protected void doClose() {
        closed = true;
        if (watched) {
            watched = false;
            registration.<RdmaIoHandler.Registration>attachment().unwatch();
        }
        backlog.forEach(Endpoint::abort);
        backlog.clear();
        if (server != null) {
            server.close();
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    /**
     * Returns why it accepts clients over TCP only, with {@link io.github.rdma4j.verbs.endpoint.Transport#RDMA_OR_TCP};
     * or why the last client that requested RDMA did not get it.
     *
     * @return the failure, with cause and remedy; empty if there was none, and until the channel is bound
     */
    public Optional<RuntimeException> rdmaFailure() {
        return Optional.ofNullable(server).flatMap(EndpointServer::rdmaFailure);
    }

    @Override
    protected SocketAddress localAddress0() {
        EndpointServer bound = server;
        return bound == null || !bound.isOpen() ? null : bound.address();
    }

    /** Receives the calls of Netty and of the event loop. */
    private final class ServerUnsafe extends AbstractUnsafe implements RdmaIoHandle {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("a server does not connect"));
        }

        @Override
        public void ready() {
            if (isActive()) {
                accept();
            }
        }

        @Override
        public void handle(IoRegistration at, IoEvent event) {
            ready();
        }

        @Override
        public void close() {
            close(voidPromise());
        }
    }
}
