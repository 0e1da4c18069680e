// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** TCP connections of a client, served by a {@link Selector}. */
final class TcpChannels implements Channels {
    /** One connection of the client. */
    private final class Connection {
        private final FramedChannel channel;
        private final SelectionKey key;
        private final FramedChannel.Handler handler;
        private boolean changed;

        Connection(SocketChannel socket, int number, int size) throws IOException {
            channel = new FramedChannel(socket, size);
            handler = message -> {
                receiver.received(number, message);
                return true;
            };
            key = socket.register(selector, SelectionKey.OP_READ, this);
        }

        void flush() throws IOException {
            key.interestOps(SelectionKey.OP_READ | (channel.flush() ? 0 : SelectionKey.OP_WRITE));
        }

        void take() throws IOException {
            if (key.isWritable()) {
                flush();
            }
            if (key.isReadable() && !channel.read(handler)) {
                throw RunFailedException.ofLostPeer(
                        "the server has closed a TCP connection in the middle of the run", "see what it has printed");
            }
        }
    }

    private final Selector selector;
    private final List<Connection> connections = new ArrayList<>();
    private final List<Connection> changed = new ArrayList<>();
    private final Consumer<SelectionKey> taker = this::take;
    private Receiver receiver;

    /**
     * Connects.
     *
     * @param limit how long each connection may take
     */
    TcpChannels(EchoSetting setting, Duration limit) {
        try {
            selector = Selector.open();
        } catch (IOException failure) {
            throw broken(failure);
        }
        try {
            for (int i = 0; i < setting.connections(); i++) {
                connect(setting, limit);
            }
        } catch (IOException failure) {
            close();
            throw new RunFailedException(
                    "no TCP connection to " + setting.address() + ", port " + setting.port() + ": "
                            + failure.getMessage(),
                    "");
        }
    }

    private void connect(EchoSetting setting, Duration limit) throws IOException {
        SocketChannel socket = SocketChannel.open();
        try {
            socket.socket()
                    .connect(
                            new InetSocketAddress(setting.address(), setting.port()),
                            Math.toIntExact(limit.toMillis()));
            connections.add(new Connection(socket, connections.size(), setting.size()));
        } catch (IOException failure) {
            socket.close();
            throw failure;
        }
    }

    private static RunFailedException broken(IOException failure) {
        return RunFailedException.ofLostPeer(
                "a TCP connection broke: " + failure.getMessage(),
                "see what the server has printed, and whether its process was killed");
    }

    @Override
    public int connections() {
        return connections.size();
    }

    @Override
    public boolean trySend(int connection, MemorySegment message) {
        Connection one = connections.get(connection);
        if (!one.channel.append(message)) {
            return false;
        }
        if (!one.changed) {
            one.changed = true;
            changed.add(one);
        }
        return true;
    }

    @Override
    public void flush() {
        try {
            for (int i = 0; i < changed.size(); i++) {
                changed.get(i).changed = false;
                changed.get(i).flush();
            }
            changed.clear();
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    /** A selector counts in milliseconds, so the rest of a millisecond is polled. */
    @Override
    public void takeIn(long nanoseconds, Receiver hearer) {
        receiver = hearer;
        long milliseconds = TimeUnit.NANOSECONDS.toMillis(nanoseconds);
        try {
            if (milliseconds > 0) {
                selector.select(taker, milliseconds);
            } else {
                long end = System.nanoTime() + nanoseconds;
                while (selector.selectNow(taker) == 0 && System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    private void take(SelectionKey key) {
        try {
            ((Connection) key.attachment()).take();
        } catch (IOException failure) {
            throw broken(failure);
        }
    }

    @Override
    public void close() {
        try {
            connections.forEach(one -> one.channel.closeQuietly());
            selector.close();
        } catch (IOException _) {
            // The channel is not needed any more.
        }
    }
}
