// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The state of a port's physical link ({@code phys_state} of {@code struct ibv_port_attr}).
 *
 * @since 0.1.0
 */
public enum PhysicalPortState {
    /** The port does not report it. */
    UNKNOWN,
    /** Asleep. */
    SLEEP,
    /** Polling for a link. */
    POLLING,
    /** Switched off, or without a network interface. */
    DISABLED,
    /** The link's lanes are being trained. */
    PORT_CONFIGURATION_TRAINING,
    /** The link is up. */
    LINK_UP,
    /** The link recovers from errors. */
    LINK_ERROR_RECOVERY,
    /** Under test. */
    PHY_TEST;

    /**
     * Returns the state of a number.
     *
     * @param code the value of {@code phys_state}
     * @return the state; {@link #UNKNOWN} for an unknown number
     */
    public static PhysicalPortState ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : UNKNOWN;
    }
}
