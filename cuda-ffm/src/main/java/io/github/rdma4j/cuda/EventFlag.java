// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

/**
 * An optional capability of an event.
 *
 * @since 0.1.0
 */
public enum EventFlag {
    /** It takes the time, for {@link CudaEvent#millisecondsSince}: without {@code CU_EVENT_DISABLE_TIMING}. */
    TIMING,
    /** Other processes can use it ({@code CU_EVENT_INTERPROCESS}). It takes no time then. */
    INTERPROCESS
}
