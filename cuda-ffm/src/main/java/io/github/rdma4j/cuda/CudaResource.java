// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.UseGuard;
import io.github.rdma4j.cuda.internal.ContextCalls;
import io.github.rdma4j.cuda.internal.Results;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A native object of CUDA that must be closed. Closing it first closes its dependents, the newest first; closing twice
 * does nothing. Use after a close throws an {@link IllegalStateException}.
 *
 * <p>Thread safety: {@code close()} may be called from any thread, even while another thread is inside a call on the
 * object: it waits until that call has ended. No lock is held while it waits, or while the driver waits. Other threads
 * can create, use and close other objects of the context, for which the device may be waiting. If two threads close an
 * object, the second one waits for the first.
 *
 * @since 0.1.0
 */
public abstract class CudaResource implements AutoCloseable {
    /** Null for a context. */
    private final CudaResource parent;

    /**
     * Without it, the driver would follow the pointer of a destroyed object, or write to memory that has been allocated
     * again.
     */
    private final UseGuard guard = new UseGuard();

    private final Dependents dependents = new Dependents();
    private volatile boolean closed;

    CudaResource(CudaResource parent) {
        this.parent = parent;
    }

    /**
     * Creates a dependent. A close waits for it, so that no dependent is missed between the native call and its entry.
     */
    final <T extends CudaResource> T create(Supplier<T> creation) {
        if (!dependents.startCreation()) {
            throw closedException();
        }
        T made = null;
        try {
            context().bind();
            made = creation.get();
            return made;
        } finally {
            dependents.endCreation(made);
        }
    }

    /**
     * Adds a dependent that must be closed before this object and before its CUDA objects: a registration of its memory
     * with a network adapter, for instance, or a thread that writes the words for which its streams wait. Its
     * {@code close()} may call {@link #removeDependent}. If it throws a {@link CudaCloseTimeoutException}, it stays
     * open, and so does this object. Other exceptions are thrown when everything is closed.
     *
     * @param dependent closed once, before this object is destroyed, unless it is removed
     * @throws IllegalStateException if this object is closed
     */
    public final void addDependent(AutoCloseable dependent) {
        if (!dependents.add(dependent)) {
            throw closedException();
        }
    }

    /**
     * Removes a dependent that was closed on its own.
     *
     * @param dependent the dependent that was added
     */
    public final void removeDependent(AutoCloseable dependent) {
        dependents.remove(dependent);
    }

    /** {@return the context that it belongs to} */
    public abstract CudaContext context();

    /**
     * Returns the native handle or address, for calls that this library does not have. It is valid until this is
     * closed; nothing guards its use.
     *
     * @return the {@code CUcontext}, {@code CUstream}, {@code CUdeviceptr} …
     * @throws IllegalStateException if it is closed
     */
    public abstract long handle();

    /** {@return whether it can be used; false once a {@link #close()} has reached it} */
    public final boolean isOpen() {
        return !closed;
    }

    final void requireOpen() {
        if (closed) {
            throw closedException();
        }
    }

    final IllegalStateException closedException() {
        return new IllegalStateException(this + " is closed");
    }

    /**
     * Called before a native call that uses the object; {@link #exit()} must follow. The same thread may enter again.
     */
    final void enter() {
        if (!guard.enter()) {
            throw closedException();
        }
    }

    /** As {@link #enter()}, but returns false if it is closed. */
    final boolean tryEnter() {
        return guard.enter();
    }

    final void exit() {
        guard.exit();
    }

    /**
     * Whether queued work may use it without being inside a call, so that it must not be released before that work is
     * done.
     */
    boolean isUsedByWork() {
        return false;
    }

    /** Whether streams of other contexts may also use it. */
    boolean isUsedByWorkElsewhere() {
        return false;
    }

    /**
     * Called when no thread is inside a call on it any more, even if the driver cannot be called after that.
     *
     * @param deadline by System.nanoTime
     * @throws CudaCloseTimeoutException if it must not be released yet
     */
    void abandon(long deadline) {}

    /**
     * Destroys the native object. Called with the dependents closed and the context current. Nothing may block before
     * its last call of the driver: a virtual thread could continue on a carrier with another current context.
     */
    abstract void release();

    /** Called when a close ends, even if the driver could not be called for {@link #release}. */
    void afterClose() {}

    /** Whether a failed {@link #release} has left resources that another call can release. */
    boolean isIncomplete() {
        return false;
    }

    /**
     * Closes the dependents, then this. Memory and modules first wait for the work of their context, up to
     * {@link CudaContext#closeTimeout()}. This counts as closed even if the driver reports an error, which may belong
     * to work that was queued long before.
     *
     * @throws CudaException the first error, with the others suppressed; everything is closed nevertheless
     * @throws CudaCloseTimeoutException if the work is not done in time, another thread is creating a dependent, or is
     *     inside a call with the segment of pinned memory. Nothing is freed, and this can be closed again
     */
    @Override
    public final void close() {
        close(context().closeDeadline());
    }

