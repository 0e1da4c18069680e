// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.SoftDevice;
import io.github.rdma4j.verbs.endpoint.Disassociation;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A device is removed under channels. Each channel gets a lost connection and becomes inactive, the server gets an
 * exception because no more clients can come, and the event loop goes on with channels that need no device.
 */
@Tag("device")
@Tag("changes-machine")
@Timeout(600)
class DeviceRemovalDeviceTest {
    private static final SoftDevice DEVICE = new SoftDevice("gone", 9);
    private static final long PATIENCE_SECONDS = 60;
    /** The event, the adapter's silence, or the adapter's last error, whichever is noticed first. */
    private static final String REASONS = ".*(the local device was removed|adapter no longer answers|EIO|ENODEV).*";

    @BeforeEach
    void aDeviceOfItsOwn() throws Exception {
        DEVICE.make();
    }

    @AfterEach
    void theDeviceGoes() throws Exception {
        DEVICE.close();
    }

    /**
     * Runs both ends of two connections over the device, and of one over TCP, in one event loop. Prints how each ends.
     */
    static final class User {
        private static final CompletableFuture<Void> SERVER_FAILED = new CompletableFuture<>();
        private static final EventLoopGroup LOOP = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());

        public static void main(String[] arguments) throws Exception {
            Channel server = server(DEVICE.address().getAddress(), Transport.RDMA, "server");
            Channel overTcp = server(InetAddress.getLoopbackAddress(), Transport.TCP, "tcp server");
            Channel client = client(server, Transport.RDMA, "client");
            Channel another = client(server, Transport.RDMA, "client");
            Channel tcp = client(overTcp, Transport.TCP, "tcp client");
            System.out.println("before " + echo(client) + echo(another) + echo(tcp));
            // In the event loop: nobody may sleep for the device meanwhile.
            LOOP.submit(() -> {
                        try {
                            Disassociation.from(DEVICE.name());
                        } catch (Throwable e) {
                            throw new AssertionError(e);
                        }
                    })
                    .sync();
            Process removal = new ProcessBuilder("rdma", "link", "del", DEVICE.name()).start();
            client.closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            another.closeFuture().await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            System.out.println("closed " + client.isOpen() + another.isOpen());
            System.out.println(
                    "write " + (client.writeAndFlush(bytes("late")).await().cause() != null));
            System.out.println("after " + echo(tcp) + echo(client(overTcp, Transport.TCP, "tcp client")));
            SERVER_FAILED.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            // It lets the device go.
            System.out.println("server closes " + server.close().await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            System.out.println("removed " + removal.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS));
            System.out.println("ended "
                    + LOOP.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(PATIENCE_SECONDS, TimeUnit.SECONDS));
        }

        private static Channel server(InetAddress address, Transport transport, String name) throws Exception {
            return new ServerBootstrap()
                    .group(LOOP)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.TRANSPORT, transport)
                    .option(RdmaChannelOption.RECEIVE_BUFFERS, 4)
                    .handler(new Completer(name))
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Echo(), new Completer(name + "'s"));
                        }
                    })
                    .bind(new InetSocketAddress(address, 0))
                    .sync()
                    .channel();
        }

        private static Channel client(Channel server, Transport transport, String name) throws Exception {
            return new Bootstrap()
                    .group(LOOP)
                    .channel(RdmaSocketChannel.class)
                    .option(RdmaChannelOption.TRANSPORT, transport)
                    .option(RdmaChannelOption.RECEIVE_BUFFERS, 4)
                    .handler(new Completer(name))
                    .connect(server.localAddress())
                    .sync()
                    .channel();
        }

        private static ByteBuf bytes(String text) {
            return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
        }

        private static boolean echo(Channel channel) throws Exception {
            CompletableFuture<Boolean> answer = new CompletableFuture<>();
            channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ((ByteBuf) message).release();
                    context.pipeline().remove(this);
                    answer.complete(true);
                }
            });
            channel.writeAndFlush(bytes("."));
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Prints the events of a channel. */
    private static final class Completer extends ChannelInboundHandlerAdapter {
        private final String name;

        Completer(String name) {
            this.name = name;
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            System.out.println(name + " inactive");
            context.fireChannelInactive();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            System.out.println(name + " failed " + cause.getClass().getSimpleName() + " " + cause.getMessage());
            if (name.equals("server")) {
                User.SERVER_FAILED.complete(null);
            }
            context.fireExceptionCaught(cause);
        }
    }

    @Test
    void eachChannelIsNotifiedAndTheEventLoopContinues() throws Exception {
        try (Child child = new Child(User.class, "RDMAV_ALLOW_DISASSOC_DESTROY=1")) {
            assertThat(child.await("before ")).isEqualTo("truetruetrue");
            assertThat(child.await("closed ")).isEqualTo("falsefalse");
            assertThat(child.await("write ")).isEqualTo("true");
            assertThat(child.await("after ")).isEqualTo("truetrue");
            assertThat(child.await("server closes ")).isEqualTo("true");
            assertThat(child.await("removed ")).isEqualTo("true");
            assertThat(child.await("ended ")).isEqualTo("true");
            String all = String.join("\n", child.lines());
            for (String channel : new String[] {"client", "server's"}) {
                assertThat(child.lines().stream().filter(line -> line.startsWith(channel + " failed ")))
                        .as(all)
                        .hasSize(2)
                        .allMatch(line -> line.matches(REASONS));
                assertThat(child.lines().stream().filter(line -> line.equals(channel + " inactive")))
                        .as(all)
                        .hasSize(2);
            }
            assertThat(child.lines().stream().filter(line -> line.startsWith("server failed ")))
                    .as(all)
                    .isNotEmpty()
                    .allMatch(line -> line.contains("it receives no more clients"));
            assertThat(child.lines()).as(all).noneMatch(line -> line.matches("tcp .* failed .*"));
        }
    }
}
