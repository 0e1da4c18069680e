// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpMessage;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;

/** The client posts messages, some before the last one is answered, and the server answers each message. */
final class NettyHttp extends NettyTalk {
    private static final int AHEAD = 4;
    private static final int LONGEST = 1 << 20;

    private final boolean client;

    NettyHttp(int side, long seed, long lengthMillis) {
        super(side, seed, lengthMillis);
        client = side == 1;
    }

    @Override
    void addTo(ChannelPipeline pipeline) {
        ChannelHandler codec = client ? new HttpClientCodec() : new HttpServerCodec();
        pipeline.addLast(codec, new HttpObjectAggregator(LONGEST), this);
    }

    @Override
    void start() {
        for (int i = 0; client && i < AHEAD; i++) {
            send(next());
        }
    }

    @Override
    void goOn() {}

    @Override
    void read(Object message) {
        take(ByteBufUtil.getBytes(((FullHttpMessage) message).content()));
        if (client && isEnded()) {
            return; // the rest of the answers
        }
        send((client ? isTime() : allCame()) ? last() : next());
    }

    private void send(byte[] body) {
        FullHttpMessage message = client
                ? new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/", buffer(body))
                : new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, buffer(body));
        HttpUtil.setContentLength(message, body.length);
        write(message);
        channel().flush();
    }

    @Override
    void allIsSaid() {
        if (client) {
            channel().close();
        }
    }
}
