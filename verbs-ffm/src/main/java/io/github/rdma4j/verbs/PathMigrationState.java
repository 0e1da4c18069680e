// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The state of automatic path migration ({@code enum ibv_mig_state}).
 *
 * @since 0.1.0
 */
public enum PathMigrationState {
    /** The queue pair uses the path that it was given, or has migrated to the alternate one. */
    MIGRATED,
    /** A new alternate path is being loaded. */
    REARM,
    /** The alternate path is loaded: if the primary path fails, the connection migrates. */
    ARMED,
    /** A state that this library has no name for. */
    UNKNOWN;

    static PathMigrationState ofCode(int code) {
        return code >= 0 && code < UNKNOWN.ordinal() ? values()[code] : UNKNOWN;
    }
}
