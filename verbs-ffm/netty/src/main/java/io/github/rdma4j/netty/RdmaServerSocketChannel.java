// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

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
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.Optional;

/**
 * Accepts {@link RdmaSocketChannel}s at an address of a network interface that has an RDMA device, or at the wildcard
 * address. It is an {@link EndpointServer}. {@link RdmaChannelOption}s that are set here hold for what it accepts.
 *
 * <p>Thread safety: that of Netty's channels.
 *
 * @since 0.1.0
 */
public final class RdmaServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final RdmaServerSocketChannelConfig config = new RdmaServerSocketChannelConfig(this);
    private volatile EndpointServer server;
    private volatile boolean closed;
    private IoRegistration registration;
    private boolean readPending;
    private boolean watched;

    /** Makes a channel that is bound later. */
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
        ((IoEventLoop) eventLoop()).register((ServerUnsafe) unsafe()).addListener(done -> {
            if (done.isSuccess()) {
                registration = (IoRegistration) done.getNow();
                promise.setSuccess();
            } else {
                promise.setFailure(done.cause());
            }
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
        if (!(localAddress instanceof InetSocketAddress address)) {
            throw new UnsupportedAddressTypeException();
        }
        try {
            server = EndpointServer.bind(address, config.options()::applyTo);
        } catch (VerbsException e) {
            throw Failures.ofBind(e);
        }
    }

    @Override
    protected void doBeginRead() {
        if (server != null && !closed) {
            readPending = true;
            watch(true);
        }
    }

    private void watch(boolean wanted) {
        if (wanted != watched && registration.isValid()) {
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
        if (!isRegistered()) {
            readPending = false;
        } else if (eventLoop().inEventLoop()) {
            readPending = false;
            watch(false);
        } else {
            eventLoop().execute(() -> {
                readPending = false;
                watch(false);
            });
        }
    }

    private void accept() {
        RecvByteBufAllocator.Handle handle = unsafe().recvBufAllocHandle();
        handle.reset(config);
        Throwable failure = null;
        try {
            do {
                Optional<Endpoint> client = server.accept(Duration.ZERO);
                if (client.isEmpty()) {
                    break;
                }
                handle.incMessagesRead(1);
                readPending = false;
                pipeline().fireChannelRead(new RdmaSocketChannel(this, client.get(), config.options().receiveBuffers()));
            } while (handle.continueReading());
        } catch (Throwable e) {
            failure = e;
        }
        handle.readComplete();
        pipeline().fireChannelReadComplete();
        if (failure != null && !closed) {
            pipeline().fireExceptionCaught(failure);
        }
        if (!readPending && !config.isAutoRead() && !closed) {
            watch(false);
        }
    }

    @Override
    protected void doClose() {
        closed = true;
        if (watched) {
            watched = false;
            registration.<RdmaIoHandler.Registration>attachment().unwatch();
        }
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

    @Override
    protected SocketAddress localAddress0() {
        EndpointServer bound = server;
        return bound == null || !bound.isOpen() ? null : bound.address();
    }

    /** What Netty and the event loop call. */
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
