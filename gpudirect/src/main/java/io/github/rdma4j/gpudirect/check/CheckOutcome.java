// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/**
 * What a check comes to.
 */
public enum CheckOutcome {
    /** An adapter gets at a GPU's memory itself, in at least one pair. */
    DIRECT,
    /** Transfers work, but each goes through host memory. */
    STAGED,
    /** There is no pair of a GPU and an adapter that can be used. */
    NOTHING
}
