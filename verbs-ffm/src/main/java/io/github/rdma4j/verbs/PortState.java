// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** The logical state of a port ({@code enum ibv_port_state}); only {@link #ACTIVE} carries data. */
public enum PortState {
    /** No state change: never seen in a query. */
    NOP,
    /** No link. */
    DOWN,
    /** Link, but not configured: InfiniBand waits for a subnet manager. */
    INIT,
    /** Configured, not yet passing data. */
    ARMED,
    /** Passing data. */
    ACTIVE,
    /** Active, with the physical link in recovery. */
    ACTIVE_DEFER;

    static PortState ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : NOP;
    }
}
