// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

/** What an atomic tool does with eight bytes of the peer; the names are those of the command line. */
public enum AtomicOperation {
    /** Stores a value if the old one is as expected. */
    CMP_AND_SWAP,

    /** Adds a value. */
    FETCH_AND_ADD
}
