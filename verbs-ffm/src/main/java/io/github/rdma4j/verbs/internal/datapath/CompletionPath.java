// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import java.util.function.IntSupplier;

/**
 * How completions are found, and what keeps a close from freeing the queue under a thread that polls: it is inside
 * between an {@link #enter()} that returned true and its {@link #exit()}.
 */
public abstract sealed class CompletionPath permits CompletionFunctions, CompletionRing {
    /** What {@link #arm} returns where the library's function arms the queue. */
    public static final int BY_FUNCTION = Integer.MIN_VALUE;

    CompletionPath() {}

    /**
     * Marks the calling thread as inside. Nobody enters twice.
     *
     * @return whether the queue may be polled; if not, {@link #exit()} must not be called
     */
    public abstract boolean enter();

    /** Marks the calling thread as outside again. */
    public abstract void exit();

    /** Lets nobody in any more, and waits until nobody is inside. */
    public abstract void close();

    /** Lets threads in again, after a close whose native part was refused. */
    public abstract void reopen();

    /**
     * Fetches completions; the calling thread is inside.
     *
     * @param entries the most to fetch
     * @param workCompletions where they go, an array of {@code struct ibv_wc}
     * @return how many were fetched, negative if the queue has failed
     */
    public abstract int poll(int entries, long workCompletions);

    /**
     * Makes a call that gives the queue another length; the calling thread is outside, and the queue is not closed
     * meanwhile.
     *
     * @param resize the call
     * @return what the call returns
     */
    public int resize(IntSupplier resize) {
        return resize.getAsInt();
    }

    /**
     * Asks for an event of the next completion, if that is this way's and not the library's to do. Any thread may.
     *
     * @param solicitedOnly whether only some completions are to make one
     * @param eventsTaken how many events of this queue have been taken from its channel so far
     * @return 0, an errno, or {@link #BY_FUNCTION}
     */
    public int arm(boolean solicitedOnly, long eventsTaken) {
        return BY_FUNCTION;
    }

    /**
     * Something that goes through the library's functions will complete here.
     *
     * @param why it does, for users
     * @throws IllegalStateException if the two do not go together
     */
    public void useFunctions(String why) {
        // Most ways do not care.
    }

    /** {@return why the functions are used though nothing spoke against a ring at first; empty if they are not} */
    public String refusal() {
        return "";
    }
}
