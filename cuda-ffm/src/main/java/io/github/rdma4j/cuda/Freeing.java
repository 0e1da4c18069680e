// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/** How device memory goes back to where it came from. */
interface Freeing {
    /** Frees what somebody else frees. */
    Freeing NOTHING = () -> {};

    /** Called when no work uses the memory any more, with its context current, if that still exists. */
    void free();

    /** Whether a free that failed has left something that the next one can give back. */
    default boolean isIncomplete() {
        return false;
    }
}
