// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.channel.ChannelOption;

/**
 * Options of {@link RdmaSocketChannel} and {@link RdmaServerSocketChannel} that sockets do not have. Set them before
 * the channel is connected or bound: with {@code Bootstrap.option} for a client, with {@code ServerBootstrap.option}
 * for all channels that a server accepts. Setting them later, or as {@code childOption}, throws an {@link
 * IllegalStateException}, which a bootstrap logs.
 *
 * <p>Each channel pins {@code MESSAGE_SIZE × (RECEIVE_BUFFERS + SEND_BUFFERS + 4)} bytes of memory; by default 544 KiB.
 *
 * @param <T> the option's type
 * @since 0.1.0
 */
public final class RdmaChannelOption<T> extends ChannelOption<T> {
    /**
     * The longest message that the stream is cut into, in bytes; the smaller value of both sides applies ({@link
     * EndpointConfig#maxMessageSize}). 64 to 2^26, default 8192.
     */
    public static final ChannelOption<Integer> MESSAGE_SIZE = valueOf(RdmaChannelOption.class, "MESSAGE_SIZE");

    /**
     * How many messages may be under way to this side or unread ({@link EndpointConfig#receiveBuffers}). 2 to 65535,
     * default 32.
     */
    public static final ChannelOption<Integer> RECEIVE_BUFFERS = valueOf(RdmaChannelOption.class, "RECEIVE_BUFFERS");

    /** How many messages of this side may be under way ({@link EndpointConfig#sendDepth}). 1 to 65535, default 32. */
    public static final ChannelOption<Integer> SEND_BUFFERS = valueOf(RdmaChannelOption.class, "SEND_BUFFERS");

    /**
     * The time within which a dead path or machine is reported, in milliseconds ({@link
     * EndpointConfig#silenceTimeout}). At least 100, or 0 for never; default 30000.
     */
    public static final ChannelOption<Integer> SILENCE_TIMEOUT_MILLIS =
            valueOf(RdmaChannelOption.class, "SILENCE_TIMEOUT_MILLIS");

    /**
     * How long a client with {@link Transport#RDMA_OR_TCP} tries RDMA before it falls back to TCP, in milliseconds
     * ({@link EndpointConfig#rdmaTimeout}). At least 1, and at most half of the time to connect; default 2000.
     */
    public static final ChannelOption<Integer> RDMA_TIMEOUT_MILLIS =
            valueOf(RdmaChannelOption.class, "RDMA_TIMEOUT_MILLIS");

    /**
     * A group whose channels share a completion queue, a pool of receive buffers and nine file descriptors ({@link
     * EndpointGroup}). A channel without a group, the default, has four descriptors and queues of its own. Close the
     * group after its channels; with a closed group, bind and connect fail with an {@link IllegalStateException}. A
     * thread that makes progress for one channel of a group receives messages for all channels, so put all channels of
     * a group on one event loop.
     */
    public static final ChannelOption<EndpointGroup> GROUP = valueOf(RdmaChannelOption.class, "GROUP");

    /**
     * The channel's transport; default {@link Transport#RDMA}. With {@link Transport#RDMA_OR_TCP} a program also runs
     * without RDMA: a server accepts clients over both, and a client falls back to TCP ({@link
     * RdmaSocketChannel#transport()}, {@link RdmaSocketChannel#rdmaFailure()}). Over TCP the peer must also be a
     * channel or an endpoint of this library. With {@link Transport#RDMA_WITH_FAILOVER} on both sides, a channel moves
     * to TCP when RDMA fails, and back when RDMA works again, without losing a byte. It then copies all written bytes,
     * and connect and bind refuse {@link #GROUP} and a {@link #SILENCE_TIMEOUT_MILLIS} of 0.
     */
    public static final ChannelOption<Transport> TRANSPORT = valueOf(RdmaChannelOption.class, "TRANSPORT");

    @SuppressWarnings("deprecation")
    private RdmaChannelOption() {
        super(null);
    }
}
