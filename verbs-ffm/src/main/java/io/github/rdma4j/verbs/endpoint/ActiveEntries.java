// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.ArrayList;
import java.util.List;

/**
 * What an {@link EndpointSelector} visits in each select: what was ready of late. The others are armed, and cost
 * nothing until the kernel names them. Used by the thread that selects.
 *
 * <p>Who is {@linkplain SelectorEntry#isTold() told} of what comes leaves when nothing was ready: it costs nothing to
 * wait for it. Of the others, who is quiet while others are ready leaves, too, after {@value #VAIN_ROUNDS} visits in
 * vain: these cost about as much as to be named by the kernel. Otherwise a selector that always finds something would
 * visit all of a thousand endpoints for each message. While nobody is ready, all stay: then there is nothing better to
 * do than to look.
 */
final class ActiveEntries {
    static final int VAIN_ROUNDS = 16;

    private final List<SelectorEntry> entries = new ArrayList<>();
    /** Those in which a handler was called. */
    private long rounds;

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    void add(SelectorEntry entry) {
        if (!entry.isActive) {
            entry.isActive = true;
            entry.lastReady = rounds;
            entries.add(entry);
        }
    }

    void remove(SelectorEntry entry) {
        if (entry.isActive) {
            entry.isActive = false;
            entries.remove(entry);
        }
    }

    /** Takes in what has come, and calls the handlers of those that are ready; how many. */
    int visit() {
        int called = 0;
        int kept = 0;
        int next = 0;
        // What is added meanwhile, by handlers in whose calls something comes for others, has its turn in the next
        // round.
        int end = entries.size();
        try {
            while (next < end) {
                SelectorEntry entry = entries.get(next++);
                // If it throws, it stays.
                entries.set(kept++, entry);
                if (entry.visit()) {
                    entry.lastReady = rounds;
                    called++;
                } else if (entry.isTold()) {
                    entry.isActive = false;
                    kept--;
                }
            }
        } finally {
            if (kept < next) {
                entries.subList(kept, next).clear();
            }
        }
        if (called > 0) {
            rounds++;
        }
        return called > 0 && called < entries.size() ? called + arm(rounds - VAIN_ROUNDS) : called;
    }

    /** Lets the kernel tell of all from now on; how many handlers were called for what had come before. */
    int armAll() {
        return arm(Long.MAX_VALUE);
    }

    private int arm(long readyBefore) {
        int called = 0;
        int kept = 0;
        int next = 0;
        try {
            while (next < entries.size()) {
                SelectorEntry entry = entries.get(next++);
                // If it throws, it stays.
                entries.set(kept++, entry);
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
        } finally {
            entries.subList(kept, next).clear();
        }
        return called;
    }
}
