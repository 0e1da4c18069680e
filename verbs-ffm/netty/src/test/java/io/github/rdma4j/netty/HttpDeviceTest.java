// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** HTTP/1.1 with Netty's codecs: requests whose answers are checked byte by byte, several under way. */
@Tag("device")
class HttpDeviceTest {
    /** As many more with -Drdma4j.http.requests=N. */
    private static final int REQUESTS = Integer.getInteger("rdma4j.http.requests", 2000);

    private static final int AT_ONCE = 4;

    /** Checks what was posted, and answers with the content of the next number. */
    private static final class Server extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            int number = Integer.parseInt(request.uri().substring(1));
            Bodies.check(request.content(), number);
            ByteBuf body = Bodies.write(context.alloc().buffer(), number + 1);
            FullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
            answer.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
            context.writeAndFlush(answer);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** Posts one request after the other, some ahead. */
    private static final class Client extends SimpleChannelInboundHandler<FullHttpResponse> {
        final CompletableFuture<Integer> done = new CompletableFuture<>();
        private int sent;
        private int answered;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < AT_ONCE; i++) {
                post(context);
            }
        }

        private void post(ChannelHandlerContext context) {
            if (sent < REQUESTS) {
                ByteBuf body = Bodies.write(context.alloc().buffer(), sent);
                DefaultFullHttpRequest request =
                        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/" + sent, body);
                request.headers().setInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
                context.writeAndFlush(request);
                sent++;
            }
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse answer) {
            assertThat(answer.status()).isEqualTo(HttpResponseStatus.OK);
            Bodies.check(answer.content(), answered + 1);
            if (++answered == REQUESTS) {
                done.complete(answered);
            } else {
                post(context);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.completeExceptionally(new AssertionError("closed after " + answered + " answers"));
        }
    }

    @Test
    void everyByteOfEveryAnswerIsRight() throws Exception {
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("http", true), RdmaIoHandler.newFactory());
        Client client = new Client();
        try {
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class)
                    .childHandler(pipeline(true, null))
                    .bind(RdmaTestNet.address())
                    .sync()
                    .channel();
            new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .handler(pipeline(false, client))
                    .connect(server.localAddress(), RdmaTestNet.clientAddress())
                    .sync();
            // Bounds a hang, not a speed.
            assertThat(client.done.get(300 + REQUESTS / 20, TimeUnit.SECONDS)).isEqualTo(REQUESTS);
        } finally {
            group.shutdownGracefully(0, 30, TimeUnit.SECONDS).sync();
        }
    }

    private static ChannelInitializer<Channel> pipeline(boolean server, Client client) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(server ? new HttpServerCodec() : new HttpClientCodec())
                        .addLast(new HttpObjectAggregator(Bodies.LONGEST))
                        .addLast(server ? new Server() : client);
            }
        };
    }
}
