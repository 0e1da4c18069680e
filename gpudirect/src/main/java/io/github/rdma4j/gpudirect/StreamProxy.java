// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A thread that posts the transfers that streams start and signals completions to the streams, for any number of
 * {@link StreamChannel}s. With this library, a GPU cannot ring an adapter's doorbell itself (see docs/gpudirect.md), so
 * this thread does; no other thread of the program is needed.
 *
 * <p>It polls the words of the channels without a pause while anything moves, and for {@link StreamProxyConfig#spin}
 * after that. Then it sleeps between polls. It calls no code of the program.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class StreamProxy implements AutoCloseable {
    private static final Duration END = Duration.ofSeconds(10);
    private static final int POLLS_BETWEEN_YIELDS = 32;
    private static final StreamChannel[] NONE = {};

    private final long spinNanos;
    private final long pauseNanos;
    private final Thread thread;
    private volatile StreamChannel[] channels = NONE;
    private volatile boolean woken;
    private volatile boolean asleep;
    private volatile boolean stopping;
    private boolean closing;

    private StreamProxy(StreamProxyConfig config) {
        spinNanos = config.spinNanos();
        pauseNanos = config.pauseNanos();
        thread = Thread.ofPlatform().daemon().name("rdma4j-stream-proxy").unstarted(this::run);
    }

    /** {@return a running proxy with the defaults} */
    public static StreamProxy start() {
        return start(config -> {});
    }

    /**
     * Starts a proxy.
     *
     * @param configuration changes the defaults
     * @return the running proxy
     */
    public static StreamProxy start(Consumer<StreamProxyConfig> configuration) {
        StreamProxyConfig config = new StreamProxyConfig();
        configuration.accept(config);
        StreamProxy proxy = new StreamProxy(config);
        proxy.thread.start();
        return proxy;
    }

    void add(StreamChannel channel) {
        synchronized (this) {
            if (closing) {
                throw new IllegalStateException(this + " is closed");
            }
            StreamChannel[] more = Arrays.copyOf(channels, channels.length + 1);
            more[channels.length] = channel;
            channels = more;
        }
        wake();
    }

    synchronized void remove(StreamChannel channel) {
        channels = Arrays.stream(channels).filter(other -> other != channel).toArray(StreamChannel[]::new);
    }

    /** Called when a request is about to follow. */
    void wake() {
        woken = true;
        if (asleep) {
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        long last = System.nanoTime();
        for (int polls = 0; !stopping; polls++) {
            boolean moved = poll();
            long now = System.nanoTime();
            if (moved || woken) {
                woken = false;
                last = now;
            } else if (now - last < spinNanos && channels.length > 0) {
                pauseShortly(polls);
            } else {
                sleep();
            }
        }
    }

    private boolean poll() {
        boolean moved = false;
        for (StreamChannel channel : channels) {
            try {
                moved |= channel.progress();
            } catch (RuntimeException | Error e) {
                giveUp(channel, e);
            }
        }
        return moved;
    }

    /**
     * Fails one channel: its failure must not affect the others. A channel whose words are freed has no streams any
     * more.
     */
    private void giveUp(StreamChannel channel, Throwable cause) {
        try {
            try {
                channel.breakDown(cause);
            } catch (RuntimeException e) {
                remove(channel);
            }
        } catch (Error e) {
            // The channel has stored the cause, and fails at the next poll.
            woken = true;
        }
    }

    /** Yields now and then, so that other threads can run if there are few cores. */
    private static void pauseShortly(int polls) {
        if (polls % POLLS_BETWEEN_YIELDS == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    private void sleep() {
        asleep = true;
        if (!woken && !stopping) {
            LockSupport.parkNanos(channels.length == 0 ? END.toNanos() : pauseNanos);
        }
        asleep = false;
        // Nothing else interrupts this thread. With the flag set, each pause would end at once, and use a whole core.
        Thread.interrupted();
    }

    /**
     * Closes its channels and stops the thread.
     *
     * @throws io.github.rdma4j.cuda.CudaCloseTimeoutException if a channel cannot be closed yet. The thread continues,
     *     and a later close tries again
     * @throws IllegalStateException if the thread does not end in 10 seconds
     */
    @Override
    public void close() {
        StreamChannel[] left;
        synchronized (this) {
            closing = true;
            left = channels;
        }
        RuntimeException first = null;
        for (StreamChannel channel : left) {
            try {
                channel.close();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
        stopping = true;
        LockSupport.unpark(thread);
        try {
            if (!thread.join(END)) {
                throw new IllegalStateException(this + " has not stopped after " + TimeText.of(END));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** {@return how many channels it serves} */
    @Override
    public String toString() {
        return "stream proxy of %d channels".formatted(channels.length);
    }
}
