// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.documentation;

import io.github.rdma4j.netty.RdmaIoHandler;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.Program;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Prints how each entrance reports a failure. {@code ADDRESS PORT DEVICE MILLISECONDS} prints a line for each entrance:
 * its name and what a user reads.
 */
final class Entrances {
    private Entrances() {}

    public static void main(String... arguments) {
        report(
                        new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])),
                        arguments[2],
                        Duration.ofMillis(Long.parseLong(arguments[3])))
                .forEach((entrance, text) -> System.out.println(entrance + ": " + text.replace('\n', ' ')));
    }

    /** By the names of the entrances; an empty text if nothing failed. */
    static Map<String, String> report(InetSocketAddress peer, String device, Duration timeout) {
        Map<String, String> texts = new LinkedHashMap<>();
        texts.put("verbs", failure(() -> DeviceContext.open(device)));
        texts.put("rdma_cm", failure(() -> connected(peer, timeout)));
        for (Transport transport : Transport.values()) {
            texts.put(
                    "endpoint " + transport,
                    failure(() -> Endpoint.connect(peer, config -> config.transport(transport), timeout)));
        }
        texts.put("netty", failure(() -> overNetty(peer, timeout)));
        String address = peer.getAddress().getHostAddress();
        long seconds = Math.max(1, timeout.toSeconds());
        texts.put("tool", tool("-d %s -p %d --timeout %d %s".formatted(device, peer.getPort(), seconds, address)));
        texts.put(
                "tool -R", tool("-R -d %s -p %d --timeout %d %s".formatted(device, peer.getPort(), seconds, address)));
        CommandRun doctor = Program.run("doctor");
        texts.put("doctor", doctor.out() + doctor.err());
        CommandRun both = Program.run("doctor --peer %s:%d".formatted(address, peer.getPort()));
        texts.put("doctor --peer", both.out() + both.err());
        return texts;
    }

    private static String tool(String arguments) {
        CommandRun run = Program.run("ib_write_bw -n 5 -t 1 " + arguments);
        return run.status() == 0 ? "" : run.err();
    }

    private static String failure(Callable<? extends AutoCloseable> attempt) {
        try (AutoCloseable opened = attempt.call()) {
            return "";
        } catch (Exception e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static AutoCloseable connected(InetSocketAddress peer, Duration timeout) {
        SynchronousId id = SynchronousId.create(PortSpace.TCP);
        try {
            id.resolve(peer, timeout);
            var domain = id.id().device().orElseThrow().allocateProtectionDomain();
            var queue = id.id().device().orElseThrow().createCompletionQueue(16);
            id.id().createQueuePair(domain, config -> config.completionQueue(queue));
            id.connect(config -> {}, timeout);
            return id;
        } catch (RuntimeException e) {
            id.close();
            throw e;
        }
    }

    private static AutoCloseable overNetty(InetSocketAddress peer, Duration timeout) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            ChannelFuture connecting = new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(timeout.toMillis()))
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(peer);
            return connecting.syncUninterruptibly().channel()::close;
        } finally {
            group.shutdownGracefully();
        }
    }
}
