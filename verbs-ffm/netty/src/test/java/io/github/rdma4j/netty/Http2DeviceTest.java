// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolConfig.Protocol;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectedListenerFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolConfig.SelectorFailureBehavior;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ApplicationProtocolNegotiationHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** HTTP/2 with Netty's codecs: many streams at once on one connection, the answers checked byte by byte. */
@Tag("device")
class Http2DeviceTest {
    /** As many more with -Drdma4j.http2.streams=N. */
    private static final int STREAMS = Integer.getInteger("rdma4j.http2.streams", 300);

    private static final int AT_ONCE = 100;

    @Test
    void everyByteOfEveryStreamIsRight() throws Exception {
        run(null, null);
    }

    @Test
    void withTlsThatNegotiatesTheProtocol() throws Exception {
        X509Bundle certificate = new CertificateBuilder()
                .subject("CN=rdma4j.test")
                .addSanDnsName("rdma4j.test")
                .setIsCertificateAuthority(true)
                .buildSelfSigned();
        run(
                tls(SslContextBuilder.forServer(
                        certificate.getKeyPair().getPrivate(), certificate.getCertificatePath())),
                tls(SslContextBuilder.forClient().trustManager(certificate.getCertificate())));
    }

    private static SslContext tls(SslContextBuilder builder) throws Exception {
        return builder.sslProvider(SslProvider.JDK)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        Protocol.ALPN,
                        SelectorFailureBehavior.NO_ADVERTISE,
                        SelectedListenerFailureBehavior.ACCEPT,
                        ApplicationProtocolNames.HTTP_2))
                .build();
    }

    /** Null for both: without TLS, because both use HTTP/2 with prior knowledge. */
    private static void run(SslContext serversTls, SslContext clientsTls) throws Exception {
        EventLoopGroup group =
                new MultiThreadIoEventLoopGroup(2, new DefaultThreadFactory("http2", true), RdmaIoHandler.newFactory());
        try {
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class)
                    .childHandler(new Connection(serversTls, true))
                    .bind(RdmaTestNet.address())
                    .sync()
                    .channel();
            Connection connection = new Connection(clientsTls, false);
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .handler(connection)
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            connection.speaks.get(60, TimeUnit.SECONDS);
            Client requests = new Client(client);
            client.eventLoop().execute(requests::begin);
            // Bounds a hang, not a speed.
            assertThat(requests.done.get(300 + STREAMS / 20, TimeUnit.SECONDS)).isEqualTo(STREAMS);
            assertThat(requests.mostAtOnce).isEqualTo(Math.min(AT_ONCE, STREAMS));
            client.close().sync();
        } finally {
            group.shutdownGracefully(0, 30, TimeUnit.SECONDS).sync();
        }
    }

    /** The handlers of a connection: TLS if it is wanted, and HTTP/2. */
    private static final class Connection extends ChannelInitializer<Channel> {
        final CompletableFuture<Void> speaks = new CompletableFuture<>();
        private final SslContext tls;
        private final boolean server;

        Connection(SslContext tls, boolean server) {
            this.tls = tls;
            this.server = server;
        }

        @Override
        protected void initChannel(Channel channel) {
            ChannelPipeline pipeline = channel.pipeline();
            if (tls == null) {
                speakHttp2(pipeline);
                return;
            }
            pipeline.addLast(
                    server ? tls.newHandler(channel.alloc()) : tls.newHandler(channel.alloc(), "rdma4j.test", 1));
            pipeline.addLast(new ApplicationProtocolNegotiationHandler("none") {
                @Override
                protected void configurePipeline(ChannelHandlerContext context, String protocol) {
                    if (protocol.equals(ApplicationProtocolNames.HTTP_2)) {
                        speakHttp2(context.pipeline());
                    } else {
                        speaks.completeExceptionally(new AssertionError("they speak " + protocol));
                    }
                }

                @Override
                protected void handshakeFailure(ChannelHandlerContext context, Throwable cause) {
                    speaks.completeExceptionally(cause);
                }
            });
        }

        private void speakHttp2(ChannelPipeline pipeline) {
            Http2FrameCodecBuilder codec =
                    server ? Http2FrameCodecBuilder.forServer() : Http2FrameCodecBuilder.forClient();
            codec.initialSettings(server ? new Http2Settings().maxConcurrentStreams(AT_ONCE) : new Http2Settings());
            pipeline.addLast(codec.build(), new Http2MultiplexHandler(new ChannelInitializer<>() {
                @Override
                protected void initChannel(Channel stream) {
                    stream.pipeline().addLast(http(true), new HttpObjectAggregator(Bodies.LONGEST), new Server());
                }
            }));
            speaks.complete(null);
        }
    }

    private static ChannelHandler http(boolean server) {
        return new Http2StreamFrameToHttpObjectCodec(server);
    }

    /** Checks what was posted on a stream, and answers with the content of the next number. */
    private static final class Server extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
            int number = Integer.parseInt(request.uri().substring(1));
            Bodies.check(request.content(), number);
            ByteBuf body = Bodies.write(context.alloc().buffer(), number + 1);
            context.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, body));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** A stream for each request; a new one when one has ended. All in the event loop of the connection. */
    private static final class Client {
        final CompletableFuture<Integer> done = new CompletableFuture<>();
        volatile int mostAtOnce;
        private final Channel connection;
        private int begun;
        private int answered;
        private int ended;

        Client(Channel connection) {
            this.connection = connection;
            connection.closeFuture().addListener(closed -> fail(new AssertionError("closed after " + answered)));
        }

        void begin() {
            for (int i = 0; i < AT_ONCE; i++) {
                post();
            }
        }

        private void fail(Throwable cause) {
            done.completeExceptionally(cause);
        }

        private void post() {
            if (begun == STREAMS) {
                return;
            }
            int number = begun++;
            mostAtOnce = Math.max(mostAtOnce, begun - ended);
            new Http2StreamChannelBootstrap(connection)
                    .handler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel stream) {
                            stream.pipeline()
                                    .addLast(http(false), new HttpObjectAggregator(Bodies.LONGEST), answer(number));
                        }
                    })
                    .open()
                    .addListener((Future<Http2StreamChannel> opened) -> {
                        if (opened.isSuccess()) {
                            post(opened.getNow(), number);
                        } else {
                            fail(opened.cause());
                        }
                    });
        }

        private void post(Channel stream, int number) {
            ByteBuf body = Bodies.write(stream.alloc().buffer(), number);
            stream.writeAndFlush(new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/" + number, body))
                    .addListener(written -> {
                        if (!written.isSuccess()) {
                            fail(written.cause());
                        }
                    });
        }

        private ChannelInboundHandlerAdapter answer(int number) {
            return new SimpleChannelInboundHandler<FullHttpResponse>() {
                @Override
                protected void channelRead0(ChannelHandlerContext context, FullHttpResponse answer) {
                    assertThat(answer.status()).isEqualTo(HttpResponseStatus.OK);
                    Bodies.check(answer.content(), number + 1);
                    if (++answered == STREAMS) {
                        done.complete(answered);
                    }
                }

                @Override
                public void channelInactive(ChannelHandlerContext context) {
                    ended++;
                    post();
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                    fail(cause);
                }
            };
        }
    }
}
