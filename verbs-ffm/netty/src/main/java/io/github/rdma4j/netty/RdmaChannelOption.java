// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.channel.ChannelOption;

/**
 * Options of {@link RdmaSocketChannel} and {@link RdmaServerSocketChannel} that sockets do not have. Set them before
 * the channel is connected or bound: {@code Bootstrap.option} on the client's side, {@code ServerBootstrap.option} for
 * all channels that a server accepts. Later, or as {@code childOption}, they are refused with an {@link
 * IllegalStateException}, which a bootstrap logs.
 *
 * <p>Each channel pins {@code MESSAGE_SIZE × (RECEIVE_BUFFERS + 3 + SEND_BUFFERS)} bytes of memory; by default 536 KiB.
 *
 * @param <T> the option's type
 * @since 0.1.0
 */
public final class RdmaChannelOption<T> extends ChannelOption<T> {
    /**
     * Into how many bytes at most the stream is cut, the smaller one of both sides' ({@link
     * EndpointConfig#maxMessageSize}); 64 to 2^26, default 8192.
     */
    public static final ChannelOption<Integer> MESSAGE_SIZE = valueOf(RdmaChannelOption.class, "MESSAGE_SIZE");

    /**
     * How many messages may be on the way to this side, or wait here to be read ({@link
     * EndpointConfig#receiveBuffers}); 2 to 65535, default 32.
     */
    public static final ChannelOption<Integer> RECEIVE_BUFFERS = valueOf(RdmaChannelOption.class, "RECEIVE_BUFFERS");

    /**
     * How many messages of this side may be under way ({@link EndpointConfig#sendDepth}); 1 to 65535, default 32.
     */
    public static final ChannelOption<Integer> SEND_BUFFERS = valueOf(RdmaChannelOption.class, "SEND_BUFFERS");

    /**
     * How long at most a dead wire or a dead machine stays unreported, in milliseconds ({@link
     * EndpointConfig#silenceTimeout}); 100 or more, 0 for ever, default 30000.
     */
    public static final ChannelOption<Integer> SILENCE_TIMEOUT_MILLIS =
            valueOf(RdmaChannelOption.class, "SILENCE_TIMEOUT_MILLIS");

    /**
     * Lets channels share a completion queue, a pool of receive buffers and nine file descriptors ({@link
     * EndpointGroup}), in the place of four descriptors and a queue for each. By default a channel is alone. The
     * program closes the group when its channels are closed; with a closed one, a bind and a connect fail with an
     * {@link IllegalStateException}. Who makes progress for one channel of a group takes in what has come for all, so
     * channels of one event loop share best.
     */
    public static final ChannelOption<EndpointGroup> GROUP = valueOf(RdmaChannelOption.class, "GROUP");

    /**
     * What carries the channel's bytes; default {@link Transport#RDMA}. With {@link Transport#RDMA_OR_TCP} a program
     * runs where there is no RDMA, too: a server takes clients over both, and a client takes TCP when RDMA does not
     * work ({@link RdmaSocketChannel#transport()} and {@link RdmaSocketChannel#rdmaFailure()} tell). Over TCP the peer
     * is a channel or an endpoint of this library, too: no other program understands these bytes. With {@link
     * Transport#RDMA_WITH_FAILOVER} on both sides a channel moves to TCP when RDMA fails, and back when it works again,
     * with no byte lost; what is written is copied then, and {@link #GROUP} and a silence of 0 are refused when the
     * channel connects or binds.
     */
    public static final ChannelOption<Transport> TRANSPORT = valueOf(RdmaChannelOption.class, "TRANSPORT");

    @SuppressWarnings("deprecation")
    private RdmaChannelOption() {
        super(null);
    }
}
