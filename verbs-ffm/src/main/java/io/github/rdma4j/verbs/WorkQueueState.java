// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * Where a work queue stands ({@code enum ibv_wq_state}).
 *
 * @since 0.1.0
 */
public enum WorkQueueState {
    /** Takes nothing, holds nothing. */
    RESET,
    /** Takes receives, and packets into them. */
    READY,
    /** What is posted completes with an error. */
    ERROR,
    /** Not known to the library: the adapter has moved it. */
    UNKNOWN;

    static WorkQueueState ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : UNKNOWN;
    }
}
