// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

/**
 * The range of a flush ({@code enum ibv_selectivity_level}).
 *
 * @since 0.1.0
 */
public enum FlushLevel {
    /** The bytes that the request names. */
    RANGE,
    /** The whole memory region. */
    MEMORY_REGION;

    int code() {
        return ordinal();
    }
}
