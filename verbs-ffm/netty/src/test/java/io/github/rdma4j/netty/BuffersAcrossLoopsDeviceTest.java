// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Buffers are filled in one event loop, written by channels of another and released by a third, as are the adapter's
 * receive buffers. Each byte of each frame is checked at its destination.
 */
@Tag("device")
@Timeout(600)
class BuffersAcrossLoopsDeviceTest {
    /** {@code -Drdma4j.loops.frames=N} sends more than usual. */
    private static final int FRAMES = Integer.getInteger("rdma4j.loops.frames", 400);

    private static final int CHANNELS = 6;
    private static final int LOOPS = 3;
    private static final int HEADER = 12;
    private static final int UNDER_WAY = 8;
    private static final int SIZE = 8192;

    private final EventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(LOOPS, new DefaultThreadFactory("loops", true), RdmaIoHandler.newFactory());
    private final RdmaByteBufAllocator allocator = new RdmaByteBufAllocator(16 << 20);
    private final CountDownLatch left = new CountDownLatch(CHANNELS * FRAMES);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Map<Long, Boolean> seen = new ConcurrentHashMap<>();
    private final List<Channel> accepted = new CopyOnWriteArrayList<>();

    private static int length(int source, int number) {
        return HEADER + 900 + (source * 7919 + number * 613) % 6000;
    }

    private static byte content(int source, int number, int place) {
        return (byte) (source * 31 + number * 7 + place * 13);
    }

    private static ByteBuf fill(ByteBuf frame, int source, int number) {
        int length = length(source, number);
        frame.writeInt(length - Integer.BYTES).writeInt(source).writeInt(number);
        for (int i = HEADER; i < length; i++) {
            frame.writeByte(content(source, number, i));
        }
        return frame;
    }

    private void fail(Throwable e) {
        failure.compareAndSet(null, e);
        while (left.getCount() > 0) {
            left.countDown();
        }
    }

    /** The frame's last place: it is right, and the first of its kind. */
    private void end(ByteBuf frame) {
        try {
            int source = frame.getInt(4);
            int number = frame.getInt(8);
            assertThat(frame.readableBytes()).as("%d of %d", number, source).isEqualTo(length(source, number));
            for (int i = HEADER; i < frame.readableBytes(); i++) {
                if (frame.getByte(i) != content(source, number, i)) {
                    throw new AssertionError("byte %d of frame %d of channel %d".formatted(i, number, source));
                }
            }
            assertThat(seen.put((long) source << 32 | number, true)).isNull();
            left.countDown();
        } catch (Throwable e) {
            fail(e);
        } finally {
            frame.release();
        }
    }

    private abstract class Frames extends SimpleChannelInboundHandler<ByteBuf> {
        Frames() {
            super(false);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause);
        }
    }

    /** Ends what comes. */
    private final class AtClient extends Frames {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            end(frame);
        }
    }

    /** Ends a frame here or in another loop, or sends it on: to the client of another channel. */
    private final class AtServer extends Frames {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            int number = frame.getInt(8);
            Channel other = accepted.get(number % accepted.size());
            switch (number % 5) {
                case 0 -> end(frame);
                case 1 -> loops.next().execute(() -> end(frame));
                case 2 -> send(other, frame);
                case 3 -> {
                    send(other, other.alloc().directBuffer(SIZE).writeBytes(frame));
                    frame.release();
                }
                default -> {
                    // Until that loop has released it, somebody keeps it.
                    ByteBuf copy = context.alloc().directBuffer(SIZE).writeBytes(frame);
                    ByteBuf kept = copy.retainedDuplicate();
                    loops.next().execute(kept::release);
                    send(other, copy);
                    loops.next().execute(frame::release);
                }
            }
        }
    }

    private void send(Channel channel, ByteBuf frame) {
        channel.writeAndFlush(frame).addListener((ChannelFutureListener) done -> {
            if (!done.isSuccess()) {
                fail(done.cause());
            }
        });
    }

    private ChannelInitializer<Channel> handlers(boolean atServer) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(new LengthFieldBasedFrameDecoder(1 << 20, 0, Integer.BYTES))
                        .addLast(atServer ? new AtServer() : new AtClient());
                if (atServer) {
                    accepted.add(channel);
                }
            }
        };
    }

    /** Allocates and fills a frame in any loop, and writes it from there. */
    private void send(Channel client, int source, int number) {
        if (number < FRAMES && failure.get() == null) {
            loops.next()
                    .execute(() -> client.writeAndFlush(fill(allocator.directBuffer(SIZE), source, number))
                            .addListener(done -> {
                                if (done.isSuccess()) {
                                    send(client, source, number + UNDER_WAY);
                                } else {
                                    fail(done.cause());
                                }
                            }));
        }
    }

    @Test
    void eachByteIsRightWhicheverLoopHasWhichBuffer() throws Exception {
        EndpointGroup servers = EndpointGroup.open(CHANNELS);
        EndpointGroup clients = EndpointGroup.open(CHANNELS);
        try {
            Channel server = new ServerBootstrap()
                    .group(loops)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.GROUP, servers)
                    .option(RdmaChannelOption.MESSAGE_SIZE, SIZE)
                    .childOption(ChannelOption.ALLOCATOR, allocator)
                    .childHandler(handlers(true))
                    .bind(RdmaTestNet.address())
                    .sync()
                    .channel();
            Bootstrap bootstrap = new Bootstrap()
                    .group(loops)
                    .channel(RdmaSocketChannel.class)
                    .option(RdmaChannelOption.GROUP, clients)
                    .option(RdmaChannelOption.MESSAGE_SIZE, SIZE)
                    .option(ChannelOption.ALLOCATOR, allocator)
                    .handler(handlers(false));
            for (int source = 0; source < CHANNELS; source++) {
                Channel client = bootstrap.connect(server.localAddress()).sync().channel();
                for (int number = 0; number < UNDER_WAY; number++) {
                    send(client, source, number);
                }
            }
            assertThat(left.await(500, TimeUnit.SECONDS)).as("%s left", left).isTrue();
            assertThat(failure.get()).isNull();
            assertThat(seen).hasSize(CHANNELS * FRAMES);
        } finally {
            loops.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
            clients.close();
            servers.close();
        }
        assertThat(allocator.usedBytes()).isZero();
    }
}
