// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.device;

import java.util.Set;

/**
 * The operations that a device supports on memory that is not pinned ({@code struct ibv_odp_caps} and
 * {@code xrc_odp_caps}).
 *
 * @param supported whether the device has on-demand paging at all
 * @param implicitSupported whether the whole address space can be registered at once
 * @param rc the operations of RC queue pairs
 * @param uc the operations of UC queue pairs
 * @param ud the operations of UD queue pairs
 * @param xrc the operations of XRC queue pairs
 * @since 0.1.0
 */
public record OnDemandPagingCapabilities(
        boolean supported,
        boolean implicitSupported,
        Set<Operation> rc,
        Set<Operation> uc,
        Set<Operation> ud,
        Set<Operation> xrc) {

    /** An operation on memory that is not pinned ({@code enum ibv_odp_transport_cap_bits}). */
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
        /** Flushing; reported since rdma-core releases of 2025. */
        FLUSH,
        /** Atomic writing; reported since rdma-core releases of 2025. */
        ATOMIC_WRITE
    }
}