    /**
     * Closes this if no work must be waited for. Otherwise it stays a dependent of its context, which closes it later.
     * Used to undo a failed creation: the calls that free memory wait for all work, which may wait for the calling
     * thread.
     *
     * @param cause receives failures as suppressed exceptions
     */
    final void closeUnlessBusy(Throwable cause) {
        try {
            close(System.nanoTime());
        } catch (CudaCloseTimeoutException _) {
            // The context closes it.
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    /** All objects that a context closes share one deadline, so that many waits take no longer than one. */
    private void close(long deadline) {
        if (!startClosing(deadline)) {
            return;
        }
        boolean finished = false;
        try {
            List<Throwable> failures = new ArrayList<>();
            if (!closed) {
                closeDependents(deadline, failures);
                awaitWork(deadline, failures);
                shut();
            }
            // Waits once more, for work that was queued meanwhile. Now no thread can queue more.
            awaitWork(deadline, failures);
            abandon(deadline, failures);
            attempt(this::releaseInContext, failures);
            afterClose();
            finished = !isIncomplete();
            throwFirst(failures);
        } finally {
            endClosing(finished);
        }
    }

    /**
     * Closes this by a call that the driver may refuse, and which does not wait for work. If the driver refuses, this
     * is open again.
     */
    final void closeBy(Runnable call) {
        boolean finished = false;
        if (!startClosing(context().closeDeadline())) {
            throw closedException();
        }
        try {
            requireOpen();
            List<Throwable> failures = new ArrayList<>();
            closeDependents(context().closeDeadline(), failures);
            throwFirst(failures);
            shut();
            try {
                call.run();
                finished = true;
            } finally {
                if (!finished) {
                    open();
                }
            }
        } finally {
            endClosing(finished);
        }
    }

    final boolean isBeingClosed() {
        return dependents.isClosing();
    }

    private boolean startClosing(long deadline) {
        return switch (dependents.startClosing(deadline)) {
            case BEGUN -> true;
            case NOTHING_TO_DO -> false;
            case TIMED_OUT ->
                throw new CudaCloseTimeoutException(this
                        + " is not closed: another thread is creating a dependent of it, or closing it, for longer than "
                        + TimeText.of(context().closeTimeout()) + ". Close it again when that thread is done");
        };
    }

    private void endClosing(boolean finished) {
        if (finished && parent != null) {
            parent.removeDependent(this);
        }
        dependents.endClosing(finished);
    }

    private void shut() {
        dependents.seal();
        boolean shut = false;
        try {
            guard.close();
            shut = true;
        } finally {
            if (!shut) {
                dependents.unseal();
            }
        }
        closed = true;
    }

    private void open() {
        closed = false;
        guard.reopen();
        dependents.unseal();
    }

    private void closeDependents(long deadline, List<Throwable> failures) {
        Set<AutoCloseable> kept = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> tooEarly = new ArrayList<>();
        for (AutoCloseable next = dependents.newestExcept(kept); next != null; next = dependents.newestExcept(kept)) {
            AutoCloseable dependent = next;
            try {
                attempt(() -> close(dependent, deadline), failures);
                dependents.remove(dependent);
            } catch (CudaCloseTimeoutException e) {
                kept.add(dependent);
                tooEarly.add(e);
            }
        }
        tooEarly.addAll(failures);
        if (!kept.isEmpty()) {
            throwFirst(tooEarly);
        }
    }

    private static void close(AutoCloseable dependent, long deadline) throws Exception {
        if (dependent instanceof CudaResource resource) {
            resource.close(deadline);
        } else {
            dependent.close();
        }
    }

    private void awaitWork(long deadline, List<Throwable> failures) {
        // A closed context has no unfinished work.
        if (!isUsedByWork() || !context().isOpen()) {
            return;
        }
        CudaContext busy = UnfinishedWork.await(context(), isUsedByWorkElsewhere(), deadline);
        if (busy != null) {
            List<Throwable> all = new ArrayList<>();
            all.add(tooEarly(busy));
            all.addAll(failures);
            throwFirst(all);
        }
    }

    private void abandon(long deadline, List<Throwable> failures) {
        try {
            abandon(deadline);
        } catch (CudaCloseTimeoutException e) {
            failures.forEach(e::addSuppressed);
            throw e;
        }
    }

    private CudaCloseTimeoutException tooEarly(CudaContext busy) {
        return new CudaCloseTimeoutException(this + " is not freed" + (closed ? ", though closed to new uses" : "")
                + ": earlier work of streams of " + busy + " is not done after "
                + TimeText.of(context().closeTimeout())
                + ". Write the value that a stream may still wait for, or wait for the streams, and close this"
                + " again");
    }

    private void releaseInContext() {
        // Memory of the virtual-memory API can outlive its context, if it could not be released before.
        if (parent == null || !context().isOpen()) {
            release();
            return;
        }
        // A context must not be queried while one of its streams is captured: that would invalidate the capture.
        boolean canSynchronize = isUsedByWork() && !UnfinishedWork.isCaptured(context());
        context().bind();
        // Waits for streams of other libraries, which cannot be queried. The memory is freed even if their work has
        // failed.
        int work = canSynchronize ? ContextCalls.synchronize() : Results.SUCCESS;
        List<Throwable> failures = new ArrayList<>();
        attempt(this::release, failures);
        if (work != Results.SUCCESS) {
            failures.addFirst(Results.failure(work, "cuCtxSynchronize() before memory was freed"));
        }
        throwFirst(failures);
    }

    /** A step of a close, which may fail. */
    private interface Step {
        void run() throws Exception;
    }

    /** A step that was too early is not a failure. */
    private static void attempt(Step step, List<Throwable> failures) {
        try {
            step.run();
        } catch (CudaCloseTimeoutException e) {
            throw e;
        } catch (RuntimeException | Error e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException(e));
        }
    }

    private static void throwFirst(List<Throwable> failures) {
        if (!failures.isEmpty()) {
            Throwable first = failures.removeFirst();
            failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
            if (first instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) first;
        }
    }
}
