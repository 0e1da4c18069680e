// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.StackRoom;
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
 * A native object that must be closed. It knows its parents and its children: closing it closes the children first,
 * youngest first, so no order of {@code close()} calls can leave the adapter with a dangling pointer. Closing twice
 * does nothing.
 *
 * <p>Thread safety: {@code close()}, queries, and the methods that create children may be called from any thread; those
 * of one device context wait for each other, so a query may wait for the registration of a large region. Posting and
 * polling never do. Use after close is an {@link IllegalStateException}, also when the close comes from another thread
 * while a call is under way.
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

    /** One lock for the whole tree below a device context: opening and closing are rare, and their order matters. */
    private final ReentrantLock treeLock;

    /**
     * All of the tree by their native addresses, as the native side names them in events. No lock: events come at any
     * time.
     */
    private final Map<Long, Resource> byHandle;

    /** Changed only with the lock held. */
    private List<Resource> parents;

    private final Set<Resource> children = new LinkedHashSet<>();
    /** Of the close that closed this; null before, and where places are not kept. */
    private volatile ClosePlace closePlace;

    private volatile boolean closed;

    /**
     * Whether the native object is gone and a part of the close is still to be done. Changed only with the lock held.
     */
    private boolean unfinished;

    /**
     * Made only within {@link #createChild}, or as the root of a tree; this library's own classes are all there are.
     */
    Resource(Resource... parents) {
        this.parents = List.of(parents);
        this.treeLock = parents.length == 0 ? new ReentrantLock() : parents[0].treeLock;
        this.byHandle = parents.length == 0 ? new ConcurrentHashMap<>() : parents[0].byHandle;
        // Another thread may have closed one since the arguments were checked; its native object is gone then.
        this.parents.forEach(Resource::requireOpen);
    }

    /** Creates a child while no close can come between the native call and its entry into the tree. */
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

    /** The resource of this tree that an event names; it is there until its native object is destroyed. */
    final <T extends Resource> Optional<T> find(long nativeAddress, Class<T> type) {
        return Optional.ofNullable(byHandle.get(nativeAddress))
                .filter(type::isInstance)
                .map(type::cast);
    }

    /** Runs a native call on this object's handle while it cannot be closed. For calls that are not on the hot path. */
    final <T> T locked(Supplier<T> call) {
        StackRoom.require(treeLock);
        treeLock.lock();
        try {
            requireOpen();
            return call.get();
        } finally {
            treeLock.unlock();
        }
    }

    /** Runs an action with the tree's lock held, also if this is closed. */
    final void underTreeLock(Runnable action) {
        StackRoom.require(treeLock);
        treeLock.lock();
        try {
            action.run();
        } finally {
            treeLock.unlock();
        }
    }

    /** Whether the two can be in one tree: whether they are below the same device context. */
    final boolean isInTreeOf(Resource other) {
        return treeLock == other.treeLock;
    }

    final void requireOpen() {
        if (closed) {
            throw closedException();
        }
    }

    /**
     * Refuses a closed resource on the hot path, where that costs next to nothing: a volatile load would have the
     * compiler load all else anew. It sees a close by the calling thread at once, and one by another thread soon;
     * nothing may depend on it that must not run after the close.
     */
    final void requireOpenSoon() {
        if ((boolean) CLOSED.get(this)) {
            throw closedException();
        }
    }

    IllegalStateException closedException() {
        return closedException(this + " is closed");
    }

    /** What the use of a closed resource throws, with the place of the close if it is kept. */
    final IllegalStateException closedException(String message) {
        return new IllegalStateException(message, closePlace);
    }

    /** Parents that are known only when the constructor runs. */
    static Resource[] concat(Resource first, Resource... others) {
        Resource[] all = new Resource[others.length + 1];
        all[0] = first;
        System.arraycopy(others, 0, all, 1, others.length);
        return all;
    }

    /** Exchanges a parent for another one of the same tree; the lock must be held. */
    final void moveTo(Resource oldParent, Resource newParent) {
        List<Resource> changed = new ArrayList<>(parents);
        changed.replaceAll(parent -> parent == oldParent ? newParent : parent);
        parents = List.copyOf(changed);
        oldParent.children.remove(this);
        newParent.children.add(this);
    }

    /**
     * From now on this needs another resource of the tree, which is closed after it; the lock must be held. Nothing may
     * depend on this that the other depends on, too.
     */
    final void dependOn(Resource parent) {
        if (parent.children.add(this)) {
            List<Resource> more = new ArrayList<>(parents);
            more.add(parent);
            parents = List.copyOf(more);
        }
    }

    /** All resources of a type in the tree, as they are now. */
    final <T extends Resource> Stream<T> all(Class<T> type) {
        return byHandle.values().stream().filter(type::isInstance).map(type::cast);
    }

    /** The children of a type, as they are now; youngest last. */
    final <T extends Resource> List<T> children(Class<T> type) {
        StackRoom.require(treeLock);
        treeLock.lock();
        try {
            return children.stream().filter(type::isInstance).map(type::cast).toList();
        } finally {
            treeLock.unlock();
        }
    }

    /** What it depends on; the lock must be held. */
    final List<Resource> parents() {
        return parents;
    }

    /** For tests: how many resources depend on this one. */
    final int childCount() {
        return locked(children::size);
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public final boolean isOpen() {
        return !closed;
    }

    /**
     * The native pointer, for a verb that is not wrapped yet. It is valid until this resource is closed; nothing guards
     * its use.
     *
     * @return the address of the {@code struct ibv_*}
     * @throws IllegalStateException if the resource is closed
     */
    public abstract long handle();

    /**
     * Destroys the native object, with all children closed and the lock held. Once it has succeeded it is not called
     * again; an exception means that the object still is there, and what was done before it must bear to be done again.
     */
    abstract void release();

    /** Makes usable again what {@link #release()} had closed before it failed, guards above all. */
    void reopen() {}

    /**
     * Frees what the native object needed, once that is gone. After an exception it is called again by the next close.
     */
    void afterRelease() {}

    /** Refuses a close by the user of what is not the user's. */
    void requireOwnedByUser() {}

    /** Closes the arena of memory that the adapter has lost; does nothing if it is closed. */
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
     * @throws VerbsException if the adapter refuses; the resource then remains open
     * @throws IllegalStateException if a native call of another thread still uses memory that this owns. The adapter
     *     has lost it by then; close this or a parent again when that call has returned, and the memory is freed. Or if
     *     a queue pair, or a shared receive queue, would be closed in the middle of a {@link CompletionCursor}'s way
     *     over its completions, which the calling thread has not ended, or another one not within ten seconds; then
     *     nothing was closed
     */
    @Override
    public final void close() {
        requireOwnedByUser();
        closeTree();
    }

    /** Closes the children, then this resource, whoever the owner is. */
    final void closeTree() {
        ClosePlace place = ClosePlace.of(this);
        undisturbedByCursors(() -> closeNow(place));
    }

    /** Runs what destroys or resets queue pairs, with the lock held. */
    final void undisturbedByCursors(Runnable action) {
        CursorPause.around(this, treeLock, action);
    }

    /** With the lock held. */
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
