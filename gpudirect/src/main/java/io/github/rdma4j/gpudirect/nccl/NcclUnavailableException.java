// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Remedies;

/**
 * NCCL cannot be used on this machine, and why.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class NcclUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Why NCCL cannot be used. */
    public enum Reason {
        /** {@code libnccl.so.2} cannot be opened. */
        NO_LIBRARY,
        /** The library lacks what this one is built upon. */
        LIBRARY_TOO_OLD,
        /** The JVM does not let this library open native ones. */
        NATIVE_ACCESS_DENIED
    }

    private final Reason reason;
    private final String remedy;

    /**
     * NCCL cannot be used.
     *
     * @param reason as data
     * @param explanation in words
     * @param remedy what can be done about it
     */
    public NcclUnavailableException(Reason reason, String explanation, String remedy) {
        super(Remedies.append("NCCL cannot be used: " + explanation, remedy));
        this.reason = reason;
        this.remedy = remedy;
    }

    /** {@return why} */
    public Reason reason() {
        return reason;
    }

    /** {@return what can be done about it} */
    public String remedy() {
        return remedy;
    }
}
