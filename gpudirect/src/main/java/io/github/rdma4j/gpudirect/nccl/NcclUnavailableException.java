// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.Remedies;

/**
 * Thrown when NCCL cannot be used on this machine.
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
        /** The library lacks functions that rdma4j needs. */
        LIBRARY_TOO_OLD,
        /** The JVM does not let this module open native libraries. */
        NATIVE_ACCESS_DENIED
    }

    private final Reason reason;
    private final String remedy;

    /**
     * NCCL cannot be used.
     *
     * @param reason the reason as a constant
     * @param explanation the reason in words
     * @param remedy what to do about it
     */
    public NcclUnavailableException(Reason reason, String explanation, String remedy) {
        super(Remedies.append("NCCL cannot be used: " + explanation, remedy));
        this.reason = reason;
        this.remedy = remedy;
    }

    /** {@return the reason} */
    public Reason reason() {
        return reason;
    }

    /** {@return what to do about it} */
    public String remedy() {
        return remedy;
    }
}
