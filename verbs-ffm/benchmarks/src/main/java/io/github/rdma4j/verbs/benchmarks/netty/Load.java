// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks.netty;

import io.netty.channel.EventLoop;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** When the clients send which message, and what became of it. Used by the client's event loop. */
abstract sealed class Load {
    /** How a message leaves. */
    interface Sender {
        void send(int client, long number);
    }

    private static final long LONGEST_RUN = TimeUnit.SECONDS.toNanos(60);

    final Sender sender;
    final int clients;
    /** The number of the last echo on each connection. */
    private final long[] last;

    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final long[] nanos;
    private int answered;
    private long begin;
    private long end;

    Load(Sender sender, int clients, long messages) {
        this.sender = sender;
        this.clients = clients;
        last = new long[clients];
        nanos = new long[Math.toIntExact(messages)];
    }

    /** Of the next message on a connection: its number is the time when it is due. */
    final void send(int client, long due) {
        sender.send(client, due);
    }

    final void begin() {
        begin = System.nanoTime();
        Arrays.fill(last, begin);
        start();
    }

    abstract void start();

    /** All echoes arrive in order, so a number that is smaller than the last one is wrong. */
    final void answered(int client, long number) {
        long now = System.nanoTime();
        if (number < last[client] || done.isDone()) {
            done.completeExceptionally(new AssertionError("an echo of " + number + " on connection " + client));
            return;
        }
        last[client] = number;
        nanos[answered++] = now - number;
        if (answered == nanos.length) {
            end = now;
            done.complete(null);
        } else {
            next(client, now);
        }
    }

    abstract void next(int client, long now);

    final boolean isLate() {
        return System.nanoTime() - begin > LONGEST_RUN;
    }

    final CompletableFuture<Void> done() {
        return done;
    }

    final long messages() {
        return nanos.length;
    }

    final Figures figures(long cpuNanos, long userNanos, long bytes) {
        return new Figures(answered, (end - begin) / 1e9, Arrays.copyOf(nanos, answered), cpuNanos, userNanos, bytes);
    }

    /** Sends the next message when the echo of the last one has arrived. */
    static final class Closed extends Load {
        private long toSend;

        Closed(Sender sender, int clients, long messages) {
            super(sender, clients, messages);
            toSend = messages;
        }

        @Override
        void start() {
            for (int client = 0; client < clients; client++) {
                next(client, System.nanoTime());
            }
        }

        @Override
        void next(int client, long now) {
            if (toSend > 0) {
                toSend--;
                send(client, now);
            }
        }
    }

    /** Messages are due at equal distances. */
    static final class Open extends Load {
        private final EventLoop loop;
        private final double nanosBetween;
        private long first;
        private long due;

        Open(EventLoop loop, Sender sender, int clients, double perSecond, double seconds) {
            super(sender, clients, Math.max(1, (long) (perSecond * seconds)));
            this.loop = loop;
            nanosBetween = 1e9 / perSecond;
        }

        @Override
        void start() {
            first = System.nanoTime();
            sendWhatIsDue();
        }

        /**
         * The event loop never sleeps in between: TCP's loop would wake up a millisecond late. It polls for echoes each
         * time: a task that is executed instead of scheduled would run again first.
         */
        private void sendWhatIsDue() {
            long now = System.nanoTime();
            for (long at = timeOf(due); due < messages() && at <= now; at = timeOf(due)) {
                send((int) (due++ % clients), at);
            }
            if (isLate()) {
                done().completeExceptionally(new AssertionError("the echoes do not come to an end"));
            }
            if (!done().isDone()) {
                loop.schedule(this::sendWhatIsDue, 0, TimeUnit.NANOSECONDS);
            }
        }

        private long timeOf(long message) {
            return first + (long) (message * nanosBetween);
        }

        @Override
        void next(int client, long now) {}
    }
}
