// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.talk;

import io.github.rdma4j.perftest.exit.PerftestException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * Receives a connection's messages in a separate thread, so that a busy thread is notified at once when the other end
 * has gone. It ends with the connection. For use by one thread, which must no longer receive from the {@link Line}.
 */
public final class LineReader {
    /** The thread that takes a message has a timeout; the thread that receives has none. */
    private static final Duration EVER = Duration.ofDays(10);

    private final Line line;
    private CompletableFuture<Supplier<Message>> next;

    /** Starts the thread. */
    public LineReader(Line line) {
        this.line = line;
        next = listen();
    }

    private CompletableFuture<Supplier<Message>> listen() {
        CompletableFuture<Supplier<Message>> came = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("rdma4j-peer-hearing").start(() -> {
            try {
                Message message = line.receive(EVER);
                came.complete(() -> message);
            } catch (PerftestException failure) {
                came.complete(() -> {
                    throw failure;
                });
            }
        });
        return came;
    }

    /** Is complete when there is something to {@linkplain #take take}: a message, or the end of the connection. */
    public CompletableFuture<?> something() {
        return next;
    }

    /**
     * Waits for a message.
     *
     * @param limit the timeout
     * @throws PeerLostException if the connection has ended, or no message arrived in time
     * @throws BadMessageException if the data is not a message
     */
    public Message take(Duration limit) {
        try {
            Message message = next.get(limit.toNanos(), TimeUnit.NANOSECONDS).get();
            next = listen();
            return message;
        } catch (TimeoutException _) {
            throw new PeerLostException("the other end has sent nothing for " + limit.toSeconds() + " s");
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new PeerLostException("interrupted while waiting for the other end");
        } catch (ExecutionException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
