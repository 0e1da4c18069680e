// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

/**
 * The scope of a device's atomic operations ({@code enum ibv_atomic_cap}).
 *
 * @since 0.1.0
 */
public enum AtomicCapability {
    /** The device has no atomic operations. */
    NONE,
    /** Atomic with respect to other operations of this device only, not of CPUs or other devices. */
    DEVICE,
    /** Atomic with respect to everything that accesses the memory, including CPUs. */
    GLOBAL;

    /**
     * Returns the capability of a number.
     *
     * @param code the value of {@code enum ibv_atomic_cap}
     * @return the capability; {@link #NONE} for an unknown number
     */
    public static AtomicCapability ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : NONE;
    }
}
