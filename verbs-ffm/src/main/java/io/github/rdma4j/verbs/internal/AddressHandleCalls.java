// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/** The verbs of address handles that report the cause of a failure in errno. */
public final class AddressHandleCalls {
    private AddressHandleCalls() {}

    /**
     * ibv_create_ah(3).
     *
     * @param pd the protection domain
     * @param attributes a {@code struct ibv_ah_attr}
     * @return the address handle, or NULL
     */
    public static MemorySegment create(MemorySegment pd, MemorySegment attributes) {
        return ExportedVerb.CREATE_AH.pointer(pd, attributes);
    }

    /**
     * ibv_create_ah_from_wc(3).
     *
     * @param pd the protection domain
     * @param completion a {@code struct ibv_wc}
     * @param header the 40 bytes before the message
     * @param port from 1
     * @return the address handle, or NULL
     */
    public static MemorySegment createFromCompletion(
            MemorySegment pd, MemorySegment completion, MemorySegment header, int port) {
        return ExportedVerb.CREATE_AH_FROM_WC.pointer(pd, completion, header, ColdCalls.word(port));
    }

    /**
     * ibv_init_ah_from_wc(3).
     *
     * @param context the device's context
     * @param port from 1
     * @param completion a {@code struct ibv_wc}
     * @param header the 40 bytes before the message
     * @param attributes a {@code struct ibv_ah_attr}, to be filled
     * @return 0, or another number on failure
     */
    public static int initFromCompletion(
            MemorySegment context, int port, MemorySegment completion, MemorySegment header, MemorySegment attributes) {
        return ExportedVerb.INIT_AH_FROM_WC.number(context, ColdCalls.word(port), completion, header, attributes);
    }

    /**
     * ibv_resolve_eth_l2_from_gid. Waits for the neighbour's reply, for at most three seconds.
     *
     * @param context the device's context
     * @param attributes a {@code struct ibv_ah_attr}
     * @param mac six bytes, to be filled
     * @param vlan two bytes, to be filled
     * @return 0, a negative errno, or another number and errno
     */
    public static int resolve(MemorySegment context, MemorySegment attributes, MemorySegment mac, MemorySegment vlan) {
        return ExportedVerb.RESOLVE_ETH_L2_FROM_GID.number(context, attributes, mac, vlan);
    }
}
