// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The state of a work queue ({@code enum ibv_wq_state}).
 *
 * @since 0.1.0
 */
public enum WorkQueueState {
    /** Accepts nothing, holds nothing. */
    RESET,
    /** Accepts receives, and packets into them. */
    READY,
    /** Posted receives complete with an error. */
    ERROR,
    /** Unknown to the library: the adapter has moved the queue. */
    UNKNOWN;

    static WorkQueueState ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : UNKNOWN;
    }
}
