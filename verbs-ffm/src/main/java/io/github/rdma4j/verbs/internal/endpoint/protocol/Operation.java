// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

/** What can be done to exposed memory. */
public enum Operation {
    WRITE,
    READ,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD,
    /** A read of a few bytes into the buffer of the slot; the new value is their number. */
    GET,
    /** A write of the operand's low bytes; the new value is their number. */
    PUT,
    /**
     * No transfer, but in the same order: binds the window with the operand's handle to the local memory, with the
     * rights of the new value.
     */
    BIND;

    /** Whether it leaves a value in the buffer of its slot. */
    boolean hasResult() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD || this == GET;
    }
}
