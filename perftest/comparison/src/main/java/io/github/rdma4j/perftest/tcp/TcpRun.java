// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.tcp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * A test over plain TCP, as a good Java program would use it: an NIO channel, direct buffers, TCP_NODELAY. Latency is a
 * ping-pong; bandwidth is a stream of messages, over when the server has confirmed the last one.
 */
public final class TcpRun {
    private final TcpParameters run;

    private TcpRun(TcpParameters run) {
        this.run = run;
    }

    /**
     * Is the server of one run.
     *
     * @param listening called when a client can connect
     * @throws TcpException when it fails or takes too long
     */
    public static void serve(TcpParameters run, Runnable listening) {
        TcpRun test = new TcpRun(run);
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            test.limited(server, () -> {
                server.bind(new InetSocketAddress(run.address(), run.port()));
                listening.run();
                try (SocketChannel channel = server.accept()) {
                    return test.limited(channel, () -> test.serve(channel));
                }
            });
        } catch (IOException failure) {
            throw test.broken(failure);
        }
    }

    /**
     * Is the client of one run.
     *
     * @return times in nanoseconds, ascending: of latency, when each message was sent; of bandwidth, when the first one
     *     was sent and when all had arrived
     * @throws TcpException when it fails or takes too long
     */
    public static long[] measure(TcpParameters run) {
        TcpRun test = new TcpRun(run);
        try (SocketChannel channel = SocketChannel.open()) {
            return test.limited(channel, () -> {
                channel.connect(new InetSocketAddress(run.address(), run.port()));
                return test.measure(channel);
            });
        } catch (IOException failure) {
            throw test.broken(failure);
        }
    }

    private interface Side {
        long[] play() throws IOException;
    }

    private long[] limited(Channel channel, Side side) {
        try (ChannelLimit limit = new ChannelLimit(channel, limit())) {
            try {
                return side.play();
            } catch (IOException failure) {
                throw limit.isOver() ? late(failure) : broken(failure);
            }
        }
    }

    private long[] serve(SocketChannel channel) throws IOException {
        MessageLoop loop = prepare(channel);
        check(run.latency() ? loop.answer(run.iterations()) : loop.drain(run.iterations()));
        if (!run.latency()) {
            new MessageLoop(channel, 1).send();
        }
        return new long[0];
    }

    private long[] measure(SocketChannel channel) throws IOException {
        MessageLoop loop = prepare(channel);
        if (run.latency()) {
            long[] stamps = new long[run.iterations()];
            check(loop.ask(stamps));
            return stamps;
        }
        MessageLoop confirmation = new MessageLoop(channel, 1);
        long begin = System.nanoTime();
        loop.stream(run.iterations());
        check(confirmation.receive() ? run.iterations() : 0);
        return new long[] {begin, System.nanoTime()};
    }

    private MessageLoop prepare(SocketChannel channel) throws IOException {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(!run.spin());
        return new MessageLoop(channel, run.size());
    }

    private void check(int done) {
        if (done < run.iterations()) {
            throw new TcpException(
                    "the other side closed the TCP connection after " + done + " of " + run.iterations() + " messages",
                    "",
                    null);
        }
    }

    private Duration limit() {
        return Duration.ofSeconds(run.timeoutSeconds());
    }

    private TcpException late(IOException cause) {
        return new TcpException(
                "the TCP run did not end within " + run.timeoutSeconds() + " s", "give it more time: --timeout", cause);
    }

    private TcpException broken(IOException cause) {
        return new TcpException(
                "TCP at " + run.address() + ", port " + run.port() + ": " + cause.getMessage(), "", cause);
    }
}
