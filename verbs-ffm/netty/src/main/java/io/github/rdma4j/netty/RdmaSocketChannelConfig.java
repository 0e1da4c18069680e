// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.MessageSizeEstimator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannelConfig;
import java.util.Map;

/**
 * The options of a channel. Options of TCP that have no meaning here are accepted without effect, so that programs for
 * sockets need no change; {@link RdmaSocketChannel} lists them.
 */
final class RdmaSocketChannelConfig extends DefaultChannelConfig implements SocketChannelConfig {
    private final RdmaSocketChannel channel;
    private final RdmaOptions options;
    private volatile boolean allowHalfClosure;
    private volatile int soLinger = -1;

    /**
     * Creates the defaults.
     *
     * @param options the options; for an accepted channel, the server's options
     */
    RdmaSocketChannelConfig(RdmaSocketChannel channel, RdmaOptions options) {
        super(channel);
        this.channel = channel;
        this.options = options;
    }

    RdmaOptions options() {
        return options;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T getOption(ChannelOption<T> option) {
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            return (T) (Boolean) allowHalfClosure;
        }
        if (option == ChannelOption.SO_LINGER) {
            return (T) (Integer) soLinger;
        }
        if (option == ChannelOption.TCP_NODELAY) {
            return (T) (Boolean) isTcpNoDelay();
        }
        if (option == ChannelOption.SO_KEEPALIVE) {
            return (T) (Boolean) isKeepAlive();
        }
        if (option == ChannelOption.SO_REUSEADDR) {
            return (T) (Boolean) isReuseAddress();
        }
        if (option == ChannelOption.SO_RCVBUF) {
            return (T) (Integer) getReceiveBufferSize();
        }
        if (option == ChannelOption.SO_SNDBUF) {
            return (T) (Integer) getSendBufferSize();
        }
        if (option == ChannelOption.IP_TOS) {
            return (T) (Integer) getTrafficClass();
        }
        Object value = options.get(option);
        return value == null ? super.getOption(option) : (T) value;
    }

    @Override
    public Map<ChannelOption<?>, Object> getOptions() {
        Map<ChannelOption<?>, Object> all = getOptions(
                super.getOptions(),
                ChannelOption.ALLOW_HALF_CLOSURE,
                ChannelOption.SO_LINGER,
                ChannelOption.TCP_NODELAY,
                ChannelOption.SO_KEEPALIVE,
                ChannelOption.SO_REUSEADDR,
                ChannelOption.SO_RCVBUF,
                ChannelOption.SO_SNDBUF,
                ChannelOption.IP_TOS);
        all.putAll(options.all());
        return all;
    }

    @Override
    public <T> boolean setOption(ChannelOption<T> option, T value) {
        validate(option, value);
        if (option == ChannelOption.ALLOW_HALF_CLOSURE) {
            setAllowHalfClosure((Boolean) value);
        } else if (option == ChannelOption.SO_LINGER) {
            setSoLinger((Integer) value);
        } else if (!hasNoMeaning(option) && !options.set(option, value)) {
            return super.setOption(option, value);
        }
        return true;
    }

    private static boolean hasNoMeaning(ChannelOption<?> option) {
        return option == ChannelOption.TCP_NODELAY
                || option == ChannelOption.SO_KEEPALIVE
                || option == ChannelOption.SO_REUSEADDR
                || option == ChannelOption.SO_RCVBUF
                || option == ChannelOption.SO_SNDBUF
                || option == ChannelOption.IP_TOS;
    }

    @Override
    public boolean isAllowHalfClosure() {
        return allowHalfClosure;
    }

    @Override
    public RdmaSocketChannelConfig setAllowHalfClosure(boolean value) {
        allowHalfClosure = value;
        return this;
    }

    @Override
    public int getSoLinger() {
        return soLinger;
    }

    @Override
    public RdmaSocketChannelConfig setSoLinger(int seconds) {
        soLinger = Math.max(-1, seconds);
        return this;
    }

    /** {@return true: a message is sent as soon as it is flushed} */
    @Override
    public boolean isTcpNoDelay() {
        return true;
    }

    @Override
    public RdmaSocketChannelConfig setTcpNoDelay(boolean value) {
        return this;
    }

    /** {@return true: see {@link RdmaChannelOption#SILENCE_TIMEOUT_MILLIS}} */
    @Override
    public boolean isKeepAlive() {
        return true;
    }

    @Override
    public RdmaSocketChannelConfig setKeepAlive(boolean value) {
        return this;
    }

    @Override
    public boolean isReuseAddress() {
        return false;
    }

    @Override
    public RdmaSocketChannelConfig setReuseAddress(boolean value) {
        return this;
    }

    /** {@return the total length of the receive buffers, in bytes} */
    @Override
    public int getReceiveBufferSize() {
        return options.receiveBytes();
    }

    @Override
    public RdmaSocketChannelConfig setReceiveBufferSize(int bytes) {
        return this;
    }

    @Override
    public int getSendBufferSize() {
        return options.sendBytes();
    }

    @Override
    public RdmaSocketChannelConfig setSendBufferSize(int bytes) {
        return this;
    }

    @Override
    public int getTrafficClass() {
        return 0;
    }

    @Override
    public RdmaSocketChannelConfig setTrafficClass(int value) {
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setPerformancePreferences(int connectionTime, int latency, int bandwidth) {
        return this;
    }

    @Override
    protected void autoReadCleared() {
        channel.clearReadPending();
    }

    @Override
    public RdmaSocketChannelConfig setConnectTimeoutMillis(int millis) {
        super.setConnectTimeoutMillis(millis);
        return this;
    }

    @Override
    @Deprecated
    public RdmaSocketChannelConfig setMaxMessagesPerRead(int count) {
        super.setMaxMessagesPerRead(count);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteSpinCount(int count) {
        super.setWriteSpinCount(count);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAllocator(ByteBufAllocator allocator) {
        super.setAllocator(allocator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator allocator) {
        super.setRecvByteBufAllocator(allocator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAutoRead(boolean autoRead) {
        super.setAutoRead(autoRead);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setAutoClose(boolean autoClose) {
        super.setAutoClose(autoClose);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setMessageSizeEstimator(MessageSizeEstimator estimator) {
        super.setMessageSizeEstimator(estimator);
        return this;
    }

    @Override
    public RdmaSocketChannelConfig setWriteBufferWaterMark(WriteBufferWaterMark marks) {
        super.setWriteBufferWaterMark(marks);
        return this;
    }
}
