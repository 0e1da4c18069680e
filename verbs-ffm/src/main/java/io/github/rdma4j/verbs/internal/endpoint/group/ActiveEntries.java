// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * The entries that an {@link EndpointSelector} visits in each select: those that were ready recently. The others are
 * armed, and cost nothing until the kernel reports them. Used by the thread that selects.
 *
 * <p>An entry with {@linkplain SelectorEntry#notifies() notifications}, or an armed entry, leaves when it is not ready:
 * waiting for it costs nothing. Any other entry leaves after {@value #VAIN_ROUNDS} visits that find nothing while other
 * entries are ready. These visits cost about as much as a report by the kernel. Without this rule, a selector of a
 * thousand busy endpoints would visit all of them for each message. While no entry is ready, all stay and are polled.
 */
public final class ActiveEntries {
    static final int VAIN_ROUNDS = 16;

    private static final long LONGEST_TIME = Long.MAX_VALUE / 2;

    private SelectorEntry[] entries = new SelectorEntry[8];
    private int size;
    /** The number of rounds in which a handler was called. */
    private long rounds;
    /** Entries that must be armed again at a certain time, active or not: something may come that nobody reports. */
    private final List<SelectorEntry> timed = new ArrayList<>();
    /** No such time is earlier, of {@link System#nanoTime}. */
    private long soonest;

    private final LongConsumer due;

    /**
     * Creates it without entries.
     *
     * @param due gets the time at which {@link #addDue} must be called, of {@link System#nanoTime}
     */
    public ActiveEntries(LongConsumer due) {
        this.due = due;
    }

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
        if (entry.isTimed) {
            entry.isTimed = false;
            timed.remove(entry);
        }
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

    /** Removes the entries from {@code from} inclusive to {@code to} exclusive. */
    private void cut(int from, int to) {
        if (from < to) {
            int left = size - (to - from);
            // Usually there is nothing behind them.
            if (to < size) {
                System.arraycopy(entries, to, entries, from, size - to);
            }
            while (size > left) {
                entries[--size] = null;
            }
        }
    }

    /**
     * Moves an entry that has thrown to the end, because it may throw each time and the others must have their turn.
     */
    private void putLast(int place) {
        SelectorEntry entry = entries[place];
        System.arraycopy(entries, place + 1, entries, place, size - place - 1);
        entries[size - 1] = entry;
    }

    /**
     * Takes in what has arrived, and calls the handlers of the entries that are ready. Returns how many were called.
     *
     * @param armEarly whether entries that the kernel has reported are armed first, because a sleep follows
     */
    public int visit(boolean armEarly) {
        int called = 0;
        int kept = 0;
        int next = 0;
        // Handlers can add entries, by calls in which something arrives for others. They are visited in the next round.
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

    /**
     * Arms all entries, so that the kernel reports them. Returns how many handlers were called for earlier arrivals.
     */
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
                    if (entry.isIn() && arm(entry)) {
                        called++;
                        entry.lastReady = rounds;
                        entry.handle();
                    } else if (!entry.isIn() || !entry.mustComplete()) {
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

    private boolean arm(SelectorEntry entry) {
        boolean ready = entry.arm();
        entry.isDue = false;
        long nanos = entry.nanosToNextArm();
        if (nanos != Long.MAX_VALUE) {
            armIn(entry, Math.min(nanos, LONGEST_TIME));
        }
        return ready;
    }

    private void armIn(SelectorEntry entry, long nanos) {
        entry.nextArm = System.nanoTime() + nanos;
        if (timed.isEmpty() || entry.nextArm - soonest < 0) {
            soonest = entry.nextArm;
        }
        if (!entry.isTimed) {
            timed.add(entry);
            entry.isTimed = true;
        }
        due.accept(entry.nextArm);
    }

    /** {@return after how many nanoseconds {@link #addDue} must be called} */
    public long nanosToDue(long now) {
        return timed.isEmpty() ? Long.MAX_VALUE : soonest - now;
    }

    /** Adds the entries that must be armed again by now; they stay until they are. */
    public void addDue(long now) {
        if (timed.isEmpty() || now - soonest < 0) {
            return;
        }
        soonest = now + LONGEST_TIME;
        timed.removeIf(entry -> {
            boolean isDue = now - entry.nextArm >= 0;
            if (isDue) {
                entry.isTimed = false;
                entry.isDue = true;
                add(entry);
            } else if (entry.nextArm - soonest < 0) {
                soonest = entry.nextArm;
            }
            return isDue;
        });
    }
}
