// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.internal;

/** Closes resources after a failure. The failure remains the exception that is thrown. */
public final class Undo {
    private Undo() {}

    /**
     * Closes each resource, even if another one fails to close.
     *
     * @param failure receives the failures of the closes as suppressed exceptions
     * @param made the resources in the order of closing; null for a resource that was not created
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
