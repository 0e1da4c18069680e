// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Gives Netty's own tests addresses, and channels that are closed after the test, which leaves some open. */
final class SuiteNet {
    private static final long PATIENCE_SECONDS = 30;
    /** Open as long as the JVM; null where it is not needed. */
    private static ServerSocketChannel silentServer;

    private final Transport carrier;
    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(4, new DefaultThreadFactory("rdma", true), RdmaIoHandler.newFactory());

    /** Channels over RDMA or TCP. */
    SuiteNet(Transport carrier) {
        this.carrier = carrier;
    }

    Transport carrier() {
        return carrier;
    }

    /** Sets the address where a connect of Netty's tests stays pending for a while. The tests read it once. */
    static void silentAddress() {
        InetSocketAddress silent = RdmaTestNet.host().map(SuiteNet::nobody).orElseGet(SuiteNet::serverThatSaysNothing);
        System.setProperty("io.netty.testsuite.badHost", silent.getAddress().getHostAddress());
        System.setProperty("io.netty.testsuite.badPort", String.valueOf(silent.getPort()));
    }

    /** An address of the same net that nobody has. */
    private static InetSocketAddress nobody(InetAddress host) {
        try {
            byte[] address = host.getAddress();
            address[address.length - 1] = (byte) 250;
            return new InetSocketAddress(InetAddress.getByAddress(address), 65535);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static InetSocketAddress serverThatSaysNothing() {
        try {
            silentServer = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            return (InetSocketAddress) silentServer.getLocalAddress();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    InetSocketAddress address() {
        return carrier == Transport.RDMA
                ? RdmaTestNet.address()
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    BootstrapFactory<ServerBootstrap> server() {
        return () -> new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, carrier);
    }

    BootstrapFactory<Bootstrap> client() {
        return () -> new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, carrier);
    }

    List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> both() {
        return List.of(new BootstrapComboFactory<>() {
            @Override
            public ServerBootstrap newServerInstance() {
                return server().newInstance();
            }

            @Override
            public Bootstrap newClientInstance() {
                return client().newInstance();
            }
        });
    }

    /** Closes what the test has left open. */
    void close() {
        assertThat(group.shutdownGracefully(0, PATIENCE_SECONDS, TimeUnit.SECONDS)
                        .awaitUninterruptibly(2 * PATIENCE_SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }
}
