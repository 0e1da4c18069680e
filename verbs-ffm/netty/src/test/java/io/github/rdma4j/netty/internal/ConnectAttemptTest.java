// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectAttemptTest {
    private static final long SECONDS = 60;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    private final Channel channel = new LocalChannel();
    private final ChannelPromise promise = channel.newPromise();
    private final CompletableFuture<String> aborted = new CompletableFuture<>();

    @BeforeEach
    void register() {
        loops.register(channel).syncUninterruptibly();
    }

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private ConnectAttempt<String> attempt(ConnectAttempt.Connector<String> connector, Consumer<String> connected) {
        return new ConnectAttempt<>(channel, promise, 0, connector, failure -> failure, connected, aborted::complete);
    }

    @Test
    void connectionThatTheChannelCannotUseFailsThePromiseAndClosesTheChannel() throws Exception {
        attempt(timeout -> "connection", connection -> {
            throw new IllegalStateException("closed");
        });
        assertThat(promise.await(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(promise.cause()).isInstanceOf(ClosedChannelException.class);
        assertThat(channel.closeFuture().await(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void connectionOfAClosedChannelIsAborted() throws Exception {
        CompletableFuture<String> answer = new CompletableFuture<>();
        attempt(timeout -> answer.join(), connection -> {});
        channel.close().sync();
        answer.complete("connection");
        assertThat(aborted.get(SECONDS, TimeUnit.SECONDS)).isEqualTo("connection");
    }

    @Test
    void cancelledPromiseClosesTheChannel() throws Exception {
        attempt(timeout -> new CompletableFuture<String>().get(), connection -> {});
        promise.cancel(false);
        assertThat(channel.closeFuture().await(SECONDS, TimeUnit.SECONDS)).isTrue();
    }
}
