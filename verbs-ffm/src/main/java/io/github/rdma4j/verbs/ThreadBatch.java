// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** Work requests that one thread collects and posts: it alone touches them, so filling needs no lock and no guard. */
abstract sealed class ThreadBatch permits SendBatch, ReceiveBatch {
    /** Null if whoever uses the batch is alone in another way. */
    private final Thread user;

    ThreadBatch(Thread user) {
        this.user = user;
    }

    final Thread user() {
        return user;
    }

    /**
     * To be called before anything else is touched.
     *
     * @param method the one that starts such a batch
     */
    final void requireUser(String method) {
        if (user != Thread.currentThread() && user != null) {
            throw Checks.usedByAnother(toString(), user, method);
        }
    }
}
