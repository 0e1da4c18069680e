// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.TreeMap;

/**
 * Closes the regions whose memory belongs to an arena of the program when that arena is closed, before its memory is
 * freed. Otherwise the adapter would go on writing to memory that has another owner by then. There is one watch for
 * each arena and device context, guarded by the lock of the context's tree.
 *
 * <p>A closing arena runs its close actions, and every segment of its scope can add actions. A shared arena runs the
 * youngest action first, so our youngest action runs before the action that frees any older memory. A new action is
 * needed only for memory that may be younger: registering the same memory repeatedly adds none. A confined arena runs
 * the action that was added first, then the others from the youngest to the oldest. So it frees its first allocation
 * just before the regions are closed.
 */
final class ArenaWatch {
    /** Weak, because the arena holds this object, and a closed context must not live as long as an arena. */
    private final WeakReference<DeviceContext> context;

    /** Ranges, from start to end, that are older than the youngest action. They neither overlap nor touch. */
    private final TreeMap<Long, Long> covered = new TreeMap<>();

    private int actions;
    private boolean arenaClosed;

    /**
     * An arena that has only a scope: {@link MemorySegment#reinterpret(Arena, java.util.function.Consumer)} needs no
     * more.
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
     * Adds a close action for the memory unless one covers it. Called before the memory is registered, with the lock
     * held: a close of the arena then waits for the lock, and finds the region.
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

    /** Returns how many actions the arena will run; for tests. */
    int actions() {
        return actions;
    }
}
