// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import io.github.rdma4j.netty.RdmaIoHandler;
import io.github.rdma4j.netty.RdmaServerSocketChannel;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;

/** The two lines in which the measured programs differ. */
enum Transport {
    RDMA(RdmaServerSocketChannel.class, RdmaSocketChannel.class) {
        @Override
        IoHandlerFactory handlers(boolean spins) {
            return spins ? RdmaIoHandler.newFactory() : RdmaIoHandler.newFactory(Duration.ZERO);
        }
    },
    NIO(NioServerSocketChannel.class, NioSocketChannel.class) {
        @Override
        IoHandlerFactory handlers(boolean spins) {
            return NioIoHandler.newFactory();
        }
    },
    /** Netty's own native code for sockets; the build contains the one for x86-64. */
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class) {
        @Override
        IoHandlerFactory handlers(boolean spins) {
            return EpollIoHandler.newFactory();
        }
    };

    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    Transport(Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.server = server;
        this.client = client;
    }

    /**
     * What an event loop runs on.
     *
     * @param spins whether it may spin before it sleeps; event loops of TCP never spin
     */
    abstract IoHandlerFactory handlers(boolean spins);

    Class<? extends ServerChannel> server() {
        return server;
    }

    Class<? extends Channel> client() {
        return client;
    }
}
