// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.promise;

import io.github.rdma4j.verbs.WaitInterruptedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A future of an endpoint, or one that was derived from it. A waiting thread makes the endpoint's progress meanwhile,
 * so a program with one thread may wait.
 */
public class ProgressFuture<T> extends CompletableFuture<T> {
    private final Progress progress;
    private boolean wakes;

    /** Of a progress that may be null, where nobody waits. */
    ProgressFuture(Progress progress) {
        this.progress = progress;
    }

    @Override
    public final <U> CompletableFuture<U> newIncompleteFuture() {
        return new ProgressFuture<>(progress);
    }

    /** Whether it is done, or only has to be completed with a decision. */
    public boolean isDecided() {
        return isDone();
    }

    /** Completes what is decided. */
    void handOver() {}

    /** The program has completed or cancelled it. */
    final void nudge() {
        if (progress != null) {
            progress.nudge();
        }
    }

    @Override
    public final T get() throws InterruptedException, ExecutionException {
        interruptibly(Progress.FOR_EVER);
        return super.get();
    }

    @Override
    public final T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        long start = System.nanoTime();
        long limit = Math.max(0, unit.toNanos(timeout));
        interruptibly(Duration.ofNanos(limit));
        return super.get(Math.max(0, limit - (System.nanoTime() - start)), TimeUnit.NANOSECONDS);
    }

    private void interruptibly(Duration timeout) throws InterruptedException {
        try {
            await(timeout);
        } catch (WaitInterruptedException e) {
            Thread.interrupted();
            InterruptedException interrupted = new InterruptedException(e.getMessage());
            interrupted.initCause(e);
            throw interrupted;
        }
    }

    @Override
    public final T join() {
        boolean interrupted = false;
        while (true) {
            try {
                await(Progress.FOR_EVER);
                break;
            } catch (WaitInterruptedException e) {
                // As CompletableFuture has it, this wait is not ended by an interrupt, which is kept for later.
                interrupted |= Thread.interrupted();
            }
        }
        try {
            return super.join();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void await(Duration timeout) {
        if (progress == null || isDone()) {
            return;
        }
        synchronized (this) {
            if (!wakes) {
                wakes = true;
                // Others can complete it: a program that cancels, an executor that a stage was given to.
                whenComplete((value, failure) -> progress.nudge());
            }
        }
        progress.awaitDecided(this, timeout);
        handOver();
    }
}
