// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * The threads of {@link StorageConfig#threads} and the thread of batches, started on first use.
 */
final class Workers {
    private static final long IDLE_SECONDS = 30;

    private final int threads;
    private ThreadPoolExecutor executor;
    private boolean closed;

    Workers(int threads) {
        this.threads = threads;
    }

    private synchronized ThreadPoolExecutor executor() {
        if (closed) {
            throw new IllegalStateException("the storage is closed");
        }
        if (executor == null) {
            executor = new ThreadPoolExecutor(
                    threads,
                    threads,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    Thread.ofPlatform().daemon().name("rdma4j-storage-", 0).factory());
            executor.allowCoreThreadTimeOut(true);
        }
        return executor;
    }

    void submit(Runnable task) {
        executor().execute(task);
    }

    /**
     * Runs a task for each number; the caller runs number 0. Returns or throws only when all started tasks are done,
     * because they use the caller's memory and file.
     */
    void share(int count, IntConsumer task) {
        List<Future<?>> others = new ArrayList<>();
        Throwable failure = null;
        try {
            for (int i = 1; i < count; i++) {
                int number = i;
                others.add(executor().submit(() -> task.accept(number)));
            }
            task.accept(0);
        } catch (RuntimeException | Error e) {
            // Also if a thread cannot be started, because memory or the limit of threads is exhausted.
            failure = e;
        }
        for (Future<?> other : others) {
            failure = awaited(other, failure);
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    /** Waits uninterruptibly. Each wait of the threads has a timeout. */
    private static Throwable awaited(Future<?> future, Throwable before) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    future.get();
                    return before;
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    if (before == null) {
                        return e.getCause();
                    }
                    before.addSuppressed(e.getCause());
                    return before;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    synchronized void close() {
        closed = true;
        if (executor != null) {
            executor.shutdown();
        }
    }
}
