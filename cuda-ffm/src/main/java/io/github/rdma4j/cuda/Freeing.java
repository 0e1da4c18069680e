// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/** Frees device memory, depending on its origin. */
interface Freeing {
    /** Does nothing, because another library frees the memory. */
    Freeing NOTHING = () -> {};

    /** Called when no work uses the memory any more, with its context current if that still exists. */
    void free();

    /** Whether a failed call has left resources that another call can free. */
    default boolean isIncomplete() {
        return false;
    }
}
