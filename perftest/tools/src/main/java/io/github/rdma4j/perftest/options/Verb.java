// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

/** The verb that a tool measures. */
public enum Verb {
    /** RDMA write: into the peer's memory, without its help. */
    WRITE,

    /** RDMA read: out of the peer's memory, without its help. */
    READ,

    /** Send: into a buffer that the peer has posted. */
    SEND,

    /** Atomic operation on eight bytes of the peer's memory. */
    ATOMIC;

    /** Returns whether the requests carry no data, so that nothing can be inline, and a number of them is the limit. */
    public boolean requestsData() {
        return this == READ || this == ATOMIC;
    }
}
