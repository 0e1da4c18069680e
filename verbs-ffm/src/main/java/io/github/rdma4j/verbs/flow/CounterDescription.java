// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.flow;

/**
 * What a counter counts ({@code enum ibv_counter_description}).
 *
 * @since 0.1.0
 */
public enum CounterDescription {
    /** Packets. */
    PACKETS,
    /** Bytes. */
    BYTES
}
