// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.promise;

/** The promises that are decided and not completed yet, in the order of the decisions. */
public final class Decisions {
    private Promise<?> first;
    private Promise<?> last;

    public boolean isEmpty() {
        return first == null;
    }

    /** The promise that was decided first; null if there is none. */
    public Promise<?> first() {
        return first;
    }

    /** The promise that was decided last; null if there is none. */
    public Promise<?> last() {
        return last;
    }

    public void add(Promise<?> promise) {
        if (last == null) {
            first = promise;
        } else {
            last.next = promise;
        }
        last = promise;
    }

    /** Puts back what was taken out. */
    public void putBack(Promise<?> promise) {
        promise.next = first;
        first = promise;
        if (last == null) {
            last = promise;
        }
    }

    /** Takes out the promise that was decided first; null if there is none. */
    public Promise<?> take() {
        Promise<?> promise = first;
        if (promise != null) {
            first = promise.next;
            promise.next = null;
            if (first == null) {
                last = null;
            }
        }
        return promise;
    }
}
