// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.netty.RdmaServerSocketChannel;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.MethodModel;
import java.util.concurrent.TimeUnit;
import org.apache.spark.network.util.IOMode;
import org.apache.spark.network.util.NettyUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RdmaModeTest {
    @BeforeAll
    static void change() {
        ChangedSpark.load();
    }

    @Test
    void modeIsOneMoreConstant() {
        assertThat(IOMode.values()).extracting(Enum::name).containsExactly("NIO", "EPOLL", "KQUEUE", "AUTO", "RDMA");
        assertThat(IOMode.valueOf("RDMA").ordinal()).isEqualTo(4);
        assertThatThrownBy(() -> IOMode.valueOf("QUIC")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void modeHasTheChannelsOfRdma() {
        IOMode mode = IOMode.valueOf("RDMA");
        assertThat(NettyUtils.getClientChannelClass(mode)).isEqualTo(RdmaSocketChannel.class);
        assertThat(NettyUtils.getServerChannelClass(mode)).isEqualTo(RdmaServerSocketChannel.class);
        EventLoopGroup loops = NettyUtils.createEventLoop(mode, 3, "shuffle-test");
        assertThat(loops).isInstanceOf(ShuffleEventLoops.class).hasSize(3);
        loops.shutdownGracefully(0, 1, TimeUnit.MINUTES).syncUninterruptibly();
    }

    @Test
    void otherModesAreAsBefore() {
        assertThat(NettyUtils.getClientChannelClass(IOMode.NIO)).isEqualTo(NioSocketChannel.class);
        assertThat(NettyUtils.getServerChannelClass(IOMode.NIO)).isEqualTo(NioServerSocketChannel.class);
        for (IOMode mode : new IOMode[] {IOMode.NIO, IOMode.AUTO}) {
            EventLoopGroup loops = NettyUtils.createEventLoop(mode, 1, "test");
            assertThat(loops).isNotInstanceOf(ShuffleEventLoops.class);
            loops.shutdownGracefully(0, 1, TimeUnit.MINUTES).syncUninterruptibly();
        }
    }

    @Test
    void otherClassesAreLeftAlone() {
        String name = "org/apache/spark/network/util/TransportConf";
        assertThat(RdmaMode.addTo(name, ChangedSpark.bytes("TransportConf"), null))
                .isEmpty();
    }

    @Test
    void unknownFormOfAClassIsRefused() {
        ClassFile files = ClassFile.of();
        byte[] other = files.transformClass(
                files.parse(ChangedSpark.bytes("NettyUtils")),
                ClassTransform.dropping(element -> element instanceof MethodModel method
                        && method.methodName().equalsString("getClientChannelClass")));
        assertThatThrownBy(() -> RdmaMode.addTo(
                        "org/apache/spark/network/util/NettyUtils",
                        other,
                        getClass().getClassLoader()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("NettyUtils has no getClientChannelClass(Lorg/apache/spark/network/util/IOMode;)")
                .hasMessageContaining("Use Spark 4.2");
    }

    /** Spark 4.0 and 3.5 have the same classes. */
    @Test
    void olderNettyIsRefused() {
        assertThatThrownBy(() -> RdmaMode.addTo(
                        "org/apache/spark/network/util/NettyUtils",
                        ChangedSpark.bytes("NettyUtils"),
                        ClassLoader.getPlatformClassLoader()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it has a Netty older than 4.2. Use Spark 4.2");
    }
}
