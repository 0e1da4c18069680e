// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.LibIbVerbs;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** The verbs of address handles that leave the cause of their failure in errno. */
public final class AddressHandleCalls {
    private static final MethodHandle CREATE =
            NativeCalls.errnoHandle(LibIbVerbs.ibv_create_ah$address(), LibIbVerbs.ibv_create_ah$descriptor());
    private static final MethodHandle CREATE_FROM_COMPLETION = NativeCalls.errnoHandle(
            LibIbVerbs.ibv_create_ah_from_wc$address(), LibIbVerbs.ibv_create_ah_from_wc$descriptor());
    private static final MethodHandle INIT_FROM_COMPLETION = NativeCalls.errnoHandle(
            LibIbVerbs.ibv_init_ah_from_wc$address(), LibIbVerbs.ibv_init_ah_from_wc$descriptor());
    private static final MethodHandle RESOLVE = NativeCalls.errnoHandle(
            LibIbVerbs.ibv_resolve_eth_l2_from_gid$address(), LibIbVerbs.ibv_resolve_eth_l2_from_gid$descriptor());

    private AddressHandleCalls() {}

    /**
     * ibv_create_ah(3).
     *
     * @param pd the protection domain
     * @param attributes a {@code struct ibv_ah_attr}
     * @return the address handle, or NULL
     */
    public static MemorySegment create(MemorySegment pd, MemorySegment attributes) {
        try {
            return (MemorySegment) CREATE.invokeExact(NativeCalls.capture(), pd, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_create_ah_from_wc(3).
     *
     * @param pd the protection domain
     * @param completion a {@code struct ibv_wc}
     * @param header the 40 bytes in front of the message
     * @param port from 1
     * @return the address handle, or NULL
     */
    public static MemorySegment createFromCompletion(
            MemorySegment pd, MemorySegment completion, MemorySegment header, int port) {
        try {
            return (MemorySegment)
                    CREATE_FROM_COMPLETION.invokeExact(NativeCalls.capture(), pd, completion, header, (byte) port);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_init_ah_from_wc(3).
     *
     * @param context the device's context
     * @param port from 1
     * @param completion a {@code struct ibv_wc}
     * @param header the 40 bytes in front of the message
     * @param attributes a {@code struct ibv_ah_attr}, to be filled
     * @return 0, or another number on failure
     */
    public static int initFromCompletion(
            MemorySegment context, int port, MemorySegment completion, MemorySegment header, MemorySegment attributes) {
        try {
            return (int) INIT_FROM_COMPLETION.invokeExact(
                    NativeCalls.capture(), context, (byte) port, completion, header, attributes);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    /**
     * ibv_resolve_eth_l2_from_gid. Waits for the neighbour's answer, for at most three seconds.
     *
     * @param context the device's context
     * @param attributes a {@code struct ibv_ah_attr}
     * @param mac six bytes, to be filled
     * @param vlan two bytes, to be filled
     * @return 0, a negative errno, or another number and errno
     */
    public static int resolve(MemorySegment context, MemorySegment attributes, MemorySegment mac, MemorySegment vlan) {
        try {
            return (int) RESOLVE.invokeExact(NativeCalls.capture(), context, attributes, mac, vlan);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }
}
