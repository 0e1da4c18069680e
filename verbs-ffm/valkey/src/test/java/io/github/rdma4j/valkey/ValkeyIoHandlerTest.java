// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Event loops without a device. */
class ValkeyIoHandlerTest {
    private static final long SECONDS = 60;

    private final IoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("loop", true), ValkeyIoHandler.newFactory());
    private final IoEventLoop loop = loops.next();

    @AfterEach
    void end() {
        loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    @Test
    void interruptedLoopContinuesAndClearsTheFlag() throws Exception {
        loop.execute(() -> Thread.currentThread().interrupt());
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        // Not in the same turn.
        while (loop.submit(() -> Thread.currentThread().isInterrupted()).get(SECONDS, TimeUnit.SECONDS)) {
            assertThat(System.nanoTime() - end).isNegative();
        }
    }

    @Test
    void loopThatEndsWaitsForClosesThatReportToIt() throws Exception {
        CompletableFuture<Void> ending = new CompletableFuture<>();
        CompletableFuture<Void> reported = new CompletableFuture<>();
        IoRegistration registration = loop.register(new ValkeyIoHandler.Handle() {
                    @Override
                    public void ready() {}

                    @Override
                    public void handle(IoRegistration at, IoEvent event) {}

                    @Override
                    public void close() {
                        ending.complete(null);
                    }
                })
                .get(SECONDS, TimeUnit.SECONDS);
        ValkeyIoHandler.Registration at = registration.attachment();
        at.closeAside(() -> {
            ending.join();
            sleep();
            loop.execute(() -> reported.complete(null));
        });
        loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS);
        assertThat(loops.awaitTermination(SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(reported).isCompleted();
    }

    private static void sleep() {
        try {
            // A loop that does not wait refuses tasks after that.
            Thread.sleep(100);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
