// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.perftest.placement.Placement;
import io.github.rdma4j.perftest.stream.RunControl;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that ends the rounds of a warm-up: one that is stuck because the device has no loopback after a while, one
 * that is meant to spin soon. Without spinning rounds the loops would be compiled for the case that nothing is ever
 * waited for.
 */
final class RoundLimit implements AutoCloseable {
    /** A busy virtual machine can stand still for seconds. */
    private static final long WITHOUT_LOOPBACK = Duration.ofSeconds(10).toNanos();

    /** Bounds a hang. */
    private static final long STUCK = Duration.ofSeconds(60).toNanos();

    private final RunControl control;
    private final Thread thread;
    private volatile long endAt = Long.MAX_VALUE;
    private volatile boolean loopback;
    private volatile boolean closing;
    /** The first one of a loop; of the thread that makes the rounds. */
    private String failure;

    RoundLimit(RunControl control) {
        this.control = control;
        this.thread = Thread.ofPlatform().daemon().name("rdma4j-warm-up-limit").start(this::watch);
    }

    /** A round begins that will not end by itself. */
    void endSoon() {
        endAt = System.nanoTime();
        LockSupport.unpark(thread);
    }

    /** A round begins that ends by itself where loopback works. */
    void endWhenStuck() {
        endAt = System.nanoTime() + (loopback ? STUCK : WITHOUT_LOOPBACK);
    }

    /** A round has ended by itself. */
    void loopbackWorks() {
        loopback = true;
    }

    /**
     * What came of a round.
     *
     * @param messages that it has sent
     * @param failures of its loops, each null if there was none
     * @return the messages; -1 if it has failed, or was stuck
     */
    int outcome(long messages, String... failures) {
        for (String each : failures) {
            if (failure == null) {
                failure = each;
            }
        }
        return failure == null && control.running() ? (int) messages : -1;
    }

    /** Why a round has failed, in words. */
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
