// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Bytes in buffers of {@link RdmaByteBufAllocator}, of all lengths, go there and back; each is checked. */
final class AllocatedEcho {
    private static final int[] LENGTHS = {1, 1024, 1025, 2047, 2048, 5000, 8192, 8193, 65_536, 100_001, 300_000};
    private static final long SEED = 42;

    private AllocatedEcho() {}

    /** Returns the number of the client's messages that were not copied. */
    static long run(EventLoopGroup loops, InetSocketAddress here, Transport transport, RdmaByteBufAllocator allocator)
            throws Exception {
        Channel server = new ServerBootstrap()
                .group(loops)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, transport)
                .childOption(ChannelOption.ALLOCATOR, allocator)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Echo());
                    }
                })
                .bind(here)
                .sync()
                .channel();
        Check check = new Check();
        RdmaSocketChannel client = (RdmaSocketChannel) new Bootstrap()
                .group(loops)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, transport)
                .option(ChannelOption.ALLOCATOR, allocator)
                .handler(check)
                .connect(server.localAddress())
                .sync()
                .channel();
        SplittableRandom random = new SplittableRandom(SEED);
        for (int length : LENGTHS) {
            ByteBuf buffer = client.alloc().directBuffer(length);
            while (buffer.isWritable()) {
                buffer.writeByte(random.nextInt());
            }
            // A slice is where its buffer is.
            client.write(length % 2 == 0 ? buffer : buffer.readRetainedSlice(length));
            if (length % 2 != 0) {
                buffer.release();
            }
        }
        client.flush();
        check.done.get(120, TimeUnit.SECONDS);
        long lent = client.eventLoop().submit(client::lentMessages).get(60, TimeUnit.SECONDS);
        client.close().sync();
        server.close().sync();
        return lent;
    }

    /** Forgets a buffer, as a program with a mistake does. */
    static void leak(RdmaByteBufAllocator allocator) {
        allocator.directBuffer(4096).writeLong(1);
    }

    private static int total() {
        int total = 0;
        for (int length : LENGTHS) {
            total += length;
        }
        return total;
    }

    /** Answers in buffers of its channel's allocator. */
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            ByteBuf answer = context.alloc().directBuffer(bytes.readableBytes()).writeBytes(bytes);
            bytes.release();
            context.writeAndFlush(answer);
        }
    }

    private static final class Check extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        private final SplittableRandom random = new SplittableRandom(SEED);
        private int rest = total();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                while (bytes.isReadable()) {
                    assertThat(bytes.readByte()).isEqualTo((byte) random.nextInt());
                    rest--;
                }
            } finally {
                bytes.release();
            }
            if (rest == 0) {
                done.complete(null);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }
    }
}
