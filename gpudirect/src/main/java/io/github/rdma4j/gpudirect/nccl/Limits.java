// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaWaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits with a timeout. */
final class Limits {
    /**
     * In this time, NCCL starts a thread and launches a kernel in non-blocking mode. The shortest sleep of a thread
     * takes half as long.
     */
    private static final long SPIN_NANOS = 100_000;

    private static final long LONGEST_PAUSE_NANOS = 1_000_000;
    private static final int PAUSES_IN_WAIT = 16;

    private Limits() {}

    /**
     * Polls until the condition holds or the timeout passes. An interrupt does not end the wait, because an operation
     * in progress cannot be abandoned; the thread's interrupt flag is set afterwards.
     */
    static boolean await(BooleanSupplier done, Duration limit) {
        boolean[] interrupted = {false};
        try {
            return await(done, limit, () -> interrupted[0] |= Thread.interrupted());
        } finally {
            if (interrupted[0]) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Polls until the condition holds or the timeout passes. An interrupt ends the wait with an exception, so nothing
     * may be half done.
     */
    static boolean awaitUnlessInterrupted(BooleanSupplier done, Duration limit, String what) {
        return await(done, limit, () -> {
            if (Thread.currentThread().isInterrupted()) {
                throw new CudaWaitInterruptedException(what);
            }
        });
    }

    private static boolean await(BooleanSupplier done, Duration limit, Runnable afterPause) {
        long nanos = Timeouts.checkedNanos(limit);
        long start = System.nanoTime();
        while (!done.getAsBoolean()) {
            long elapsed = System.nanoTime() - start;
            if (elapsed >= nanos) {
                return done.getAsBoolean();
            }
            if (elapsed < SPIN_NANOS) {
                Thread.onSpinWait();
            } else {
                LockSupport.parkNanos(Math.min(elapsed / PAUSES_IN_WAIT, LONGEST_PAUSE_NANOS));
                afterPause.run();
            }
        }
        return true;
    }
}
