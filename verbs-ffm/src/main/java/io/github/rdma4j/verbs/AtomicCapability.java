// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/** Against what a device's atomic operations are atomic ({@code enum ibv_atomic_cap}). */
public enum AtomicCapability {
    /** The device has no atomic operations. */
    NONE,
    /** Against other operations of this device only; a processor or another device can come between. */
    DEVICE,
    /** Against everything that reaches the memory, the processors too. */
    GLOBAL;

    static AtomicCapability ofCode(int code) {
        return code >= 0 && code < values().length ? values()[code] : NONE;
    }
}
