// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.base.Remedies;

/**
 * cuFile cannot be used on this machine, and why. No error for who opens files by {@link GpuStorage}: they go the
 * staged way then.
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
        /** The library lacks what this one is built upon. */
        LIBRARY_TOO_OLD,
        /** The JVM does not let this library open native ones. */
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
     * @param reason as data
     * @param explanation in words
     * @param remedy what can be done about it, or an empty string
     */
    public CuFileUnavailableException(Reason reason, String explanation, String remedy) {
        super(Remedies.append("cuFile cannot be used: " + explanation, remedy));
        this.reason = reason;
        this.explanation = explanation;
        this.remedy = remedy;
    }

    /** {@return why} */
    public Reason reason() {
        return reason;
    }

    /** {@return in words, without the remedy} */
    public String explanation() {
        return explanation;
    }

    /** {@return what can be done about it; an empty string where nothing can} */
    public String remedy() {
        return remedy;
    }
}
