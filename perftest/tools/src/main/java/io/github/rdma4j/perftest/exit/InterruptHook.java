// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

import java.time.Duration;

/** Does something when the JVM is ended by a signal (Ctrl-C, kill) while this is open. */
public final class InterruptHook implements AutoCloseable {
    /** The reason for an incomplete result. */
    public static final String REASON = "ended by a signal";

    private static final Duration MOMENT = Duration.ofMillis(500);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private final Thread thread;

    /**
     * Starts to wait for a signal.
     *
     * @param action runs in a separate thread, while the JVM's other threads continue
     */
    public InterruptHook(Runnable action) {
        thread = new Thread(action, "rdma4j-interrupt");
        try {
            Runtime.getRuntime().addShutdownHook(thread);
        } catch (IllegalStateException _) {
            // The JVM ends already, before what this is for has begun.
        }
    }

    /**
     * Returns whether a signal is ending the JVM, so that the signal may be the cause of a failure: other hooks end the
     * programs that this one has started, and Ctrl-C reaches all of them, some before this JVM. So this waits briefly
     * for the signal.
     */
    public static boolean isDueToSignal() {
        long end = System.nanoTime() + MOMENT.toNanos();
        while (!isJvmEnding()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    /** Returns whether the JVM ends, by a signal or an exit. */
    public static boolean isJvmEnding() {
        Thread nothing = new Thread();
        try {
            Runtime.getRuntime().addShutdownHook(nothing);
            Runtime.getRuntime().removeShutdownHook(nothing);
            return false;
        } catch (IllegalStateException _) {
            return true;
        }
    }

    /** Forgets the action; an action that has begun continues. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException _) {
            // The JVM ends already.
        }
    }
}
