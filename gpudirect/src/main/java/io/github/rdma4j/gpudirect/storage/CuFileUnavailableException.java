// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.Remedies;

/**
 * Thrown when cuFile cannot be used on this machine. {@link GpuStorage} does not throw it: it uses the staged path
 * instead.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class CuFileUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why cuFile cannot be used. */
    public enum Reason {
        /** {@code libcufile.so.0} cannot be opened. */
        NO_LIBRARY,
        /** The library lacks functions that rdma4j needs. */
        LIBRARY_TOO_OLD,
        /** The JVM does not let this module open native libraries. */
        NATIVE_ACCESS_DENIED,
        /** cuFile refused to start. */
        DRIVER_REFUSED
    }

    private final Reason reason;
    private final String explanation;
    private final String remedy;

    /**
     * cuFile cannot be used.
     *
     * @param reason the reason as a constant
     * @param explanation the reason in words
     * @param remedy what to do about it, or an empty string
     */
    public CuFileUnavailableException(Reason reason, String explanation, String remedy) {
        super(Remedies.append("cuFile cannot be used: " + explanation, remedy));
        this.reason = reason;
        this.explanation = explanation;
        this.remedy = remedy;
    }

    /** {@return the reason} */
    public Reason reason() {
        return reason;
    }

    /** {@return the reason in words, without the remedy} */
    public String explanation() {
        return explanation;
    }

    /** {@return what to do about it; an empty string if nothing helps} */
    public String remedy() {
        return remedy;
    }
}
