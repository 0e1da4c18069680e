// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the channel options and their effects, without a device. */
class OptionsTest {
    static Stream<Channel> channels() {
        return Stream.of(new RdmaSocketChannel(), new RdmaServerSocketChannel());
    }

    @ParameterizedTest
    @MethodSource("channels")
    void optionsOfRdmaAreKept(Channel channel) {
        ChannelConfig config = channel.config();
        assertThat(config.getOption(RdmaChannelOption.MESSAGE_SIZE)).isEqualTo(8192);
        assertThat(config.getOption(RdmaChannelOption.RECEIVE_BUFFERS)).isEqualTo(32);
        assertThat(config.getOption(RdmaChannelOption.SEND_BUFFERS)).isEqualTo(32);
        assertThat(config.getOption(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS)).isEqualTo(30_000);
        assertThat(config.getOption(RdmaChannelOption.RDMA_TIMEOUT_MILLIS)).isEqualTo(2_000);
        assertThat(config.setOption(RdmaChannelOption.MESSAGE_SIZE, 100)).isTrue();
        assertThat(config.setOption(RdmaChannelOption.RECEIVE_BUFFERS, 200)).isTrue();
        assertThat(config.setOption(RdmaChannelOption.SEND_BUFFERS, 300)).isTrue();
        assertThat(config.setOption(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, 400))
                .isTrue();
        assertThat(config.setOption(RdmaChannelOption.RDMA_TIMEOUT_MILLIS, 500)).isTrue();
        assertThat(config.getOptions())
                .containsEntry(RdmaChannelOption.MESSAGE_SIZE, 100)
                .containsEntry(RdmaChannelOption.RECEIVE_BUFFERS, 200)
                .containsEntry(RdmaChannelOption.SEND_BUFFERS, 300)
                .containsEntry(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, 400)
                .containsEntry(RdmaChannelOption.RDMA_TIMEOUT_MILLIS, 500);
        assertThat(config.getOption(ChannelOption.SO_RCVBUF)).isEqualTo(20_000);
    }

    /** By the call that it is given to, and not by the group that asks the factory. */
    @Test
    void spinLimitIsNotNull() {
        assertThatThrownBy(() -> RdmaIoHandler.newFactory(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("spin limit");
    }

    @ParameterizedTest
    @MethodSource("channels")
    void invalidArgumentsAreRefused(Channel channel) {
        ChannelConfig config = channel.config();
        assertThatThrownBy(() -> config.setOption(RdmaChannelOption.MESSAGE_SIZE, 63))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MESSAGE_SIZE 63 is not in 64..67108864");
        assertThatThrownBy(() -> config.setOption(RdmaChannelOption.RECEIVE_BUFFERS, 1))
                .hasMessageContaining("1 is not in 2..65535");
        assertThatThrownBy(() -> config.setOption(RdmaChannelOption.SEND_BUFFERS, 0))
                .hasMessageContaining("0 is not in 1..65535");
        assertThatThrownBy(() -> config.setOption(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, 50))
                .hasMessageContaining("50 is not in 100..");
        assertThatThrownBy(() -> config.setOption(RdmaChannelOption.RDMA_TIMEOUT_MILLIS, 0))
                .hasMessageContaining("0 is not in 1..");
        assertThatThrownBy(() -> config.setOption(RdmaChannelOption.MESSAGE_SIZE, 1 << 27))
                .hasMessageContaining("134217728 is not in");
        assertThat(config.getOption(RdmaChannelOption.MESSAGE_SIZE)).isEqualTo(8192);
        // Netty warns of what is unknown.
        assertThat(config.setOption(ChannelOption.SO_BROADCAST, true)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("channels")
    void channelIsAloneUnlessAGroupIsSet(Channel channel) {
        ChannelConfig config = channel.config();
        assertThat(config.getOption(RdmaChannelOption.GROUP)).isNull();
        assertThat(config.getOptions()).doesNotContainKey(RdmaChannelOption.GROUP);
        try (EndpointGroup group = EndpointGroup.open()) {
            assertThat(config.setOption(RdmaChannelOption.GROUP, group)).isTrue();
            assertThat(config.getOption(RdmaChannelOption.GROUP)).isSameAs(group);
            assertThat(config.getOptions()).containsEntry(RdmaChannelOption.GROUP, group);
        }
    }

    @Test
    void serverDoesNotBindToAClosedGroup() {
        EndpointGroup group = EndpointGroup.open();
        group.close();
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            ChannelFuture bound = new ServerBootstrap()
                    .group(loop)
                    .channel(RdmaServerSocketChannel.class)
                    .option(RdmaChannelOption.GROUP, group)
                    .childHandler(new ChannelInboundHandlerAdapter())
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .awaitUninterruptibly();
            assertThat(bound.cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the endpoint group is closed");
            // Netty closes it behind the bind's future.
            assertThat(bound.channel().closeFuture().awaitUninterruptibly(10, TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }

    @Test
    void optionsOfSocketsAreTaken() {
        ChannelConfig config = new RdmaSocketChannel().config();
        assertThat(config.setOption(ChannelOption.TCP_NODELAY, false)).isTrue();
        assertThat(config.getOption(ChannelOption.TCP_NODELAY)).isTrue();
        assertThat(config.setOption(ChannelOption.SO_KEEPALIVE, false)).isTrue();
        assertThat(config.getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
        assertThat(config.setOption(ChannelOption.SO_LINGER, 0)).isTrue();
        assertThat(config.getOption(ChannelOption.SO_LINGER)).isZero();
        assertThat(config.setOption(ChannelOption.ALLOW_HALF_CLOSURE, true)).isTrue();
        assertThat(config.getOption(ChannelOption.ALLOW_HALF_CLOSURE)).isTrue();
        assertThat(config.setOption(ChannelOption.SO_SNDBUF, 1)).isTrue();
        assertThat(config.getOption(ChannelOption.SO_SNDBUF)).isEqualTo(32 * 8192);
        assertThat(config.getOption(ChannelOption.AUTO_READ)).isTrue();
    }

    @Test
    void optionsOfServersAreTaken() {
        ChannelConfig config = new RdmaServerSocketChannel().config();
        assertThat(config.getOption(ChannelOption.SO_BACKLOG)).isEqualTo(128);
        assertThat(config.setOption(ChannelOption.SO_BACKLOG, 7)).isTrue();
        assertThat(config.getOption(ChannelOption.SO_BACKLOG)).isEqualTo(7);
        assertThatThrownBy(() -> config.setOption(ChannelOption.SO_BACKLOG, 0)).hasMessageContaining("at least 1");
        assertThat(config.setOption(ChannelOption.SO_REUSEADDR, true)).isTrue();
    }

    @ParameterizedTest
    @MethodSource("channels")
    void channelThatDoesNothingYet(Channel channel) {
        assertThat(channel.isOpen()).isTrue();
        assertThat(channel.isActive()).isFalse();
        assertThat(channel.localAddress()).isNull();
        assertThat(channel.remoteAddress()).isNull();
    }
}
