// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

/** The operation of an atomic tool on eight bytes of the peer. The names are the command line's. */
public enum AtomicOperation {
    /** Stores a value if the old one is as expected. */
    CMP_AND_SWAP,

    /** Adds a value. */
    FETCH_AND_ADD
}
