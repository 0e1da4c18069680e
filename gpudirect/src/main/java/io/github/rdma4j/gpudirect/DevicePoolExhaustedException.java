// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.Remedies;

/**
 * A {@link DeviceMemoryPool} has no buffer to lend, and may not, or cannot, register more. The message names the limit,
 * its figures and a remedy.
 *
 * @since 0.1.0
 */
public class DevicePoolExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is used up. */
    public enum Limit {
        /** {@link DevicePoolConfig#maxBytes}. */
        MAX_BYTES,
        /** The window by which other devices reach the GPU's memory: this process has registered all of it. */
        BAR1,
        /** The GPU's memory. */
        DEVICE_MEMORY,
        /** What the kernel registers: a direct path that earlier slabs took was refused for another one. */
        REGISTRATION
    }

    /** What is used up. */
    private final Limit limit;

    DevicePoolExhaustedException(Limit limit, String explanation, String remedy, Throwable cause) {
        super(Remedies.append(explanation, remedy), cause);
        this.limit = limit;
    }

    /** {@return what is used up} */
    public Limit limit() {
        return limit;
    }
}
