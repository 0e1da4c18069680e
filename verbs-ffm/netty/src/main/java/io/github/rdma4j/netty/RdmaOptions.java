// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The values of {@link RdmaChannelOption}, for a client or for a server. Set and read by any thread. */
final class RdmaOptions {
    private static final int MOST_BUFFERS = 0xffff;

    private volatile int messageSize = 8192;
    private volatile int receiveBuffers = 32;
    private volatile int sendBuffers = 32;
    private volatile int silenceTimeoutMillis = 30_000;
    private volatile int rdmaTimeoutMillis = 2_000;
    private volatile Transport transport = Transport.RDMA;
    /** The group of the channels; null if each channel has its own queues. */
    private volatile EndpointGroup group;

    /** Whether the channel is connected or bound, so that the options cannot change. */
    private volatile boolean fixed;

    /** Refuses changes from now on. */
    void fix() {
        fixed = true;
    }

    /** Sets an option. Returns false if it is none of these. */
    boolean set(ChannelOption<?> option, Object value) {
        if (!isKnown(option)) {
            return false;
        }
        if (fixed) {
            // Netty's bootstraps log what is thrown.
            throw new IllegalStateException(("%s is set too late: on Bootstrap.option, or for what a server accepts on"
                            + " ServerBootstrap.option, not on childOption")
                    .formatted(option.name()));
        }
        if (option == RdmaChannelOption.MESSAGE_SIZE) {
            messageSize = range(option, value, 64, 1 << 26);
        } else if (option == RdmaChannelOption.RECEIVE_BUFFERS) {
            // One for handlers to keep, one for the adapter.
            receiveBuffers = range(option, value, 2, MOST_BUFFERS);
        } else if (option == RdmaChannelOption.SEND_BUFFERS) {
            sendBuffers = range(option, value, 1, MOST_BUFFERS);
        } else if (option == RdmaChannelOption.SILENCE_TIMEOUT_MILLIS) {
            silenceTimeoutMillis = (Integer) value == 0 ? 0 : range(option, value, 100, Integer.MAX_VALUE);
        } else if (option == RdmaChannelOption.RDMA_TIMEOUT_MILLIS) {
            rdmaTimeoutMillis = range(option, value, 1, Integer.MAX_VALUE);
        } else if (option == RdmaChannelOption.GROUP) {
            group = (EndpointGroup) value;
        } else {
            transport = (Transport) value;
        }
        return true;
    }

    private boolean isKnown(ChannelOption<?> option) {
        return option == RdmaChannelOption.GROUP || all().containsKey(option);
    }

    /** The limits are the same as in {@link EndpointConfig}. */
    private static int range(ChannelOption<?> option, Object value, int low, int high) {
        int number = (Integer) value;
        if (number < low || number > high) {
            throw new IllegalArgumentException("%s %d is not in %d..%d".formatted(option.name(), number, low, high));
        }
        return number;
    }

    /** {@return the value of an option; null if it is none of these} */
    Object get(ChannelOption<?> option) {
        return all().get(option);
    }

    Map<ChannelOption<?>, Object> all() {
        Map<ChannelOption<?>, Object> values = new LinkedHashMap<>();
        values.put(RdmaChannelOption.MESSAGE_SIZE, messageSize);
        values.put(RdmaChannelOption.RECEIVE_BUFFERS, receiveBuffers);
        values.put(RdmaChannelOption.SEND_BUFFERS, sendBuffers);
        values.put(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, silenceTimeoutMillis);
        values.put(RdmaChannelOption.RDMA_TIMEOUT_MILLIS, rdmaTimeoutMillis);
        values.put(RdmaChannelOption.TRANSPORT, transport);
        EndpointGroup shared = group;
        if (shared != null) {
            values.put(RdmaChannelOption.GROUP, shared);
        }
        return values;
    }

    int receiveBuffers() {
        return receiveBuffers;
    }

    Transport transport() {
        return transport;
    }

    /** Whether a channel may move between transports. */
    boolean moves() {
        return transport == Transport.RDMA_WITH_FAILOVER;
    }

    /** {@return the total length of the receive buffers, in bytes} */
    int receiveBytes() {
        return (int) Math.min((long) receiveBuffers * messageSize, Integer.MAX_VALUE);
    }

    /** {@return the total length of the send buffers, in bytes} */
    int sendBytes() {
        return (int) Math.min((long) sendBuffers * messageSize, Integer.MAX_VALUE);
    }

    void applyTo(EndpointConfig config) {
        config.maxMessageSize(messageSize)
                .receiveBuffers(receiveBuffers)
                .sendDepth(sendBuffers)
                .silenceTimeout(Duration.ofMillis(silenceTimeoutMillis))
                .rdmaTimeout(Duration.ofMillis(rdmaTimeoutMillis))
                .transport(transport);
        EndpointGroup shared = group;
        if (shared != null) {
            config.group(shared);
        }
    }

    void applyTo(EndpointConfig config, InetSocketAddress localAddress) {
        applyTo(config);
        if (localAddress != null) {
            config.localAddress(localAddress);
        }
    }
}
