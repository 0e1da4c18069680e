// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/**
 * The functions of libibverbs that a program calls from its start to its first transfer, and others that leave the
 * cause of their failure in errno: {@link ColdCalls} calls them, so that they cost no handle each. Whether a function
 * fits is for a test to say, which compares with the generated bindings.
 */
public enum ExportedVerb {
    /** ibv_get_device_list(3). */
    GET_DEVICE_LIST("ibv_get_device_list"),
    /** ibv_free_device_list(3). */
    FREE_DEVICE_LIST("ibv_free_device_list"),
    /** ibv_get_device_name(3). */
    GET_DEVICE_NAME("ibv_get_device_name"),
    /** ibv_get_device_guid(3). */
    GET_DEVICE_GUID("ibv_get_device_guid"),
    /** ibv_get_device_index(3). */
    GET_DEVICE_INDEX("ibv_get_device_index"),
    /** ibv_open_device(3). */
    OPEN_DEVICE("ibv_open_device"),
    /** ibv_import_device(3). */
    IMPORT_DEVICE("ibv_import_device"),
    /** ibv_query_device(3). */
    QUERY_DEVICE("ibv_query_device"),
    /** ibv_query_port(3), as a library without extended contexts has it. */
    QUERY_PORT("ibv_query_port"),
    /** ibv_query_gid(3). */
    QUERY_GID("ibv_query_gid"),
    /** ibv_query_gid_ex(3). */
    QUERY_GID_EX("_ibv_query_gid_ex"),
    /** ibv_query_gid_table(3). */
    QUERY_GID_TABLE("_ibv_query_gid_table"),
    /** ibv_alloc_pd(3). */
    ALLOC_PD("ibv_alloc_pd"),
    /** ibv_import_pd(3). */
    IMPORT_PD("ibv_import_pd"),
    /** ibv_reg_mr(3), ibv_reg_mr_iova(3). */
    REG_MR("ibv_reg_mr_iova2"),
    /** ibv_reg_dmabuf_mr(3). */
    REG_DMABUF_MR("ibv_reg_dmabuf_mr"),
    /** ibv_rereg_mr(3). */
    REREG_MR("ibv_rereg_mr"),
    /** ibv_import_mr(3). */
    IMPORT_MR("ibv_import_mr"),
    /** ibv_create_comp_channel(3). */
    CREATE_COMP_CHANNEL("ibv_create_comp_channel"),
    /** ibv_create_cq(3). */
    CREATE_CQ("ibv_create_cq"),
    /** ibv_create_srq(3). */
    CREATE_SRQ("ibv_create_srq"),
    /** ibv_create_qp(3). */
    CREATE_QP("ibv_create_qp"),
    /** ibv_query_qp(3). */
    QUERY_QP("ibv_query_qp"),
    /** ibv_modify_qp(3). */
    MODIFY_QP("ibv_modify_qp"),
    /** ibv_create_ah(3). */
    CREATE_AH("ibv_create_ah"),
    /** ibv_create_ah_from_wc(3). */
    CREATE_AH_FROM_WC("ibv_create_ah_from_wc"),
    /** ibv_init_ah_from_wc(3). */
    INIT_AH_FROM_WC("ibv_init_ah_from_wc"),
    /** ibv_resolve_eth_l2_from_gid. */
    RESOLVE_ETH_L2_FROM_GID("ibv_resolve_eth_l2_from_gid");

    private final String symbol;
    /** Looked up at the first call; null before. */
    private MemorySegment address;

    ExportedVerb(String symbol) {
        this.symbol = symbol;
    }

    /** {@return its name in the library} */
    String symbol() {
        return symbol;
    }

    /**
     * Calls it, when it returns a pointer.
     *
     * @param arguments as the function has them, numbers by {@link ColdCalls#word}
     * @return what it points to, of unknown size; NULL after a failure, with {@link NativeCalls#lastErrno()}
     */
    public MemorySegment pointer(MemorySegment... arguments) {
        return ColdCalls.pointer(address(), arguments);
    }

    /**
     * Calls it, when it returns an {@code int}.
     *
     * @param arguments as the function has them, numbers by {@link ColdCalls#word}
     * @return what it returns
     */
    public int number(MemorySegment... arguments) {
        return ColdCalls.number(address(), arguments);
    }

    /**
     * Calls it, when it returns 64 bits or nothing.
     *
     * @param arguments as the function has them, numbers by {@link ColdCalls#word}
     * @return what it returns
     */
    public long call(MemorySegment... arguments) {
        return ColdCalls.call(address(), arguments);
    }

    /** Two threads may look it up at once, and find the same. A segment's fields are final. */
    private MemorySegment address() {
        MemorySegment found = address;
        if (found == null) {
            found = NativeLibraries.findVerb(symbol)
                    .orElseThrow(() -> new IllegalStateException("the installed libibverbs has no " + symbol));
            address = found;
        }
        return found;
    }
}
