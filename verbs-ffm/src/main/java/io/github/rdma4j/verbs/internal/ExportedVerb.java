// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.lang.foreign.MemorySegment;

/**
 * The functions of libibverbs that this library calls, except the newer ones in {@link LaterVerbs}. {@link ColdCalls}
 * calls them, so they need no handle each. A test compares them with the generated bindings, to check that their
 * signatures fit.
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
    /** ibv_close_device(3). */
    CLOSE_DEVICE("ibv_close_device"),
    /** ibv_get_async_event(3). */
    GET_ASYNC_EVENT("ibv_get_async_event"),
    /** ibv_ack_async_event(3). */
    ACK_ASYNC_EVENT("ibv_ack_async_event"),
    /** ibv_fork_init(3). */
    FORK_INIT("ibv_fork_init"),
    /** ibv_is_fork_initialized(3). */
    IS_FORK_INITIALIZED("ibv_is_fork_initialized", 35),
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
    /** ibv_query_pkey(3). */
    QUERY_PKEY("ibv_query_pkey"),
    /** ibv_get_pkey_index(3). */
    GET_PKEY_INDEX("ibv_get_pkey_index"),
    /** ibv_alloc_pd(3). */
    ALLOC_PD("ibv_alloc_pd"),
    /** ibv_dealloc_pd(3). */
    DEALLOC_PD("ibv_dealloc_pd"),
    /** ibv_import_pd(3). */
    IMPORT_PD("ibv_import_pd"),
    /** ibv_unimport_pd(3). */
    UNIMPORT_PD("ibv_unimport_pd"),
    /** ibv_reg_mr(3), ibv_reg_mr_iova(3). */
    REG_MR("ibv_reg_mr_iova2"),
    /** ibv_reg_dmabuf_mr(3). */
    REG_DMABUF_MR("ibv_reg_dmabuf_mr", 34),
    /** ibv_rereg_mr(3). */
    REREG_MR("ibv_rereg_mr"),
    /** ibv_dereg_mr(3). */
    DEREG_MR("ibv_dereg_mr"),
    /** ibv_import_mr(3). */
    IMPORT_MR("ibv_import_mr"),
    /** ibv_unimport_mr(3). */
    UNIMPORT_MR("ibv_unimport_mr"),
    /** ibv_import_dm(3). */
    IMPORT_DM("ibv_import_dm", 35),
    /** ibv_unimport_dm(3). */
    UNIMPORT_DM("ibv_unimport_dm", 35),
    /** ibv_create_comp_channel(3). */
    CREATE_COMP_CHANNEL("ibv_create_comp_channel"),
    /** ibv_destroy_comp_channel(3). */
    DESTROY_COMP_CHANNEL("ibv_destroy_comp_channel"),
    /** ibv_create_cq(3). */
    CREATE_CQ("ibv_create_cq"),
    /** ibv_resize_cq(3). */
    RESIZE_CQ("ibv_resize_cq"),
    /** ibv_destroy_cq(3). */
    DESTROY_CQ("ibv_destroy_cq"),
    /** ibv_get_cq_event(3). */
    GET_CQ_EVENT("ibv_get_cq_event"),
    /** ibv_ack_cq_events(3). */
    ACK_CQ_EVENTS("ibv_ack_cq_events"),
    /** ibv_create_srq(3). */
    CREATE_SRQ("ibv_create_srq"),
    /** ibv_query_srq(3). */
    QUERY_SRQ("ibv_query_srq"),
    /** ibv_modify_srq(3). */
    MODIFY_SRQ("ibv_modify_srq"),
    /** ibv_destroy_srq(3). */
    DESTROY_SRQ("ibv_destroy_srq"),
    /** ibv_create_qp(3). */
    CREATE_QP("ibv_create_qp"),
    /** ibv_qp_to_qp_ex(3). */
    QP_TO_QP_EX("ibv_qp_to_qp_ex"),
    /** ibv_query_qp(3). */
    QUERY_QP("ibv_query_qp"),
    /** ibv_modify_qp(3). */
    MODIFY_QP("ibv_modify_qp"),
    /** ibv_query_ece(3). */
    QUERY_ECE("ibv_query_ece"),
    /** ibv_set_ece(3). */
    SET_ECE("ibv_set_ece"),
    /** ibv_query_qp_data_in_order(3). */
    QUERY_QP_DATA_IN_ORDER("ibv_query_qp_data_in_order", 36),
    /** ibv_attach_mcast(3). */
    ATTACH_MCAST("ibv_attach_mcast"),
    /** ibv_detach_mcast(3). */
    DETACH_MCAST("ibv_detach_mcast"),
    /** ibv_destroy_qp(3). */
    DESTROY_QP("ibv_destroy_qp"),
    /** ibv_create_ah(3). */
    CREATE_AH("ibv_create_ah"),
    /** ibv_create_ah_from_wc(3). */
    CREATE_AH_FROM_WC("ibv_create_ah_from_wc"),
    /** ibv_destroy_ah(3). */
    DESTROY_AH("ibv_destroy_ah"),
    /** ibv_init_ah_from_wc(3). */
    INIT_AH_FROM_WC("ibv_init_ah_from_wc"),
    /** ibv_resolve_eth_l2_from_gid. */
    RESOLVE_ETH_L2_FROM_GID("ibv_resolve_eth_l2_from_gid");

    private final ExportedFunction function;

    ExportedVerb(String symbol) {
        this(symbol, 0);
    }

    /**
     * Creates a verb that rdma-core has since a version. On an older library its call throws an
     * UnsupportedVerbException.
     */
    ExportedVerb(String symbol, int version) {
        this.function = new ExportedFunction(NativeLibraries.VERBS, symbol, version);
    }

    /** {@return whether the installed library has it; a verb without a version is always there} */
    public boolean isPresent() {
        return function.isPresent();
    }

    /** {@return its address; looked up once} */
    MemorySegment address() {
        return function.address();
    }

    /** {@return the version of rdma-core that introduced it; 0 if the oldest supported version has it} */
    int version() {
        return function.version();
    }

    /** {@return its name in the library} */
    String symbol() {
        return function.symbol();
    }

    /**
     * Calls a verb that returns a pointer.
     *
     * @param arguments the arguments of the function, numbers by {@link ColdCalls#word}
     * @return the target of the pointer, of unknown size; NULL after a failure, with {@link NativeCalls#lastErrno()}
     */
    public MemorySegment pointer(MemorySegment... arguments) {
        return function.pointer(arguments);
    }

    /**
     * Calls a verb that returns an {@code int}.
     *
     * @param arguments the arguments of the function, numbers by {@link ColdCalls#word}
     * @return its result
     */
    public int number(MemorySegment... arguments) {
        return function.number(arguments);
    }

    /**
     * Calls a verb that returns 64 bits or nothing.
     *
     * @param arguments the arguments of the function, numbers by {@link ColdCalls#word}
     * @return its result
     */
    public long call(MemorySegment... arguments) {
        return function.call(arguments);
    }
}
