// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.Remedies;

/**
 * Thrown when CUDA cannot be used on this machine. The message and {@link #reason()} contain the reason.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class CudaUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why CUDA cannot be used. */
    public enum Reason {
        /** The bindings do not support this operating system or processor. */
        PLATFORM,
        /** {@code libcuda.so.1} cannot be opened or is not a driver. */
        NO_DRIVER,
        /** The JVM denies this library native access. */
        NATIVE_ACCESS_DENIED,
        /** The driver lacks functions that this library needs. */
        DRIVER_TOO_OLD,
        /** There is a driver, but no GPU for this process. */
        NO_DEVICE,
        /** The driver refused to start, or to list its devices. */
        INITIALISATION_FAILED
    }

    private final Reason reason;
    private final String remedy;

    /**
     * CUDA cannot be used.
     *
     * @param reason the reason as a constant
     * @param explanation the reason in words
     * @param remedy what to do about it, or an empty string
     */
    public CudaUnavailableException(Reason reason, String explanation, String remedy) {
        super(Remedies.append("CUDA cannot be used: " + explanation, remedy));
        this.reason = reason;
        this.remedy = remedy;
    }

    /** {@return the reason} */
    public Reason reason() {
        return reason;
    }

    /** {@return what to do about it; an empty string if nothing helps} */
    public String remedy() {
        return remedy;
    }
}
