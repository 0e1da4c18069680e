// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.Set;

/**
 * What a device can do on memory that is registered without being pinned ({@code struct ibv_odp_caps} and
 * {@code xrc_odp_caps}).
 *
 * @param supported whether the device has on-demand paging at all
 * @param implicitSupported whether the whole address space can be registered at once
 * @param rc what RC queue pairs can do on such memory
 * @param uc the same of UC queue pairs
 * @param ud the same of UD queue pairs
 * @param xrc the same of XRC queue pairs
 * @since 0.1.0
 */
public record OnDemandPagingCapabilities(
        boolean supported,
        boolean implicitSupported,
        Set<Operation> rc,
        Set<Operation> uc,
        Set<Operation> ud,
        Set<Operation> xrc) {

    /** An operation that can use memory that is not pinned ({@code enum ibv_odp_transport_cap_bits}). */
    public enum Operation {
        /** Sending. */
        SEND,
        /** Receiving. */
        RECEIVE,
        /** Writing. */
        WRITE,
        /** Reading. */
        READ,
        /** Atomics. */
        ATOMIC,
        /** Receiving from a shared receive queue. */
        SHARED_RECEIVE,
        /** Flushing; told by rdma-core of 2025 and later. */
        FLUSH,
        /** Atomic writing; told by rdma-core of 2025 and later. */
        ATOMIC_WRITE
    }
}
