// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Like {@link Connects}, with channels of Netty: connect, send a word, receive its echo, close, repeatedly. Each
 * attempt must end within its timeouts, and each failure must be an {@link IOException}. After the wire has been
 * restored, one must succeed; a refusal is the end, because the server does not listen any more.
 */
final class NettyConnects {
    static final int CONNECT_MILLIS = 4_000;
    static final int SILENCE_MILLIS = 3_000;
    /** An endpoint's own timeout is five seconds. */
    private static final int CLOSE_MILLIS = 5_000;

    private static final long WORD = 1;
    private static final long LAST = 2;

    private final long lengthMillis;
    private final Attempts attempts = new Attempts();
    private boolean refused;

    /** @param lengthMillis how long to go on */
    NettyConnects(long lengthMillis) {
        this.lengthMillis = lengthMillis;
    }

    // ---- The client ----

    /** {@return the client's results: attempts as sent, successes as received} */
    EndReport client(Bootstrap bootstrap, InetSocketAddress server) throws InterruptedException {
        boolean done = false;
        while (!done && !refused && attempts.isGood() && attempts.elapsed() < lengthMillis + Attempts.RECOVERY_MILLIS) {
            boolean last = attempts.elapsed() >= lengthMillis;
            done = attempt(bootstrap, server, last ? LAST : WORD) && last;
        }
        return attempts.report(0, done);
    }

    private boolean attempt(Bootstrap bootstrap, InetSocketAddress server, long word) throws InterruptedException {
        attempts.made++;
        Answer answer = new Answer();
        ChannelFuture connecting = bootstrap.clone().handler(answer).connect(server);
        Channel channel = connecting.channel();
        if (!isOver(connecting, CONNECT_MILLIS)) {
            attempts.hung = "connecting";
            return false;
        }
        if (!connecting.isSuccess()) {
            fail(connecting.cause());
            if (!isOver(channel.closeFuture(), CLOSE_MILLIS)) {
                attempts.hung = "the close of a channel that was not connected";
            }
            return false;
        }
        channel.writeAndFlush(channel.alloc().directBuffer(Long.BYTES).writeLong(word))
                .addListener(written -> {
                    if (!written.isSuccess()) {
                        answer.word.completeExceptionally(written.cause());
                    }
                });
        boolean received = false;
        try {
            received = answer.word.get(SILENCE_MILLIS + Attempts.SLACK_MILLIS, TimeUnit.MILLISECONDS) == word;
            if (received) {
                attempts.successes++;
            } else {
                attempts.wrong = "another word came back";
            }
        } catch (ExecutionException e) {
            fail(e.getCause());
        } catch (TimeoutException e) {
            attempts.hung = "an answer";
        }
        if (!isOver(channel.close(), CLOSE_MILLIS)) {
            attempts.hung = "closing";
        }
        return received;
    }

    private static boolean isOver(ChannelFuture future, int limitMillis) throws InterruptedException {
        return future.await(limitMillis + Attempts.SLACK_MILLIS);
    }

    private void fail(Throwable cause) {
        String text = cause.getClass().getSimpleName() + ": " + cause.getMessage();
        if (cause instanceof IOException) {
            attempts.fail(text);
            refused = cause instanceof ConnectException
                    && String.valueOf(cause.getMessage()).startsWith("Connection refused");
        } else {
            attempts.wrong = text;
        }
    }

    /** Receives the word, or the end of the connection. */
    private static final class Answer extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Long> word = new CompletableFuture<>();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                word.complete(bytes.readableBytes() == Long.BYTES ? bytes.readLong() : 0);
            } finally {
                bytes.release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            word.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            word.completeExceptionally(new IllegalStateException("the server closed before it had answered"));
        }
    }

    // ---- The server ----

    /** The handler of the server's channels, shared by all of them. */
    @Sharable
    static final class Repeat extends ChannelInboundHandlerAdapter {
        private final CompletableFuture<Void> done = new CompletableFuture<>();
        // Of the event loop.
        private long connections;
        private long words;
        private Channel last;
        private String wrong = "";

        @Override
        public void channelActive(ChannelHandlerContext context) {
            connections++;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            words++;
            if (bytes.readableBytes() == Long.BYTES && bytes.getLong(bytes.readerIndex()) == LAST) {
                last = context.channel();
            }
            context.writeAndFlush(message);
        }

        /** The wire is cut. The exception that the client got is what counts. */
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!(cause instanceof IOException)) {
                wrong = cause.toString();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (context.channel() == last) {
                done.complete(null);
            }
        }

        /** {@return the server's results: connections as sent, words as received} */
        EndReport report(Channel server, long limitMillis) throws Exception {
            String hung = "";
            try {
                done.get(limitMillis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                hung = "no client said its last word";
            }
            String late = hung;
            return server.eventLoop()
                    .submit(() -> new EndReport(
                            "machine 2", connections, words, 0, done.isDone(), "", 0, wrong, late, List.of()))
                    .get();
        }
    }
}
