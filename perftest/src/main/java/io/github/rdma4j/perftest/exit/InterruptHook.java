// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.exit;

/** Does something when the JVM is ended by a signal (Ctrl-C, kill) while this is open. */
public final class InterruptHook implements AutoCloseable {
    private final Thread thread;

    /**
     * Begins to wait for a signal.
     *
     * @param action runs in a thread of its own, while the JVM's other threads go on
     */
    public InterruptHook(Runnable action) {
        thread = new Thread(action, "rdma4j-interrupt");
        Runtime.getRuntime().addShutdownHook(thread);
    }

    /** Forgets the action; one that has begun goes on. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(thread);
        } catch (IllegalStateException _) {
            // The JVM ends already.
        }
    }
}
