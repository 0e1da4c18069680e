// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

/** Closes several things, each of them though another one fails. */
public final class CloseAll {
    private CloseAll() {}

    /** In this order; throws what the first failure threw, with the others beside it. */
    public static void of(Runnable... closes) {
        RuntimeException first = null;
        for (Runnable close : closes) {
            try {
                close.run();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /** In this order, after a failure, which stays the one that is thrown. */
    public static void after(Throwable failure, Runnable... closes) {
        try {
            of(closes);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
