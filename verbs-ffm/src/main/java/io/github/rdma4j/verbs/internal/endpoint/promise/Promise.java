// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.promise;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A future that an endpoint completes, unless the program does so first by cancelling it or by a timeout. The race is
 * decided once, on the endpoint's side under its lock; so a message is given to a future only if the future takes it.
 * The future itself completes later, without the lock, because callbacks that a program has chained to it run in the
 * completing thread.
 */
public final class Promise<T> extends ProgressFuture<T> {
    private static final int NOBODY = 0;
    private static final int PROGRAM = 1;
    private static final int ENDPOINT = 2;
    private static final VarHandle DECIDED_BY;

    static {
        try {
            DECIDED_BY = MethodHandles.lookup().findVarHandle(Promise.class, "decidedBy", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through DECIDED_BY
    private volatile int decidedBy;

    private T value;
    private Throwable failure;
    /** The next promise of {@link Decisions}, which is decided and not completed yet. */
    Promise<?> next;

    public Promise(Progress progress) {
        super(progress);
    }

    /** The endpoint decides; false if the program was quicker. With the lock held. */
    @SuppressWarnings("unchecked")
    public boolean decide(Object newValue, Throwable newFailure) {
        if (decidedBy != NOBODY) {
            return false;
        }
        value = (T) newValue;
        failure = newFailure;
        return DECIDED_BY.compareAndSet(this, NOBODY, ENDPOINT);
    }

    /** Whether the program has taken it back. */
    public boolean isWithdrawn() {
        return decidedBy == PROGRAM;
    }

    @Override
    public boolean isDecided() {
        return decidedBy == ENDPOINT || isDone();
    }

    /** Completes the future with the endpoint's decision. */
    @Override
    public void handOver() {
        if (decidedBy == ENDPOINT) {
            if (failure == null) {
                super.complete(value);
            } else {
                super.completeExceptionally(failure);
            }
        }
    }

    /** What the endpoint decided if it failed; null if it succeeded. */
    public Throwable decidedFailure() {
        return failure;
    }

    /** What the endpoint decided if it succeeded. */
    public T decidedValue() {
        return value;
    }

    /** Whether the program may complete it. If the endpoint was quicker, it is complete when this returns. */
    private boolean withdraw() {
        if (DECIDED_BY.compareAndSet(this, NOBODY, PROGRAM) || decidedBy == PROGRAM) {
            return true;
        }
        handOver();
        return false;
    }

    @Override
    public boolean complete(T result) {
        boolean changed = withdraw() && super.complete(result);
        if (changed) {
            nudge();
        }
        return changed;
    }

    @Override
    public boolean completeExceptionally(Throwable reason) {
        boolean changed = withdraw() && super.completeExceptionally(reason);
        if (changed) {
            nudge();
        }
        return changed;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!withdraw()) {
            return isCancelled();
        }
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        nudge();
        return cancelled;
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier) {
        return completeAsync(supplier, defaultExecutor());
    }

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        executor.execute(() -> {
            try {
                complete(supplier.get());
            } catch (Throwable e) {
                completeExceptionally(e);
            }
        });
        return this;
    }
}
