// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import java.time.Duration;

/** Limits a loop: it fails when no answer arrives for long, and when all of them together take too long. */
final class Patience {
    /** No working connection is silent for this long, even on an emulated machine. */
    static final Duration SILENCE = Duration.ofSeconds(10);

    private final Exchange exchange;
    private final long end;
    private final Duration limit;
    private long lastAnswer;

    /**
     * @param now nanoseconds of the clock
     * @param limit how long the loop may take from now on
     */
    Patience(Exchange exchange, long now, Duration limit) {
        this.exchange = exchange;
        this.limit = limit;
        end = now + limit.toNanos();
        lastAnswer = now;
    }

    /** An answer came. */
    void answered(long now) {
        lastAnswer = now;
    }

    /**
     * Looks at the clock.
     *
     * @param underWay how many messages were sent, or are due, and are not answered
     * @throws RunFailedException when it has taken too long
     */
    void check(long now, long underWay) {
        if (underWay == 0) {
            lastAnswer = now;
        }
        if (now - lastAnswer > SILENCE.toNanos()) {
            throw RunFailedException.ofLostPeer(
                    "no answer came for " + SILENCE.toSeconds() + " s, the first to " + exchange.oldest() + "; "
                            + underWay + " are missing",
                    "the server stands still, or messages were lost: see what it has printed");
        }
        if (now - end > 0) {
            throw new RunFailedException(
                    "after " + limit.toSeconds() + " s still " + underWay + " messages were not answered",
                    "the rate is far above what can be had: give lower --rates, or more time with --timeout");
        }
    }
}
