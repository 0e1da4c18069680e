// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.StackReserve;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A native object that must be closed. Closing it first closes its children, the youngest first, so no order of
 * {@code close()} calls can leave the adapter with a dangling pointer. Closing it again does nothing.
 *
 * <p>Thread safety: {@code close()}, queries, and the methods that create children may be called from any thread; calls
 * on one device context wait for each other, so a query may wait for the registration of a large region. Posting and
 * polling never wait. Use after close throws an {@link IllegalStateException}, also if another thread closes the
 * resource during a call.
 *
 * @since 0.1.0
 */
public abstract class Resource implements AutoCloseable {
    private static final VarHandle CLOSED;

    static {
        try {
            CLOSED = MethodHandles.lookup().findVarHandle(Resource.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * One lock for the whole tree below a device context: resources are rarely opened and closed, and the order
     * matters.
     */
    private final ReentrantLock treeLock;

    /**
     * All resources of the tree by their native addresses, which events name. No lock, because events can arrive at any
     * time.
     */
    private final Map<Long, Resource> byHandle;

    /** Changed only with the lock held. */
    private List<Resource> parents;

    private final Set<Resource> children = new LinkedHashSet<>();
    /** The place of the close that closed this resource; null before the close, or if places are not recorded. */
    private volatile ClosePlace closePlace;

    private volatile boolean closed;

    /** Whether the native object is destroyed but the close is not complete. Changed only with the lock held. */
    private boolean unfinished;

    /** Why the native object may still exist although it counts as destroyed; or null. */
    private VerbsException refusal;

    /** Called only within {@link #createChild}, or for the root of a tree. Only classes of this library extend it. */
    Resource(Resource... parents) {
        this.parents = List.of(parents);
        this.treeLock = parents.length == 0 ? new ReentrantLock() : parents[0].treeLock;
        this.byHandle = parents.length == 0 ? new ConcurrentHashMap<>() : parents[0].byHandle;
        // Another thread may have closed a parent since the arguments were checked; its native object is then gone.
        this.parents.forEach(Resource::requireOpen);
    }

    /** Creates a child, so that no close can happen between the native call and the child's entry into the tree. */
    final <T extends Resource> T createChild(Supplier<T> creation) {
        return locked(() -> {
            T child = creation.get();
            for (Resource parent : ((Resource) child).parents) {
                parent.children.add(child);
            }
            byHandle.put(child.handle(), child);
            return child;
        });
    }

    /** Returns the resource of this tree that an event names; it is found until its native object is destroyed. */
    final <T extends Resource> Optional<T> find(long nativeAddress, Class<T> type) {
        return Optional.ofNullable(byHandle.get(nativeAddress))
                .filter(type::isInstance)
                .map(type::cast);
    }

    /** Runs a native call on this object's handle while it cannot be closed; for calls that are not on the hot path. */
    final <T> T locked(Supplier<T> call) {
        StackReserve.require(treeLock);
        treeLock.lock();
        try {
            requireOpen();
            return call.get();
        } finally {
            treeLock.unlock();
        }
    }

    /** Runs an action with the tree's lock held, also if this resource is closed. */
    final void underTreeLock(Runnable action) {
        StackReserve.require(treeLock);
        treeLock.lock();
        try {
            action.run();
        } finally {
            treeLock.unlock();
        }
    }

    /** Returns whether both belong to the same device context. */
    final boolean isInTreeOf(Resource other) {
        return treeLock == other.treeLock;
    }

    final void requireOpen() {
        if (closed) {
            throw closedException();
        }
    }

    /**
     * Refuses a closed resource on the hot path, at almost no cost: after a volatile load the compiler would have to
     * reload other fields. It sees a close by the calling thread at once, and a close by another thread soon. Do not
     * rely on it for anything that must not run after the close.
     */
    final void requireOpenSoon() {
        if ((boolean) CLOSED.get(this)) {
            throw closedException();
        }
    }

    IllegalStateException closedException() {
        return closedException(this + " is closed");
    }

    /** Returns the exception for the use of a closed resource, with the place of the close if it is recorded. */
    final IllegalStateException closedException(String message) {
        return new IllegalStateException(message, closePlace);
    }

    /** Joins parents that are known only when the constructor runs. */
    static Resource[] concat(Resource first, Resource... others) {
        Resource[] all = new Resource[others.length + 1];
        all[0] = first;
        System.arraycopy(others, 0, all, 1, others.length);
        return all;
    }

    /** Replaces a parent by another one of the same tree; called with the lock held. */
    final void moveTo(Resource oldParent, Resource newParent) {
        List<Resource> changed = new ArrayList<>(parents);
        changed.replaceAll(parent -> parent == oldParent ? newParent : parent);
        parents = List.copyOf(changed);
        oldParent.children.remove(this);
        newParent.children.add(this);
    }

    /**
     * Makes this resource depend on another one of the tree, which is closed after it; called with the lock held. No
     * resource may depend on this one if the other resource depends on it.
     */
    final void dependOn(Resource parent) {
        if (parent.children.add(this)) {
            List<Resource> more = new ArrayList<>(parents);
            more.add(parent);
            parents = List.copyOf(more);
        }
    }

    /** Returns all current resources of a type in the tree. */
    final <T extends Resource> Stream<T> all(Class<T> type) {
        return byHandle.values().stream().filter(type::isInstance).map(type::cast);
    }

    /** Returns the current children of a type, the youngest last. */
    final <T extends Resource> List<T> children(Class<T> type) {
        StackReserve.require(treeLock);
        treeLock.lock();
        try {
            return children.stream().filter(type::isInstance).map(type::cast).toList();
        } finally {
            treeLock.unlock();
        }
    }

    /** Returns the resources that this one depends on; called with the lock held. */
    final List<Resource> parents() {
        return parents;
    }

    /** Returns how many resources depend on this one; for tests. */
    final int childCount() {
        return locked(children::size);
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public final boolean isOpen() {
        return !closed;
    }

    /**
     * Returns the native pointer, for a verb that this library does not wrap. It is valid until this resource is
     * closed; its use is not guarded.
     *
     * @return the address of the {@code struct ibv_*}
     * @throws IllegalStateException if the resource is closed
     */
    public abstract long handle();

    /**
     * Destroys the native object; called with all children closed and the lock held. It is not called again after it
     * has succeeded. If it throws, the native object must still exist, and a second call must be possible. So nothing
     * that can fail follows the native call that succeeds: whatever remains belongs in {@link #afterRelease()}.
     */
    abstract void release();

    /**
     * Checks the result of the verb that destroys the native object of a queue pair or a completion queue. On an EFA
     * the object counts as destroyed even if the verb fails, and the close then throws: libefa of rdma-core 44 frees
     * memory of the object before it calls the kernel, so a second call would free it again.
     */
    final void checkDestroyed(DeviceDriver driver, String operation, int result) {
        if (result == 0 || !driver.isEfa()) {
            Failures.check(operation, result);
            return;
        }
        refusal = Failures.of(
                operation,
                Math.abs(result),
                "the resource is closed, but the kernel may keep its object until the process ends",
                "");
    }

    /** Reopens whatever {@link #release()} has closed before it failed, in particular guards. */
    void reopen() {}

    /**
     * Frees the memory of the native object and forgets it, once it is destroyed. If it throws, the next close calls it
     * again.
     */
    void afterRelease() {}

    /** Refuses a close by the program of a resource that the program does not own. */
    void requireOwnedByUser() {}

    /** Closes an arena of memory that the adapter no longer uses; does nothing if it is closed. */
    final void closeMemory(Arena arena) {
        if (!arena.scope().isAlive()) {
            return;
        }
        try {
            arena.close();
        } catch (IllegalStateException e) {
            throw new IllegalStateException(
                    "a native call of another thread, such as a write to a channel, still uses the memory of " + this
                            + ": close it again when that call has returned",
                    e);
        }
    }

    /**
     * Closes the children, then this resource. Does nothing if it is closed already.
     *
     * @throws VerbsException if the adapter refuses; the resource then remains open, except a queue pair or a
     *     completion queue of an Elastic Fabric Adapter, which is closed
     * @throws IllegalStateException if a native call of another thread still uses memory that this resource owns. The
     *     adapter no longer uses it by then. When that call has returned, close this resource or a parent again to free
     *     the memory. Also thrown if a {@link CompletionCursor} is reading completions of a queue pair or shared
     *     receive queue that would be closed, and the calling thread has not ended it, or another thread does not end
     *     it within ten seconds; then nothing was closed
     */
    @Override
    public final void close() {
        requireOwnedByUser();
        closeTree();
    }

    /** Closes the children, then this resource, whoever owns it. */
    final void closeTree() {
        ClosePlace place = ClosePlace.of(this);
        undisturbedByCursors(() -> closeNow(place));
    }

    /** Runs an action that destroys or resets queue pairs, while no cursor is in use; called with the lock held. */
    final void undisturbedByCursors(Runnable action) {
        CursorPause.around(this, treeLock, action);
    }

    /** Called with the lock held. */
    private void closeNow(ClosePlace place) {
        if (!closed) {
            for (Resource child : new ArrayList<>(children).reversed()) {
                child.closeNow(place);
            }
            destroy(place);
        }
        if (unfinished) {
            afterRelease();
            unfinished = false;
            for (Resource parent : parents) {
                parent.children.remove(this);
            }
            if (refusal != null) {
                throw refusal;
            }
        }
    }

    private void destroy(ClosePlace place) {
        long address = handle();
        closePlace = place;
        closed = true;
        try {
            release();
        } catch (Throwable e) {
            closed = false;
            closePlace = null;
            reopen();
            throw e;
        }
        unfinished = true;
        byHandle.remove(address, this);
    }
}
