// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ServerSocketChannelConfig;
import java.util.Map;

/** The options of a server, and of the endpoints that it accepts. */
final class RdmaServerSocketChannelConfig extends DefaultChannelConfig implements ServerSocketChannelConfig {
    private final RdmaServerSocketChannel channel;
    private final RdmaOptions options = new RdmaOptions();
    private volatile int backlog = 128;

    RdmaServerSocketChannelConfig(RdmaServerSocketChannel channel) {
        super(channel, new ServerChannelRecvByteBufAllocator());
        this.channel = channel;
    }

    RdmaOptions options() {
        return options;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.SO_BACKLOG) {
            return (T) (Integer) getBacklog();
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return (T) (Boolean) isReuseAddress();
        }
        if (option == ChannelOption.SO_RCVBUF) {
            return (T) (Integer) getReceiveBufferSize();
        }
        Object value = options.get(option);
        return value == null ? super.getOption(option) : (T) value;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> all = getOptions(
                super.getOptions(), ChannelOption.SO_BACKLOG, ChannelOption.SO_REUSEADDR, ChannelOption.SO_RCVBUF);
        all.putAll(options.all());
        return all;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.SO_BACKLOG) {
            setBacklog((Integer) value);
            return true;
        }
        boolean hasNoMeaning = option == ChannelOption.SO_REUSEADDR || option == ChannelOption.SO_RCVBUF;
        return hasNoMeaning || options.set(option, value) || super.setOption(option, value);
    }

    /** {@return how many connected clients may wait to be read} */
    @Override
    public int getBacklog() {
        return backlog;
    }

    @Override
    public RdmaServerSocketChannelConfig setBacklog(int clients) {
        if (clients < 1) {
            throw new IllegalArgumentException("SO_BACKLOG %d: at least 1".formatted(clients));
        }
        backlog = clients;
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return false;
    }

    @Override
    public RdmaServerSocketChannelConfig setReuseAddress(boolean value) {
        return this;
    }

    @Override
    public int getReceiveBufferSize() {
        return options.receiveBytes();
    }

    @Override
    public RdmaServerSocketChannelConfig setReceiveBufferSize(int bytes) {
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    protected void autoReadCleared() {
        channel.clearReadPending();
    }

    @Override
    public RdmaServerSocketChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaServerSocketChannelConfig setMaxMessagesPerRead(int count) {
        super.setMaxMessagesPerRead(count);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    @Deprecated
    public RdmaServerSocketChannelConfig setWriteBufferHighWaterMark(int mark) {
        super.setWriteBufferHighWaterMark(mark);
        return this;
    }

    @Override
    @Deprecated
    public RdmaServerSocketChannelConfig setWriteBufferLowWaterMark(int mark) {
        super.setWriteBufferLowWaterMark(mark);
        return this;
    }

    @Override
    public RdmaServerSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark marks) {
        super.setWriteBufferWaterMark(marks);
        return this;
    }
}
