// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * Against what a device's atomic operations are atomic ({@code enum ibv_atomic_cap}).
 *
 * @since 0.1.0
 */
public enum AtomicCapability {
    /** The device has no atomic operations. */
    NONE,
    /** Against other operations of this device only; a processor or another device can come between. */
    DEVICE,
    /** Against everything that reaches the memory, the processors too. */
    GLOBAL;

    /**
     * The capability of that number.
     *
     * @param code the value of {@code enum ibv_atomic_cap}
     * @return the capability; {@link #NONE} for a number that this library does not know
     */
    public static AtomicCapability ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : NONE;
    }
}
