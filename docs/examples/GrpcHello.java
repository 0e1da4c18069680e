// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// A call of gRPC over RDMA. A program with generated stubs changes the same four lines, those with Rdma in them.

import io.github.rdma4j.netty.*;
import io.grpc.*;
import io.grpc.MethodDescriptor.*;
import io.grpc.netty.*;
import io.grpc.stub.*;
import io.netty.channel.*;

static final MethodDescriptor<String, String> HELLO = MethodDescriptor.<String, String>newBuilder()
        .setType(MethodType.UNARY)
        .setFullMethodName("Greeter/Hello")
        .setRequestMarshaller(new Text())
        .setResponseMarshaller(new Text())
        .build();

void main(String... args) throws Exception { // the server: ADDRESS PORT; the client: ADDRESS PORT NAME
    var address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    var loops = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
    try {
        if (args.length == 2) {
            var greeter = ServerServiceDefinition.builder("Greeter")
                    .addMethod(HELLO, ServerCalls.asyncUnaryCall((name, answer) -> {
                        answer.onNext("hello, " + name);
                        answer.onCompleted();
                    }))
                    .build();
            var server = NettyServerBuilder.forAddress(address)
                    .channelType(RdmaServerSocketChannel.class)
                    .bossEventLoopGroup(loops)
                    .workerEventLoopGroup(loops)
                    .addService(greeter)
                    .build()
                    .start();
            IO.println("waiting at " + server.getListenSockets().getFirst());
            server.awaitTermination();
        } else {
            var channel = NettyChannelBuilder.forAddress(address)
                    .channelType(RdmaSocketChannel.class, InetSocketAddress.class)
                    .eventLoopGroup(loops)
                    .usePlaintext()
                    .build();
            var options = CallOptions.DEFAULT.withDeadlineAfter(1, TimeUnit.MINUTES);
            IO.println("answered: " + ClientCalls.blockingUnaryCall(channel, HELLO, options, args[2]));
            channel.shutdown().awaitTermination(10, TimeUnit.SECONDS);
        }
    } finally {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}

record Text() implements Marshaller<String> {
    @Override
    public InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String parse(InputStream bytes) {
        try {
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
