import io.github.rdma4j.netty.*;
import io.netty.bootstrap.*;
import io.netty.buffer.*;
import io.netty.channel.*;

void main(String... args) throws Exception { // the server: ADDRESS PORT; the client: ADDRESS PORT TEXT
    var address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    var group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()); // over TCP: NioIoHandler
    try {
        if (args.length == 2) {
            var server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class) // over TCP: NioServerSocketChannel
                    .childHandler(new ChannelInitializer<Channel>() {
                        @Override
                        protected void initChannel(Channel client) {
                            client.pipeline().addLast(new Echo());
                        }
                    })
                    .bind(address)
                    .sync()
                    .channel();
            IO.println("waiting at " + server.localAddress());
            server.closeFuture().sync();
        } else {
            var answers = new Answers();
            var client = new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class) // over TCP: NioSocketChannel
                    .handler(answers)
                    .connect(address)
                    .sync()
                    .channel();
            client.writeAndFlush(Unpooled.copiedBuffer(args[2], StandardCharsets.UTF_8)).sync();
            IO.println("answered: " + answers.text.get(1, TimeUnit.MINUTES));
            client.close().sync();
        }
    } finally {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}

class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        context.writeAndFlush(message);
    }
}

class Answers extends SimpleChannelInboundHandler<ByteBuf> {
    final CompletableFuture<String> text = new CompletableFuture<>();

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        text.complete(message.toString(StandardCharsets.UTF_8));
    }
}
