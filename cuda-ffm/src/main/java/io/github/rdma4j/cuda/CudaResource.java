// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.internal.UseGuard;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A native object of CUDA that must be closed. Closing it first closes what depends on it, youngest first; closing
 * twice does nothing. Use after close is an {@link IllegalStateException}.
 *
 * <p>Thread safety: {@code close()} may be called from any thread, also while another one is inside a call on the
 * object: it waits until that call is over.
 *
 * @since 0.1.0
 */
public abstract class CudaResource implements AutoCloseable {
    /** One for all of a context: opening and closing are rare, and their order matters. */
    private final ReentrantLock lock;

    /** Null for a context. */
    private final CudaResource parent;

    /** The driver would follow the pointer of a destroyed object, or write to memory that is another's by now. */
    private final UseGuard guard = new UseGuard();

    private final Set<AutoCloseable> dependents = new LinkedHashSet<>();
    private volatile boolean closed;

    CudaResource(CudaResource parent) {
        this.parent = parent;
        this.lock = parent == null ? new ReentrantLock() : parent.lock;
    }

    /** Creates a dependent while no close can come between the native call and its entry here. */
    final <T extends CudaResource> T create(Supplier<T> creation) {
        lock.lock();
        try {
            requireOpen();
            context().makeCurrent();
            T made = creation.get();
            dependents.add(made);
            return made;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has something closed before this object: a registration of its memory with a network adapter, for instance. Its
     * {@code close()} may call {@link #removeDependent}, and must not wait for another thread that uses this context.
     *
     * @param dependent closed once, before this object is destroyed, unless it is removed
     * @throws IllegalStateException if this object is closed
     */
    public final void addDependent(AutoCloseable dependent) {
        lock.lock();
        try {
            requireOpen();
            dependents.add(dependent);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Forgets a dependent that has been closed by itself.
     *
     * @param dependent as it was added
     */
    public final void removeDependent(AutoCloseable dependent) {
        lock.lock();
        try {
            dependents.remove(dependent);
        } finally {
            lock.unlock();
        }
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

    /** {@return whether {@link #close()} has not been called yet} */
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

    final void exit() {
        guard.exit();
    }

    /** Called with nobody inside a call on it any more, even if the driver cannot be reached after that. */
    void abandon() {}

    /** Destroys the native object; called once, with the dependents closed, the context current and the lock held. */
    abstract void release();

    /**
     * Closes what depends on it, then this. It counts as closed even if the driver reports an error, which it may do
     * for work that was queued long before.
     *
     * @throws CudaException the first error, others being suppressed in it; all is closed nevertheless
     */
    @Override
    public final void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            List<RuntimeException> failures = new ArrayList<>();
            for (AutoCloseable dependent : new ArrayList<>(dependents).reversed()) {
                attempt(dependent::close, failures);
            }
            dependents.clear();
            closed = true;
            guard.close();
            attempt(this::abandon, failures);
            attempt(this::releaseInContext, failures);
            if (parent != null) {
                parent.dependents.remove(this);
            }
            if (!failures.isEmpty()) {
                RuntimeException first = failures.removeFirst();
                failures.forEach(first::addSuppressed);
                throw first;
            }
        } finally {
            lock.unlock();
        }
    }

    private void releaseInContext() {
        if (parent != null) {
            context().makeCurrent();
        }
        release();
    }

    /** What can fail in closing. */
    private interface Step {
        void run() throws Exception;
    }

    private static void attempt(Step step, List<RuntimeException> failures) {
        try {
            step.run();
        } catch (RuntimeException e) {
            failures.add(e);
        } catch (Exception e) {
            failures.add(new IllegalStateException(e));
        }
    }
}
