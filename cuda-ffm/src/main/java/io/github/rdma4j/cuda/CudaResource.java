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
 * A native object of CUDA that must be closed. Closing it first closes what depends on it, youngest first; closing
 * twice does nothing. Use after close is an {@link IllegalStateException}.
 *
 * <p>Thread safety: {@code close()} may be called from any thread, also while another one is inside a call on the
 * object: it waits until that call is over. No lock is held while it waits, or while the driver does: other threads go
 * on creating, using and closing other objects of the context, which may be what the device waits for. A thread that
 * closes an object while another thread is closing it waits for that thread.
 *
 * @since 0.1.0
 */
public abstract class CudaResource implements AutoCloseable {
    /** Null for a context. */
    private final CudaResource parent;

    /** The driver would follow the pointer of a destroyed object, or write to memory that is another's by now. */
    private final UseGuard guard = new UseGuard();

    private final Dependents dependents = new Dependents();
    private volatile boolean closed;

    CudaResource(CudaResource parent) {
        this.parent = parent;
    }

    /** Creates a dependent. A close waits for it, so that none is forgotten between the native call and its entry. */
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
     * Has something closed before this object, and before its CUDA objects: a registration of its memory with a network
     * adapter, for instance, or what answers the words that its streams wait for. Its {@code close()} may call
     * {@link #removeDependent}. If it throws a {@link CudaCloseTimeoutException}, it stays open, and so does this
     * object. Other exceptions are thrown when everything is closed.
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
     * @param dependent as it was added
     */
    public final void removeDependent(AutoCloseable dependent) {
        dependents.remove(dependent);
    }

    /** {@return the context that it belongs to} */
    public abstract CudaContext context();

    /**
     * The native handle or address, for a call that is not wrapped. It is valid until this is closed; nothing guards
     * its use.
     *
     * @return the {@code CUcontext}, {@code CUstream}, {@code CUdeviceptr} …
     * @throws IllegalStateException if it is closed
     */
    public abstract long handle();

    /** {@return whether it can be used: not once a {@link #close()} has come as far} */
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

    /** Before a native call that uses the object; {@link #exit()} must follow. The same thread may enter again. */
    final void enter() {
        if (!guard.enter()) {
            throw closedException();
        }
    }

    /** {@link #enter()} for those who can do without: false if it is closed. */
    final boolean tryEnter() {
        return guard.enter();
    }

    final void exit() {
        guard.exit();
    }

    /** Whether queued work may use it without being inside, so that it is released when that work is done. */
    boolean isUsedByWork() {
        return false;
    }

    /** Whether streams of other contexts may also use it. */
    boolean isUsedByWorkElsewhere() {
        return false;
    }

    /**
     * Called with nobody inside a call on it any more, even if the driver cannot be reached after that.
     *
     * @param deadline by System.nanoTime
     * @throws CudaCloseTimeoutException if it must not be released yet
     */
    void abandon(long deadline) {}

    /**
     * Destroys the native object; called with the dependents closed and the context current. Nothing in it may block
     * before its last call of the driver: a virtual thread would go on on a carrier with another context.
     */
    abstract void release();

    /** Called when a close is over, even if the driver could not be reached for {@link #release}. */
    void afterClose() {}

    /** Whether a {@link #release} that failed has left something that another one can give back. */
    boolean isIncomplete() {
        return false;
    }

    /**
     * Closes what depends on it, then this. Memory and modules wait for the work of their context first, for as long as
     * {@link CudaContext#closeTimeout()} says. It counts as closed even if the driver reports an error, which it may do
     * for work that was queued long before.
     *
     * @throws CudaException the first error, others being suppressed in it; all is closed nevertheless
     * @throws CudaCloseTimeoutException if the work is not done in time, another thread is creating something here, or
     *     is inside a call with the segment of pinned memory; nothing is freed under them, and this can be closed again
     */
    @Override
    public final void close() {
        close(context().closeDeadline());
    }

    /**
     * Closes this if no work has to be waited for. Otherwise it stays a dependent of its context, which closes it. For
     * undoing: the calls that free memory wait for all work, and the work may wait for the calling thread.
     *
     * @param cause gets what fails here
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

    /** Once for all that a context closes, so that a hundred waits are no longer than one. */
    private void close(long deadline) {
        if (!startClosing(deadline)) {
            return;
        }
        boolean finished = false;
        try {
            List<RuntimeException> failures = new ArrayList<>();
            if (!closed) {
                closeDependents(deadline, failures);
                awaitWork(deadline, failures);
                shut();
            }
            // Once more for what was queued meanwhile; now nobody can queue more with it.
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
     * Closes it by a call that the driver may refuse, and which does not wait for work. If it is refused, this is open
     * as before.
     */
    final void closeBy(Runnable giveBack) {
        boolean finished = false;
        if (!startClosing(context().closeDeadline())) {
            throw closedException();
        }
        try {
            requireOpen();
            List<RuntimeException> failures = new ArrayList<>();
            closeDependents(context().closeDeadline(), failures);
            throwFirst(failures);
            shut();
            try {
                giveBack.run();
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
            case TIME_IS_OVER ->
                throw new CudaCloseTimeoutException(this
                        + " is not closed: another thread is creating something of it, or closing it, for longer than "
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

    private void closeDependents(long deadline, List<RuntimeException> failures) {
        Set<AutoCloseable> kept = Collections.newSetFromMap(new IdentityHashMap<>());
        List<RuntimeException> tooEarly = new ArrayList<>();
        for (AutoCloseable next = dependents.youngestBut(kept); next != null; next = dependents.youngestBut(kept)) {
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

    private void awaitWork(long deadline, List<RuntimeException> failures) {
        // A context that is closed has done its work.
        if (!isUsedByWork() || !context().isOpen()) {
            return;
        }
        CudaContext busy = UnfinishedWork.await(context(), isUsedByWorkElsewhere(), deadline);
        if (busy != null) {
            List<RuntimeException> all = new ArrayList<>();
            all.add(tooEarly(busy));
            all.addAll(failures);
            throwFirst(all);
        }
    }

    private void abandon(long deadline, List<RuntimeException> failures) {
        try {
            abandon(deadline);
        } catch (CudaCloseTimeoutException e) {
            failures.forEach(e::addSuppressed);
            throw e;
        }
    }

    private CudaCloseTimeoutException tooEarly(CudaContext busy) {
        return new CudaCloseTimeoutException(this + " is not freed" + (closed ? ", though closed to new uses" : "")
                + ": what streams of " + busy + " were given before is not done after "
                + TimeText.of(context().closeTimeout())
                + ". Write the value that a stream may still wait for, or wait for the streams, and close this"
                + " again");
    }

    private void releaseInContext() {
        // Memory of the virtual-memory API can outlive its context, when it could not be given back before.
        if (parent == null || !context().isOpen()) {
            release();
            return;
        }
        // A context cannot be asked while one of its streams is captured: that would spoil the capture.
        boolean isAskable = isUsedByWork() && !UnfinishedWork.isCaptured(context());
        context().bind();
        // For streams of other libraries, which cannot be queried. The memory is freed however their work ended.
        int work = isAskable ? ContextCalls.synchronize() : Results.SUCCESS;
        List<RuntimeException> failures = new ArrayList<>();
        attempt(this::release, failures);
        if (work != Results.SUCCESS) {
            failures.addFirst(Results.failure(work, "cuCtxSynchronize() before memory was freed"));
        }
        throwFirst(failures);
    }

    /** What can fail in closing. */
    private interface Step {
        void run() throws Exception;
    }

    /** A step that came too early has not failed. */
    private static void attempt(Step step, List<RuntimeException> failures) {
        try {
            step.run();
        } catch (CudaCloseTimeoutException e) {
            throw e;
        } catch (RuntimeException e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException(e));
        }
    }

    private static void throwFirst(List<RuntimeException> failures) {
        if (!failures.isEmpty()) {
            RuntimeException first = failures.removeFirst();
            failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
            throw first;
        }
    }
}
