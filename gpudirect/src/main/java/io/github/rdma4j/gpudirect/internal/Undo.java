// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

/** Closes what was made before a failure, which stays the one that is thrown. */
public final class Undo {
    private Undo() {}

    /**
     * Closes each of them, though another one fails.
     *
     * @param failure gets the failures here as suppressed exceptions
     * @param made in the order of closing; null for what was not made
     */
    public static void after(Throwable failure, AutoCloseable... made) {
        for (AutoCloseable each : made) {
            if (each == null) {
                continue;
            }
            try {
                each.close();
            } catch (Exception e) {
                failure.addSuppressed(e);
            }
        }
    }
}
