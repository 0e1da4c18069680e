// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/** The outcome of a check. */
public enum CheckOutcome {
    /** In at least one pair the adapter accesses the GPU's memory directly. */
    DIRECT,
    /** Transfers work, but each goes through host memory. */
    STAGED,
    /** There is no usable pair of a GPU and an adapter. */
    NOTHING
}
