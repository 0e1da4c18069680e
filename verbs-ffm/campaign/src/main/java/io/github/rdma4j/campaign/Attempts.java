// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import java.time.Duration;
import java.util.List;

/** The results of a client that connects repeatedly. For one thread. */
final class Attempts {
    /** How much longer than its own timeout a step may take. */
    static final int SLACK_MILLIS = 2_000;
    /** How long an attempt may take to succeed after the wire has been restored. */
    static final long RECOVERY_MILLIS = 20_000;

    private final long begun = System.nanoTime();
    long made;
    long successes;
    /** What must not be, or nothing. */
    String wrong = "";
    /** What took longer than its limit, or nothing. */
    String hung = "";

    private String failure = "";
    private long failedAtMillis;

    long elapsed() {
        return (System.nanoTime() - begun) / 1_000_000;
    }

    boolean isGood() {
        return wrong.isEmpty() && hung.isEmpty();
    }

    String failure() {
        return failure;
    }

    /** Records an attempt that failed with an exception. */
    void fail(String text) {
        failure = text;
        failedAtMillis = elapsed();
    }

    void fail(Exception e) {
        fail(e.getClass().getSimpleName() + ": " + e.getMessage());
    }

    void within(String what, long millis, Duration limit) {
        if (millis > limit.toMillis() + SLACK_MILLIS) {
            hung = what + " took " + millis + " ms of " + limit.toMillis();
        }
    }

    /** {@return attempts as sent, successes as received, and others as transfers} */
    EndReport report(long others, boolean done) {
        return new EndReport(
                "machine 1", made, successes, others, done, failure, failedAtMillis, wrong, hung, List.of());
    }
}
