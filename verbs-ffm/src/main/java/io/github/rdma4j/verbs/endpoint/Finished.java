// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import java.util.concurrent.CompletableFuture;

/**
 * Futures whose time has come while the endpoint's lock was held. They are completed after it was given back, because what a
 * program has chained to them runs in the completing thread.
 */
final class Finished {
    private record Node(CompletableFuture<Object> future, Object value, RuntimeException failure, Node previous) {
        void complete() {
            if (failure == null) {
                future.complete(value);
            } else {
                future.completeExceptionally(failure);
            }
        }
    }

    private Node last;

    @SuppressWarnings("unchecked")
    void add(CompletableFuture<?> future, Object value, RuntimeException failure) {
        last = new Node((CompletableFuture<Object>) future, value, failure, last);
    }

    boolean isEmpty() {
        return last == null;
    }

    /** Takes everything out, to be run without the lock; null if there is nothing. */
    Runnable take() {
        Node newest = last;
        last = null;
        return newest == null ? null : () -> completeAll(newest);
    }

    private static void completeAll(Node newest) {
        Node inOrder = null;
        for (Node node = newest; node != null; node = node.previous) {
            inOrder = new Node(node.future, node.value, node.failure, inOrder);
        }
        for (Node node = inOrder; node != null; node = node.previous) {
            node.complete();
        }
    }
}
