// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.placement.Placement;
import io.github.rdma4j.perftest.stream.RunControl;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that ends the rounds of a warm-up: after a while a round that is stuck because the device has no loopback,
 * and soon a round that is meant to spin. Without rounds that spin, the loops would be compiled for the case that they
 * never wait.
 */
final class RoundLimit implements AutoCloseable {
    /** A busy virtual machine can pause for seconds. */
    private static final long WITHOUT_LOOPBACK = Duration.ofSeconds(10).toNanos();

    /** Bounds a hang. */
    private static final long STUCK = Duration.ofSeconds(60).toNanos();

    private final RunControl control;
    private final Thread thread;
    private volatile long endAt = Long.MAX_VALUE;
    private volatile boolean loopback;
    private volatile boolean closing;
    /** The first failure of a loop; for the thread of the rounds. */
    private String failure;

    RoundLimit(RunControl control) {
        this.control = control;
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-warm-up-limit").start(this::watch);
    }

    /** Starts a round that this thread must end. */
    void endSoon() {
        endAt = System.nanoTime();
        LockSupport.unpark(thread);
    }

    /** Starts a round that ends without help if loopback works. */
    void endWhenStuck() {
        endAt = System.nanoTime() + (loopback ? STUCK : WITHOUT_LOOPBACK);
    }

    /** Records that a round has ended without help. */
    void loopbackWorks() {
        loopback = true;
    }

    /**
     * Returns the result of a round.
     *
     * @param messages the number that it sent
     * @param failures a failure for each of its loops, null if there was none
     * @return the number of messages; -1 if the round failed or was stuck
     */
    int outcome(long messages, String... failures) {
        for (String each : failures) {
            if (failure == null) {
                failure = each;
            }
        }
        return failure == null && control.running() ? (int) messages : -1;
    }

    /** Explains why a round has failed. */
    String reason() {
        String what = loopback ? "a local pair stood still" : "no loopback on this device";
        return failure == null ? what : "a local pair failed: " + failure;
    }

    private void watch() {
        Placement.leaveMeasuringCpus();
        while (!closing) {
            long left = endAt - System.nanoTime();
            if (left <= 0) {
                endAt = Long.MAX_VALUE;
                control.enter(RunControl.ENDED);
            }
            LockSupport.parkNanos(this, left <= 0 ? WITHOUT_LOOPBACK : Math.min(left, WITHOUT_LOOPBACK));
        }
    }

    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(thread);
    }
}
