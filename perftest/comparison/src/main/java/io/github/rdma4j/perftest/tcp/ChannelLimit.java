// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.tcp;

import java.io.IOException;
import java.nio.channels.Channel;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Closes a channel after a timeout: operations on it then throw an exception. Loops that spin thus need not read a
 * clock.
 */
final class ChannelLimit implements AutoCloseable {
    private final Channel channel;
    private final long end;
    private final Thread thread;
    private volatile boolean over;
    private volatile boolean closing;

    ChannelLimit(Channel channel, Duration limit) {
        this.channel = channel;
        this.end = System.nanoTime() + limit.toNanos();
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-tcp-limit").start(this::watch);
    }

    private void watch() {
        while (!closing) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                over = true;
                closeChannel();
                return;
            }
            LockSupport.parkNanos(this, left);
        }
    }

    private void closeChannel() {
        try {
            channel.close();
        } catch (IOException _) {
            // The channel is not used any more.
        }
    }

    /** Returns whether the channel was closed because of the timeout. */
    boolean isOver() {
        return over;
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
    }
}
