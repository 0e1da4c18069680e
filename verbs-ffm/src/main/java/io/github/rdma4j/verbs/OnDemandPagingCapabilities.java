// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_odp_caps;
import io.github.rdma4j.verbs.internal.Flags;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * What a device can do on memory that is registered without being pinned ({@code struct ibv_odp_caps} and {@code xrc_odp_caps}).
 *
 * @param supported whether the device has on-demand paging at all
 * @param implicitSupported whether the whole address space can be registered at once
 * @param rc what RC queue pairs can do on such memory
 * @param uc the same of UC queue pairs
 * @param ud the same of UD queue pairs
 * @param xrc the same of XRC queue pairs
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
        ATOMIC_WRITE;

        private static Set<Operation> ofMask(int mask) {
            return Flags.of(Operation.class, operation -> 1L << operation.ordinal(), Integer.toUnsignedLong(mask));
        }
    }

    private static final long SUPPORT = 1;
    private static final long SUPPORT_IMPLICIT = 2;

    static OnDemandPagingCapabilities read(MemorySegment capabilities, int xrcMask) {
        long general = ibv_odp_caps.general_caps(capabilities);
        MemorySegment transports = ibv_odp_caps.per_transport_caps(capabilities);
        return new OnDemandPagingCapabilities(
                (general & SUPPORT) != 0,
                (general & SUPPORT_IMPLICIT) != 0,
                Operation.ofMask(ibv_odp_caps.per_transport_caps.rc_odp_caps(transports)),
                Operation.ofMask(ibv_odp_caps.per_transport_caps.uc_odp_caps(transports)),
                Operation.ofMask(ibv_odp_caps.per_transport_caps.ud_odp_caps(transports)),
                Operation.ofMask(xrcMask));
    }
}
