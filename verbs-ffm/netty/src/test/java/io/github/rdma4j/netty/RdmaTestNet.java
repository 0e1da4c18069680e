// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.ServerSocketChannel;
import java.util.List;

/** Where the tests' channels are, and which: over RDMA in a guest, over TCP where Maven runs them. */
final class RdmaTestNet {
    private static final String TRANSPORT = "io.github.rdma4j.netty.test.transport";
    private static final Transport CARRIER = Transport.valueOf(System.getProperty(TRANSPORT, "RDMA"));
    private static final InetAddress HOST = CARRIER == Transport.TCP ? InetAddress.getLoopbackAddress() : rdmaAddress();
    /** Open as long as the JVM; null over RDMA. */
    private static ServerSocketChannel silentServer;

    private static final InetSocketAddress SILENT = openSilent();
    private static final EventLoopGroup GROUP =
            new MultiThreadIoEventLoopGroup(4, new DefaultThreadFactory("rdma", true), RdmaIoHandler.newFactory());

    private RdmaTestNet() {}

    /** The address of an interface that has an RDMA device, with port 0. */
    static InetSocketAddress address() {
        return new InetSocketAddress(HOST, 0);
    }

    /** For a peer that is no channel. */
    static Transport carrier() {
        return CARRIER;
    }

    /** Where a connection comes to no end for a while. */
    static InetSocketAddress silent() {
        return SILENT;
    }

    private static InetSocketAddress openSilent() {
        try {
            if (CARRIER == Transport.RDMA) {
                byte[] nobody = HOST.getAddress();
                nobody[nobody.length - 1] = (byte) 250;
                return new InetSocketAddress(InetAddress.getByAddress(nobody), 65535);
            }
            silentServer = ServerSocketChannel.open().bind(new InetSocketAddress(HOST, 0));
            return (InetSocketAddress) silentServer.getLocalAddress();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static InetAddress rdmaAddress() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                    .filter(RdmaTestNet::hasDevice)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no interface has an RDMA device"));
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean hasDevice(InetAddress address) {
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress(address, 0))) {
            return server.isOpen();
        } catch (VerbsException e) {
            return false;
        }
    }

    static BootstrapFactory<ServerBootstrap> server() {
        return () -> new ServerBootstrap()
                .group(GROUP)
                .channel(RdmaServerSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, CARRIER);
    }

    static BootstrapFactory<Bootstrap> client() {
        return () -> new Bootstrap()
                .group(GROUP)
                .channel(RdmaSocketChannel.class)
                .option(RdmaChannelOption.TRANSPORT, CARRIER);
    }

    static List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> both() {
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
}
