// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import java.util.Arrays;

/**
 * The entries that an {@link EndpointSelector} visits in each select: those that were ready recently. The others are
 * armed, and cost nothing until the kernel reports them. Used by the thread that selects.
 *
 * <p>An entry with {@linkplain SelectorEntry#isTold() notifications}, or armed already, leaves when nothing is ready
 * any more: waiting for it costs nothing. Any other entry that is quiet while others are ready also leaves, after
 * {@value #VAIN_ROUNDS} visits in vain: these cost about as much as a report by the kernel. Otherwise a selector that
 * always finds something would visit all of a thousand endpoints for each message. While no entry is ready, all stay:
 * then there is nothing better to do than to poll.
 */
public final class ActiveEntries {
    static final int VAIN_ROUNDS = 16;

    private SelectorEntry[] entries = new SelectorEntry[8];
    private int size;
    /** Those in which a handler was called. */
    private long rounds;

    public boolean isEmpty() {
        return size == 0;
    }

    public int size() {
        return size;
    }

    public void add(SelectorEntry entry) {
        if (!entry.isActive) {
            if (size == entries.length) {
                entries = Arrays.copyOf(entries, 2 * size);
            }
            entry.isActive = true;
            entry.lastReady = rounds;
            entries[size++] = entry;
        }
    }

    public void remove(SelectorEntry entry) {
        if (!entry.isActive) {
            return;
        }
        entry.isActive = false;
        for (int i = 0; i < size; i++) {
            if (entries[i] == entry) {
                cut(i, i + 1);
                return;
            }
        }
    }

    /** Takes out those from one place to before another one. */
    private void cut(int from, int to) {
        if (from < to) {
            int left = size - (to - from);
            // Mostly nothing stands behind.
            if (to < size) {
                System.arraycopy(entries, to, entries, from, size - to);
            }
            while (size > left) {
                entries[--size] = null;
            }
        }
    }

    /** One that has thrown stays, and the others come before it: it may throw each time. */
    private void putLast(int place) {
        SelectorEntry entry = entries[place];
        System.arraycopy(entries, place + 1, entries, place, size - place - 1);
        entries[size - 1] = entry;
    }

    /**
     * Takes in what has come, and calls the handlers of those that are ready; how many.
     *
     * @param armEarly whether those that the kernel has named are armed first, since a sleep comes next
     */
    public int visit(boolean armEarly) {
        int called = 0;
        int kept = 0;
        int next = 0;
        // What is added meanwhile, by handlers in whose calls something comes for others, has its turn in the next
        // round.
        int end = size;
        try {
            while (next < end) {
                SelectorEntry entry = entries[next++];
                if (kept < next - 1) {
                    entries[kept] = entry;
                }
                kept++;
                boolean ready = entry.visit(armEarly);
                if (ready) {
                    entry.lastReady = rounds;
                    called++;
                }
                if (entry.isDone(ready)) {
                    entry.isActive = false;
                    kept--;
                }
            }
        } catch (Throwable e) {
            cut(kept, next);
            putLast(kept - 1);
            throw e;
        }
        cut(kept, next);
        if (called > 0) {
            rounds++;
        }
        return called > 0 && called < size ? called + arm(rounds - VAIN_ROUNDS) : called;
    }

    /** Arms all, so that the kernel reports them; returns how many handlers were called for earlier arrivals. */
    public int armAll() {
        return arm(Long.MAX_VALUE);
    }

    private int arm(long readyBefore) {
        int called = 0;
        int kept = 0;
        int next = 0;
        try {
            while (next < size) {
                SelectorEntry entry = entries[next++];
                entries[kept++] = entry;
                if (!entry.isIn() || entry.lastReady < readyBefore) {
                    if (entry.isIn() && entry.arm()) {
                        called++;
                        entry.lastReady = rounds;
                        entry.handle();
                    } else {
                        entry.isActive = false;
                        kept--;
                    }
                }
            }
        } catch (Throwable e) {
            cut(kept, next);
            putLast(kept - 1);
            throw e;
        }
        cut(kept, next);
        return called;
    }
}
