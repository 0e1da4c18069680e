// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// HTTP over RDMA. Over TCP the same program has NioIoHandler, NioServerSocketChannel and NioSocketChannel.

import io.github.rdma4j.netty.*;
import io.netty.bootstrap.*;
import io.netty.buffer.*;
import io.netty.channel.*;
import io.netty.handler.codec.http.*;

static final int LONGEST = 1 << 20; // bytes of a request or an answer

void main(String... args) throws Exception { // the server: ADDRESS PORT; the client: ADDRESS PORT PATH
    var address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    var group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
    try {
        if (args.length == 2) {
            var server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class)
                    .childHandler(new Http(HttpServerCodec::new, Hello::new))
                    .bind(address)
                    .sync()
                    .channel();
            IO.println("waiting at " + server.localAddress());
            server.closeFuture().sync();
        } else {
            var answer = new CompletableFuture<String>();
            var client = new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .handler(new Http(HttpClientCodec::new, () -> new Answer(answer)))
                    .connect(address)
                    .sync()
                    .channel();
            var request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, args[2]);
            request.headers().set(HttpHeaderNames.HOST, args[0]);
            client.writeAndFlush(request).sync();
            IO.println("answered: " + answer.get(1, TimeUnit.MINUTES));
            client.close().sync();
        }
    } finally {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}

class Http extends ChannelInitializer<Channel> {
    final Supplier<ChannelHandler> codec;
    final Supplier<ChannelHandler> handler;

    Http(Supplier<ChannelHandler> codec, Supplier<ChannelHandler> handler) {
        this.codec = codec;
        this.handler = handler;
    }

    @Override
    protected void initChannel(Channel channel) {
        channel.pipeline().addLast(codec.get(), new HttpObjectAggregator(LONGEST), handler.get());
    }
}

class Hello extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
        var body = Unpooled.copiedBuffer("this is " + request.uri(), StandardCharsets.UTF_8);
        var answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body);
        HttpUtil.setContentLength(answer, body.readableBytes());
        context.writeAndFlush(answer);
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
