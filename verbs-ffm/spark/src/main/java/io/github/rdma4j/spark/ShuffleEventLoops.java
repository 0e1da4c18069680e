// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import io.github.rdma4j.netty.RdmaChannelOption;
import io.github.rdma4j.netty.RdmaIoHandler;
import io.github.rdma4j.netty.RdmaServerSocketChannel;
import io.github.rdma4j.netty.RdmaSocketChannel;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * The event loops of a module of Spark whose mode is RDMA. Spark creates the channels and sets their options, so the
 * options of RDMA are set when a channel comes to its event loop. The log has the transport to each peer, and the
 * reason why a peer is not reached over RDMA, once for each.
 *
 * <p>Spark makes it, by {@link SparkAgent}. Programs do not use it.
 *
 * @since 0.1.0
 */
public final class ShuffleEventLoops extends MultiThreadIoEventLoopGroup {
    private static final InternalLogger LOGGER = InternalLoggerFactory.getInstance(ShuffleEventLoops.class);

    /** An executor that has just started, or collects garbage, takes seconds; and its connection lasts for the job. */
    private static final int RDMA_TIMEOUT_MILLIS = 30_000;

    /**
     * Blocks are long, and each message has its cost. As much is under way, and little more is pinned, as with the
     * default of 32 buffers of 8 KiB.
     */
    private static final int MESSAGE_SIZE = 32 << 10;

    private static final int BUFFERS = 8;

    /** The transport to each host that the log has already. */
    private static final Map<String, Transport> LOGGED = new ConcurrentHashMap<>();

    /**
     * Creates the event loops.
     *
     * @param threads the number of threads
     * @param factory creates the threads
     */
    public ShuffleEventLoops(int threads, ThreadFactory factory) {
        // A spinning loop takes its CPU from the tasks.
        super(threads, factory, RdmaIoHandler.newFactory(Duration.ZERO));
    }

    @Override
    public ChannelFuture register(Channel channel) {
        if (channel.parent() == null) {
            channel.config().setOption(RdmaChannelOption.TRANSPORT, Transport.RDMA_OR_TCP);
            channel.config().setOption(RdmaChannelOption.RDMA_TIMEOUT_MILLIS, RDMA_TIMEOUT_MILLIS);
            channel.config().setOption(RdmaChannelOption.MESSAGE_SIZE, MESSAGE_SIZE);
            channel.config().setOption(RdmaChannelOption.RECEIVE_BUFFERS, BUFFERS);
            channel.config().setOption(RdmaChannelOption.SEND_BUFFERS, BUFFERS);
            channel.pipeline().addFirst(TransportLog.INSTANCE);
        }
        return super.register(channel);
    }

    /** Logs how a client is connected, and how a server can be reached. */
    @Sharable
    private static final class TransportLog extends ChannelInboundHandlerAdapter {
        static final TransportLog INSTANCE = new TransportLog();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.pipeline().remove(this);
            if (context.channel() instanceof RdmaServerSocketChannel server) {
                server.rdmaFailure()
                        .ifPresent(why -> LOGGER.warn(
                                "Spark serves blocks at {} over TCP alone: {}",
                                server.localAddress(),
                                why.getMessage()));
            } else if (context.channel() instanceof RdmaSocketChannel client) {
                log(client);
            }
            context.fireChannelActive();
        }

        private static void log(RdmaSocketChannel client) {
            String host = client.remoteAddress().getHostString();
            Transport transport = client.transport().orElseThrow();
            if (LOGGED.put(host, transport) == transport) {
                return;
            }
            if (transport == Transport.RDMA) {
                LOGGER.info("Spark fetches blocks from {} over RDMA", host);
            } else {
                LOGGER.warn(
                        "Spark fetches blocks from {} over TCP: {}",
                        host,
                        client.rdmaFailure().map(Throwable::getMessage).orElse("RDMA was not tried"));
            }
        }
    }
}
