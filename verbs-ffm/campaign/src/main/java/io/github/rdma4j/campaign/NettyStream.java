// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.util.concurrent.TimeUnit;

/** Messages preceded by their lengths, as many as the channel accepts. */
final class NettyStream extends NettyTalk {
    private static final int LONGEST_FRAME = 1 << 20;

    private final boolean busy;

    /** @param busy whether to send anything before the end */
    NettyStream(int side, long seed, long lengthMillis, boolean busy) {
        super(side, seed, lengthMillis);
        this.busy = busy;
    }

    @Override
    void addTo(ChannelPipeline pipeline) {
        pipeline.addLast(new LengthFieldBasedFrameDecoder(LONGEST_FRAME, 0, Integer.BYTES, 0, Integer.BYTES), this);
    }

    @Override
    void start() {
        channel().eventLoop().schedule(this::end, lengthMillis(), TimeUnit.MILLISECONDS);
        goOn();
    }

    @Override
    void goOn() {
        while (busy && channel().isActive() && channel().isWritable() && !isTime() && !isEnded()) {
            write(frame(next()));
            channel().flush();
        }
    }

    private void end() {
        if (channel().isActive()) {
            write(frame(last()));
            channel().flush();
        }
    }

    private ByteBuf frame(byte[] bytes) {
        return Unpooled.wrappedBuffer(Unpooled.copyInt(bytes.length), buffer(bytes));
    }

    @Override
    void read(Object message) {
        take(ByteBufUtil.getBytes((ByteBuf) message));
    }

    @Override
    void allIsSaid() {
        channel().close();
    }
}
