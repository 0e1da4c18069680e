// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import io.lettuce.core.ConnectionBuilder;
import io.lettuce.core.ConnectionEvents;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import reactor.core.publisher.Mono;

/**
 * Lettuce's client for a Valkey server, over RDMA:
 *
 * <pre>{@code
 * try (RedisClient client = RdmaRedisClient.create(RedisURI.create("redis://192.168.1.7:6379"))) {
 *     client.connect().sync().set("key", "value");
 * }
 * }</pre>
 *
 * <p>All of its connections use RDMA, also for publish/subscribe and after a reconnect. The server's address belongs to
 * a network interface with an RDMA device. The server does not support TLS over RDMA. Lettuce's cluster client is
 * another class, which stays on TCP.
 *
 * <p>If this machine or the server has no RDMA, {@code connect} throws a
 * {@link io.lettuce.core.RedisConnectionException}, whose cause has the reason. Nothing falls back to TCP.
 *
 * <p>Thread safety: like {@link RedisClient}.
 *
 * @since 0.1.0
 */
public final class RdmaRedisClient extends RedisClient {
    private final EventLoopGroup loops;

    private RdmaRedisClient(ClientResources resources, RedisURI uri) {
        super(resources, uri);
        // Daemons, as Lettuce's own threads are.
        loops = new MultiThreadIoEventLoopGroup(
                getResources().ioThreadPoolSize(),
                new DefaultThreadFactory("lettuce-rdmaEventLoop", true),
                ValkeyIoHandler.newFactory());
    }

    /** {@return a client with its own threads, whose connect methods name the server} */
    public static RdmaRedisClient create() {
        return create(new RedisURI());
    }

    /**
     * Creates a client with its own threads.
     *
     * @param uri the server, as {@code redis://192.168.1.7:6379}
     * @return the client
     */
    public static RdmaRedisClient create(String uri) {
        return create(RedisURI.create(uri));
    }

    /**
     * Creates a client with its own threads.
     *
     * @param uri the server
     * @return the client
     */
    public static RdmaRedisClient create(RedisURI uri) {
        return new RdmaRedisClient(null, uri);
    }

    /**
     * Creates a client. Give its connect methods the server.
     *
     * @param resources as for {@link #create(ClientResources, RedisURI)}
     * @return the client
     */
    public static RdmaRedisClient create(ClientResources resources) {
        return create(resources, new RedisURI());
    }

    /**
     * Creates a client.
     *
     * @param resources as for {@link #create(ClientResources, RedisURI)}
     * @param uri the server, as {@code redis://192.168.1.7:6379}
     * @return the client
     */
    public static RdmaRedisClient create(ClientResources resources, String uri) {
        return create(resources, RedisURI.create(uri));
    }

    /**
     * Creates a client.
     *
     * @param resources Lettuce's timer, event bus and so on. The client has as many event loops of its own as these
     *     have I/O threads, {@link ClientResources#ioThreadPoolSize()}. It resolves names with {@link
     *     java.net.InetAddress}, and does not use {@link ClientResources#addressResolverGroup()}
     * @param uri the server
     * @return the client
     */
    public static RdmaRedisClient create(ClientResources resources, RedisURI uri) {
        return new RdmaRedisClient(resources, uri);
    }

    @Override
    protected void connectionBuilder(
            Mono<SocketAddress> address, ConnectionBuilder builder, ConnectionEvents events, RedisURI uri) {
        if (uri.isSsl()) {
            throw new IllegalArgumentException(
                    "Cannot connect to %s: Valkey has no TLS over RDMA. Use redis://, or Lettuce's RedisClient."
                            .formatted(uri));
        }
        super.connectionBuilder(address, builder, events, uri);
        // Lettuce takes the class of its channels from static methods, and Netty refuses to set a second one: a
        // NettyCustomizer comes too late.
        Bootstrap tcp = builder.bootstrap();
        Bootstrap rdma = new Bootstrap()
                .channel(ValkeyChannel.class)
                .group(loops)
                // The channel resolves names, without blocking its event loop.
                .disableResolver()
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (Integer)
                        tcp.config().options().get(ChannelOption.CONNECT_TIMEOUT_MILLIS));
        builder.bootstrap(rdma);
        builder.apply(uri);
    }

    @Override
    public CompletableFuture<Void> shutdownAsync(long quietPeriod, long timeout, TimeUnit unit) {
        return super.shutdownAsync(quietPeriod, timeout, unit).thenCompose(done -> {
            CompletableFuture<Void> ended = new CompletableFuture<>();
            loops.shutdownGracefully(quietPeriod, timeout, unit).addListener(end -> ended.complete(null));
            return ended;
        });
    }
}
