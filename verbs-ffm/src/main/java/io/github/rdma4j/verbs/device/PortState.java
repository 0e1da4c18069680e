// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The logical state of a port ({@code enum ibv_port_state}); only {@link #ACTIVE} carries data.
 *
 * @since 0.1.0
 */
public enum PortState {
    /** No state change; never returned by a query. */
    NOP("no state change (NOP)"),
    /** No link. */
    DOWN("down"),
    /** Link, but not configured: InfiniBand waits for a subnet manager. */
    INIT("init"),
    /** Configured, not yet passing data. */
    ARMED("armed"),
    /** Passing data. */
    ACTIVE("active"),
    /** Active, with the physical link in recovery. */
    ACTIVE_DEFER("active defer");

    private final String description;

    PortState(String description) {
        this.description = description;
    }

    /** {@return the text of libibverbs' ibv_port_state_str(3)} */
    public String description() {
        return description;
    }

    /**
     * Returns the state of a number.
     *
     * @param code the value of {@code enum ibv_port_state}
     * @return the state; {@link #NOP} for an unknown number
     */
    public static PortState ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : NOP;
    }
}
