// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// HTTP/2 over RDMA, each request a stream. Over TCP the same program has NioIoHandler, NioServerSocketChannel and
// NioSocketChannel.

import io.github.rdma4j.netty.*;
import io.netty.bootstrap.*;
import io.netty.buffer.*;
import io.netty.channel.*;
import io.netty.handler.codec.http.*;
import io.netty.handler.codec.http2.*;

static final int LONGEST = 1 << 20; // bytes of a request or an answer

void main(String... args) throws Exception { // the server: ADDRESS PORT; the client: ADDRESS PORT PATH
    var address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    var group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
    try {
        if (args.length == 2) {
            var server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class)
                    .childHandler(new Http2(Http2FrameCodecBuilder::forServer, new Http(true, Hello::new)))
                    .bind(address)
                    .sync()
                    .channel();
            IO.println("waiting at " + server.localAddress());
            server.closeFuture().sync();
        } else {
            var client = new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .handler(new Http2(Http2FrameCodecBuilder::forClient, new ChannelInboundHandlerAdapter()))
                    .connect(address)
                    .sync()
                    .channel();
            var answer = new CompletableFuture<String>();
            var stream = new Http2StreamChannelBootstrap(client)
                    .handler(new Http(false, () -> new Answer(answer)))
                    .open()
                    .sync()
                    .getNow();
            var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, args[2]);
            request.headers().set(HttpHeaderNames.HOST, args[0]);
            stream.writeAndFlush(request).sync();
            IO.println("answered: " + answer.get(1, TimeUnit.MINUTES));
            client.close().sync();
        }
    } finally {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}

class Http2 extends ChannelInitializer<Channel> { // of a connection
    final Supplier<Http2FrameCodecBuilder> codec;
    final ChannelHandler streams;

    Http2(Supplier<Http2FrameCodecBuilder> codec, ChannelHandler streams) {
        this.codec = codec;
        this.streams = streams;
    }

    @Override
    protected void initChannel(Channel connection) {
        connection.pipeline().addLast(codec.get().build(), new Http2MultiplexHandler(streams));
    }
}

class Http extends ChannelInitializer<Channel> { // of a stream
    final boolean server;
    final Supplier<ChannelHandler> handler;

    Http(boolean server, Supplier<ChannelHandler> handler) {
        this.server = server;
        this.handler = handler;
    }

    @Override
    protected void initChannel(Channel stream) {
        var codec = new Http2StreamFrameToHttpObjectCodec(server);
        stream.pipeline().addLast(codec, new HttpObjectAggregator(LONGEST), handler.get());
    }
}

class Hello extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        var body = Unpooled.copiedBuffer("this is " + request.uri(), StandardCharsets.UTF_8);
        context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body));
    }
}

class Answer extends SimpleChannelInboundHandler<FullHttpResponse> {
    final CompletableFuture<String> text;

    Answer(CompletableFuture<String> text) {
        this.text = text;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
        text.complete(response.status() + ", " + response.content().toString(StandardCharsets.UTF_8));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        text.completeExceptionally(cause);
    }
}
