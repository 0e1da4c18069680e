// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import java.util.function.IntSupplier;

/**
 * Finds completions, and keeps a close from freeing the queue while a thread polls. A thread is inside between an
 * {@link #enter()} that returned true and its {@link #exit()}.
 */
public abstract sealed class CompletionPath permits CompletionFunctions, CompletionRing {
    /** The result of {@link #arm} if the library's function arms the queue. */
    public static final int BY_FUNCTION = Integer.MIN_VALUE;

    CompletionPath() {}

    /**
     * Marks the calling thread as inside. A thread must not enter twice.
     *
     * @return whether the queue may be polled; if not, {@link #exit()} must not be called
     */
    public abstract boolean enter();

    /** Marks the calling thread as outside again. */
    public abstract void exit();

    /** Admits no thread any more, and waits until no thread is inside. */
    public abstract void close();

    /** Admits threads again, after a close whose native part was refused. */
    public abstract void reopen();

    /**
     * Fetches completions; the calling thread is inside.
     *
     * @param entries the maximum number to fetch
     * @param workCompletions receives them, an array of {@code struct ibv_wc}
     * @return how many were fetched, negative if the queue has failed
     */
    public abstract int poll(int entries, long workCompletions);

    /**
     * Runs a call that changes the length of the queue. The calling thread is outside, and the queue is not closed
     * meanwhile.
     *
     * @param resize the call
     * @return what the call returns
     */
    public int resize(IntSupplier resize) {
        return resize.getAsInt();
    }

    /**
     * Requests an event for the next completion, unless the library must do that. Any thread may call this.
     *
     * @param solicitedOnly whether only some completions make an event
     * @param eventsTaken how many events of this queue have been taken from its channel so far
     * @return 0, an errno, or {@link #BY_FUNCTION}
     */
    public int arm(boolean solicitedOnly, long eventsTaken) {
        return BY_FUNCTION;
    }

    /**
     * Announces requests that go through the library's functions and complete here.
     *
     * @param why the reason, for users
     * @throws IllegalStateException if that is not possible with this path
     */
    public void useFunctions(String why) {
        // Most paths do not depend on it.
    }

    /** {@return why functions are used although a ring seemed possible at first; empty if they are not} */
    public String refusal() {
        return "";
    }
}
