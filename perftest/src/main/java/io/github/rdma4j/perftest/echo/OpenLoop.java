// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.figures.LatencyFigures;
import io.github.rdma4j.perftest.figures.LatencySamples;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Sends messages at a fixed rate, whatever becomes of the answers. The latency of a message begins when it was due: if
 * the loop is late, or there was no room, that is part of it. So a standstill counts for each message that it held up.
 */
public final class OpenLoop {
    private final Exchange exchange;
    private final Schedule schedule;
    private final Patience patience;
    private final LongSupplier clock;
    private final LatencySamples samples = new LatencySamples(1);
    private final Exchange.Listener listener = this::answered;

    /** The number of each connection's first message of this loop. */
    private final long[] first;

    /** For each connection, the number of messages that are due and wait for space. */
    private final long[] waiting;

    private long waitingInAll;
    private long next;
    private long lastAnswer;

    private OpenLoop(Exchange exchange, double perSecond, long messages, Duration limit, LongSupplier clock) {
        this.exchange = exchange;
        this.clock = clock;
        int connections = exchange.connections();
        long start = clock.getAsLong();
        schedule = new Schedule(start, perSecond, connections, messages);
        patience = new Patience(exchange, start, limit.plusNanos(schedule.duration()));
        first = new long[connections];
        for (int i = 0; i < connections; i++) {
            first[i] = exchange.sent(i);
        }
        waiting = new long[connections];
    }

    /**
     * The result of a loop.
     *
     * @param perSecond messages per second that were answered; not more than were offered
     * @param latency of all messages, from the time at which each was due to its echo
     */
    public record Result(double perSecond, LatencyFigures latency) {}

    /**
     * Runs a loop and waits for all answers.
     *
     * @param perSecond the rate, on all connections together
     * @param messages how many, from 1
     * @param limit how long the last answers may take beyond the time of the messages
     * @throws RunFailedException when a message is lost or wrong, or it takes too long
     */
    public static Result run(Exchange exchange, double perSecond, long messages, Duration limit) {
        return run(exchange, perSecond, messages, limit, System::nanoTime);
    }

    static Result run(Exchange exchange, double perSecond, long messages, Duration limit, LongSupplier clock) {
        return new OpenLoop(exchange, perSecond, messages, limit, clock).run();
    }

    private Result run() {
        long begin = System.currentTimeMillis();
        while (samples.count() < schedule.messages()) {
            long now = clock.getAsLong();
            sendThoseThatWait();
            while (next < schedule.messages() && schedule.due(next) - now <= 0) {
                send(schedule.connection(next));
                next++;
            }
            exchange.flush();
            exchange.takeIn(untilNext(), listener);
            patience.check(now, next - samples.count());
        }
        long took = Math.max(schedule.duration(), lastAnswer - schedule.start());
        return new Result(schedule.messages() * 1e9 / took, samples.figures(begin, System.currentTimeMillis()));
    }

    /**
     * Returns the time until the next message is due. A message that waits for space is tried again when an echo has
     * arrived.
     */
    private long untilNext() {
        if (next == schedule.messages()) {
            return Patience.SILENCE.toNanos() / 10;
        }
        return Math.max(0, schedule.due(next) - clock.getAsLong());
    }

    private void send(int connection) {
        // Never ahead of an earlier one.
        if (waiting[connection] > 0 || !exchange.trySend(connection)) {
            waiting[connection]++;
            waitingInAll++;
        }
    }

    private void sendThoseThatWait() {
        for (int i = 0; i < waiting.length && waitingInAll > 0; i++) {
            while (waiting[i] > 0 && exchange.trySend(i)) {
                waiting[i]--;
                waitingInAll--;
            }
        }
    }

    private void answered(int connection, long number) {
        lastAnswer = clock.getAsLong();
        samples.record(lastAnswer - schedule.due(schedule.index(connection, number - first[connection])));
        patience.answered(lastAnswer);
    }
}
