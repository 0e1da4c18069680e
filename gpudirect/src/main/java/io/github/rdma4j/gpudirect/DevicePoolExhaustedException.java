// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.Remedies;

/**
 * Thrown when a {@link DeviceMemoryPool} has no free buffer and cannot register more memory. The message names the
 * limit, the figures and a remedy.
 *
 * @since 0.1.0
 */
public class DevicePoolExhaustedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The limit that was reached. */
    public enum Limit {
        /** {@link DevicePoolConfig#maxBytes}. */
        MAX_BYTES,
        /** The window through which other devices reach the GPU's memory: this process has registered all of it. */
        BAR1,
        /** The GPU's memory. */
        DEVICE_MEMORY,
        /** The kernel refused to register another slab on the direct path of the earlier slabs. */
        REGISTRATION
    }

    /** The limit that was reached. */
    private final Limit limit;

    DevicePoolExhaustedException(Limit limit, String explanation, String remedy, Throwable cause) {
        super(Remedies.append(explanation, remedy), cause);
        this.limit = limit;
    }

    /** {@return the limit that was reached} */
    public Limit limit() {
        return limit;
    }
}
