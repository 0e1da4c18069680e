// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Work requests that one thread collects and posts. No other thread accesses them, so filling needs no lock and no
 * guard.
 */
abstract sealed class ThreadBatch permits SendBatch, ReceiveBatch {
    /** Null if exclusive access is ensured in another way. */
    private final Thread user;

    ThreadBatch(Thread user) {
        this.user = user;
    }

    final Thread user() {
        return user;
    }

    /**
     * Checks the calling thread. Called before anything else is accessed.
     *
     * @param method the method that starts such a batch
     */
    final void requireUser(String method) {
        if (user != Thread.currentThread() && user != null) {
            throw Checks.usedByAnother(toString(), user, method);
        }
    }
}
