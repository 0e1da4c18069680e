// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Echoes over TCP: what one read has brought goes back with one write. */
final class TcpEchoServer extends EchoServer {
    private static final int BACKLOG = 128;
    private static final long LOOK_MILLISECONDS = 1000;

    private final EchoSetting setting;
    private final ServerSocketChannel server;
    private final Selector selector;
    private final List<FramedChannel> channels = new ArrayList<>();
    private final Consumer<SelectionKey> handler = this::handle;

    /** One client. */
    private record Client(FramedChannel channel, FramedChannel.Handler answer, SelectionKey key) {
        void serve() {
            try {
                boolean open = !key.isReadable() || channel.read(answer);
                boolean sent = channel.flush();
                while (sent && channel.handOut(answer)) {
                    sent = channel.flush();
                }
                // While answers wait for room, nothing more is read: the client is slowed down.
                key.interestOps(sent ? SelectionKey.OP_READ : SelectionKey.OP_WRITE);
                if (!open) {
                    channel.closeQuietly();
                }
            } catch (IOException _) {
                // The client is gone, or has sent an invalid message.
                channel.closeQuietly();
            }
        }
    }

    TcpEchoServer(EchoSetting setting) {
        this.setting = setting;
        try {
            server = ServerSocketChannel.open();
            selector = Selector.open();
        } catch (IOException failure) {
            throw taken(setting, failure.getMessage());
        }
        try {
            server.bind(new InetSocketAddress(setting.address(), setting.port()), BACKLOG);
            server.configureBlocking(false);
            server.register(selector, SelectionKey.OP_ACCEPT);
        } catch (IOException failure) {
            release();
            throw taken(setting, failure.getMessage());
        }
    }

    private void handle(SelectionKey key) {
        if (key.attachment() instanceof Client client) {
            client.serve();
        } else {
            accept();
        }
    }

    private void accept() {
        try {
            SocketChannel socket = server.accept();
            if (socket != null) {
                FramedChannel channel = new FramedChannel(socket, setting.size());
                channels.add(channel);
                SelectionKey key = socket.register(selector, SelectionKey.OP_READ);
                key.attach(new Client(channel, channel::append, key));
            }
        } catch (IOException failure) {
            throw new RunFailedException("no TCP connection could be accepted: " + failure.getMessage(), "");
        }
    }

    @Override
    public int port() {
        return server.socket().getLocalPort();
    }

    @Override
    void serve() {
        try {
            selector.select(handler, LOOK_MILLISECONDS);
        } catch (IOException failure) {
            throw new RunFailedException("the TCP server failed: " + failure.getMessage(), "");
        }
    }

    @Override
    void wakeUp() {
        selector.wakeup();
    }

    @Override
    void release() {
        try {
            server.close();
            channels.forEach(FramedChannel::closeQuietly);
            selector.close();
        } catch (IOException _) {
            // The channel is not needed any more.
        }
    }
}
