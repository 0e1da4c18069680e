// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.time.Duration;
import java.util.Arrays;

/**
 * Keeps a few messages under way and sends the next one when an answer comes: finds out how many a second can be had,
 * and warms both sides up.
 */
public final class ClosedLoop {
    /**
     * The number of messages under way on all connections together, or one on each: enough that neither side waits for
     * the other.
     */
    private static final int UNDER_WAY = 4;

    private final Exchange exchange;
    private final int[] toSend;
    private long sent;
    private long answered;
    private final Patience patience;

    private ClosedLoop(Exchange exchange, Duration limit) {
        this.exchange = exchange;
        toSend = new int[exchange.connections()];
        Arrays.fill(toSend, Math.max(1, UNDER_WAY / toSend.length));
        patience = new Patience(exchange, System.nanoTime(), limit);
    }

    /**
     * Runs a loop and waits for the last answers.
     *
     * @param time how long messages are sent
     * @param limit how long it may take beyond that
     * @return messages per second
     * @throws RunFailedException when a message is lost or wrong, or it takes too long
     */
    public static double run(Exchange exchange, Duration time, Duration limit) {
        return new ClosedLoop(exchange, time.plus(limit)).run(time.toNanos());
    }

    private double run(long nanoseconds) {
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanoseconds) {
            send();
            takeIn(now);
            now = System.nanoTime();
        }
        double rate = answered * 1e9 / (now - start);
        while (answered < sent) {
            takeIn(System.nanoTime());
        }
        return rate;
    }

    private void send() {
        for (int i = 0; i < toSend.length; i++) {
            while (toSend[i] > 0 && exchange.trySend(i)) {
                toSend[i]--;
                sent++;
            }
        }
        exchange.flush();
    }

    private void takeIn(long now) {
        exchange.takeIn(Duration.ofMillis(100).toNanos(), (connection, _) -> {
            toSend[connection]++;
            answered++;
            patience.answered(now);
        });
        patience.check(now, sent - answered);
    }
}
