// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Throws errors at chosen places of one thread. The code that {@link FaultyClasses} inserts before each allocation and
 * at the entry of each method calls this. There is one for the JVM, whichever loader has loaded the library.
 */
public final class Faults {
    /** Where an error is thrown. */
    public enum Kind {
        /** An {@link OutOfMemoryError} at one allocation, counted from 1. */
        ALLOCATION,
        /** A {@link StackOverflowError} at one entry of a method, counted from 1. */
        ENTRY,
        /** A {@link StackOverflowError} at each entry that lies so many calls below the beginning, or deeper. */
        DEPTH
    }

    private static final StackWalker WALKER = StackWalker.getInstance();

    private static volatile Thread thread;
    private static Kind kind;
    private static long countdown;
    private static long deepest;
    private static Error thrown;
    private static boolean busy;

    private Faults() {}

    /** From now on this thread meets errors. */
    public static void arm(Kind newKind, int number) {
        kind = newKind;
        countdown = number;
        thrown = null;
        deepest = depth() + number;
        thread = Thread.currentThread();
    }

    /** Returns the error that was thrown first, or null if the place was not reached. */
    public static Error disarm() {
        thread = null;
        return thrown;
    }

    /** Runs a program's handler, in which no error is thrown. */
    public static void inHandler(Runnable handler) {
        Thread armed = thread;
        thread = null;
        try {
            handler.run();
        } finally {
            thread = armed;
        }
    }

    private static long depth() {
        return WALKER.walk(frames -> frames.count());
    }

    /** Before an allocation. */
    public static void allocation() {
        if (thread == Thread.currentThread() && kind == Kind.ALLOCATION && --countdown == 0) {
            thrown = new OutOfMemoryError("of this test");
            throw (OutOfMemoryError) thrown;
        }
    }

    /** At the entry of a method. */
    public static void entry() {
        if (thread != Thread.currentThread() || busy) {
            return;
        }
        if (kind == Kind.ENTRY && --countdown == 0) {
            fail();
        }
        exit();
    }

    /** At the entry of a method that cannot fail alone: the stack has been deeper before. */
    public static void exit() {
        if (thread != Thread.currentThread() || busy || kind != Kind.DEPTH) {
            return;
        }
        busy = true;
        try {
            if (depth() <= deepest) {
                return;
            }
        } finally {
            busy = false;
        }
        fail();
    }

    private static void fail() {
        StackOverflowError error = new StackOverflowError("of this test");
        if (thrown == null) {
            thrown = error;
        }
        throw error;
    }
}
