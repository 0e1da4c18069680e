// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.TreeMap;

/**
 * Closes the regions in an arena of the user's when that arena is closed, before its memory is freed: otherwise the
 * adapter would go on writing to memory that is somebody else's. One for each arena and device context; guarded by the
 * lock of the context's tree.
 *
 * <p>An arena runs actions when it is closed, and takes more of them from anybody who makes a segment of its scope. A
 * shared arena runs the youngest first, so the youngest of ours runs before what frees any memory that is older than
 * it. A new one is needed only for memory that may be younger: registering the same memory again and again leaves
 * nothing behind. A confined arena runs the action that was added first, and then the others in the same way; so it
 * frees its first allocation just before the regions are closed.
 */
final class ArenaWatch {
    /** Weak, because the arena holds this: a closed context shall not live as long as an arena. */
    private final WeakReference<DeviceContext> context;

    /** From start to end, what is older than the youngest action; the ranges neither overlap nor touch. */
    private final TreeMap<Long, Long> covered = new TreeMap<>();

    private int actions;
    private boolean arenaClosed;

    /**
     * Only the scope of an arena: all that {@link MemorySegment#reinterpret(Arena, java.util.function.Consumer)} needs.
     */
    private record ScopeOnly(MemorySegment.Scope scope) implements Arena {
        @Override
        public MemorySegment allocate(long byteSize, long byteAlignment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    ArenaWatch(DeviceContext context) {
        this.context = new WeakReference<>(context);
    }

    /**
     * Called before the memory is registered, with the lock held: a close of the arena then waits, and finds the
     * region.
     *
     * @throws IllegalStateException if the arena is closed
     * @throws WrongThreadException if it is confined to another thread
     */
    void cover(MemorySegment memory) {
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException(
                    "the memory's arena is confined to another thread, which can close it at any time:"
                            + " register the memory in that thread, or allocate it from a shared arena");
        }
        if (arenaClosed) {
            throw new IllegalStateException("the arena of the memory to register is closed");
        }
        long start = memory.address();
        long end = start + memory.byteSize();
        if (isCovered(start, end)) {
            return;
        }
        memory.reinterpret(new ScopeOnly(memory.scope()), ignored -> arenaClosed());
        actions++;
        add(start, end);
    }

    private boolean isCovered(long start, long end) {
        Map.Entry<Long, Long> before = covered.floorEntry(start);
        return before != null && before.getValue() >= end;
    }

    private void add(long start, long end) {
        long from = start;
        long to = end;
        Map.Entry<Long, Long> neighbour = covered.floorEntry(end);
        while (neighbour != null && neighbour.getValue() >= start) {
            from = Math.min(from, neighbour.getKey());
            to = Math.max(to, neighbour.getValue());
            covered.remove(neighbour.getKey());
            neighbour = covered.floorEntry(end);
        }
        covered.put(from, to);
    }

    private void arenaClosed() {
        DeviceContext open = context.get();
        if (open != null) {
            open.underTreeLock(() -> closeRegions(open));
        }
    }

    private void closeRegions(DeviceContext open) {
        if (arenaClosed) {
            return;
        }
        arenaClosed = true;
        IllegalStateException failure = null;
        for (MemoryRegion region : open.all(MemoryRegion.class).toList()) {
            if (region.arena() != this) {
                continue;
            }
            try {
                region.closeTree();
            } catch (RuntimeException e) {
                if (failure == null) {
                    failure = new IllegalStateException(
                            "the arena is closed, but the adapter did not give up memory of it, which is freed now:"
                                    + " a peer or a receive can overwrite what lies there next. Close the device"
                                    + " context");
                }
                failure.addSuppressed(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** For tests: how many actions the arena has to run. */
    int actions() {
        return actions;
    }
}
