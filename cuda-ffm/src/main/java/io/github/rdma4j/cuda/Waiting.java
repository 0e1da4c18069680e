// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.Timeouts;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits with a timeout, which the driver's own waiting calls do not have. */
final class Waiting {
    /** Most GPU work is done within this time; sleeping would take longer. */
    private static final long SPIN_NANOS = 50_000;

    private static final long SHORTEST_PAUSE_NANOS = 1_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;
    /** Pauses grow with the wait, so that no pause makes it much longer. */
    private static final int PAUSES_IN_WAIT = 16;

    private Waiting() {}

    static boolean until(BooleanSupplier done, Duration timeout, String what) {
        long limit = Timeouts.checkedNanos(timeout);
        return until(done, limit, () -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new CudaWaitInterruptedException(what);
            }
        });
    }

    /**
     * Waits until a time of System.nanoTime, and ignores interrupts. For operations that must not be left half done.
     */
    static boolean until(BooleanSupplier done, long deadline) {
        boolean[] interrupted = {false};
        try {
            return until(done, deadline - System.nanoTime(), () -> interrupted[0] |= Thread.interrupted());
        } finally {
            if (interrupted[0]) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static boolean until(BooleanSupplier done, long limit, Runnable afterPause) {
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            long elapsed = System.nanoTime() - start;
            if (elapsed >= limit) {
                return done.getAsBoolean();
            }
            if (elapsed < SPIN_NANOS) {
                Thread.onSpinWait();
                continue;
            }
            long pause = Math.clamp(elapsed / PAUSES_IN_WAIT, SHORTEST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
            LockSupport.parkNanos(Math.min(pause, limit - elapsed));
            afterPause.run();
        }
        return true;
    }
}
