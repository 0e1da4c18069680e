// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.netty.channel.ChannelOption;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** The values of {@link RdmaChannelOption}, for a client or for a server. Set and read by any thread. */
final class RdmaOptions {
    private static final int SMALLEST_MESSAGE = 64;

    private volatile int messageSize = 8192;
    private volatile int receiveBuffers = 32;
    private volatile int sendBuffers = 32;
    private volatile int silenceTimeoutMillis = 30_000;

    /** Sets an option; false if it is none of these. */
    boolean set(ChannelOption<?> option, Object value) {
        if (option == RdmaChannelOption.MESSAGE_SIZE) {
            messageSize = atLeast(SMALLEST_MESSAGE, option, value);
        } else if (option == RdmaChannelOption.RECEIVE_BUFFERS) {
            // One for handlers to keep, one for the adapter.
            receiveBuffers = atLeast(2, option, value);
        } else if (option == RdmaChannelOption.SEND_BUFFERS) {
            sendBuffers = atLeast(1, option, value);
        } else if (option == RdmaChannelOption.SILENCE_TIMEOUT_MILLIS) {
            silenceTimeoutMillis = atLeast(0, option, value);
        } else {
            return false;
        }
        return true;
    }

    /** The value must suit the endpoint, too, which has the upper limits. */
    private int atLeast(int least, ChannelOption<?> option, Object value) {
        int number = (Integer) value;
        if (number < least) {
            throw new IllegalArgumentException("%s %d: at least %d".formatted(option.name(), number, least));
        }
        return number;
    }

    /** The value of an option; null if it is none of these. */
    Integer get(ChannelOption<?> option) {
        return all().get(option);
    }

    Map<ChannelOption<?>, Integer> all() {
        Map<ChannelOption<?>, Integer> values = new LinkedHashMap<>();
        values.put(RdmaChannelOption.MESSAGE_SIZE, messageSize);
        values.put(RdmaChannelOption.RECEIVE_BUFFERS, receiveBuffers);
        values.put(RdmaChannelOption.SEND_BUFFERS, sendBuffers);
        values.put(RdmaChannelOption.SILENCE_TIMEOUT_MILLIS, silenceTimeoutMillis);
        return values;
    }

    int receiveBuffers() {
        return receiveBuffers;
    }

    void applyTo(EndpointConfig config) {
        config.maxMessageSize(messageSize)
                .receiveBuffers(receiveBuffers)
                .sendDepth(sendBuffers)
                .silenceTimeout(Duration.ofMillis(silenceTimeoutMillis));
    }

    void applyTo(EndpointConfig config, InetSocketAddress localAddress) {
        applyTo(config);
        if (localAddress != null) {
            config.localAddress(localAddress);
        }
    }
}
