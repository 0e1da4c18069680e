// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

/** Closes several objects, even if one of the closes fails. */
public final class CloseAll {
    private CloseAll() {}

    /** Closes in this order. Throws the first failure, with the others as suppressed exceptions. */
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

    /** Closes in this order after a failure, to which the failures of the closes are added as suppressed exceptions. */
    public static void after(Throwable failure, Runnable... closes) {
        try {
            of(closes);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
