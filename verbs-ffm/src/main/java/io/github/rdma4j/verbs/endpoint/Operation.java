// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

/** What can be done to exposed memory. */
enum Operation {
    WRITE,
    READ,
    COMPARE_AND_SWAP,
    FETCH_AND_ADD;

    boolean isAtomic() {
        return this == COMPARE_AND_SWAP || this == FETCH_AND_ADD;
    }
}
