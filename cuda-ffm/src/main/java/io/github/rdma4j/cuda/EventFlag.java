// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * An optional capability of an event.
 *
 * @since 0.1.0
 */
public enum EventFlag {
    /** The event has timing, for {@link CudaEvent#millisecondsSince}: without {@code CU_EVENT_DISABLE_TIMING}. */
    TIMING,
    /** Other processes can use it ({@code CU_EVENT_INTERPROCESS}). Such an event has no timing. */
    INTERPROCESS
}
