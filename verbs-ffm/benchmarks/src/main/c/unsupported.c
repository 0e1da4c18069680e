// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The functions of libibverbs that the null provider lacks, so that looking them up succeeds. Each refuses: int functions
// return an errno. Functions that return a pointer would return a bad one; do not call them. This file does not include
// verbs.h, whose declarations differ; where null-provider.c has a function, the linker takes it.
enum { NOT_SUPPORTED = 95 };

static int refuse(void) {
    return NOT_SUPPORTED;
}

#define UNSUPPORTED(name) int name(void) __attribute__((weak, alias("refuse")));

UNSUPPORTED(_ibv_query_gid_ex)
UNSUPPORTED(ibv_ack_async_event)
UNSUPPORTED(ibv_ack_cq_events)
UNSUPPORTED(ibv_attach_mcast)
UNSUPPORTED(ibv_create_ah)
UNSUPPORTED(ibv_create_ah_from_wc)
UNSUPPORTED(ibv_create_comp_channel)
UNSUPPORTED(ibv_create_srq)
UNSUPPORTED(ibv_destroy_ah)
UNSUPPORTED(ibv_destroy_comp_channel)
UNSUPPORTED(ibv_destroy_srq)
UNSUPPORTED(ibv_detach_mcast)
UNSUPPORTED(ibv_event_type_str)
UNSUPPORTED(ibv_fork_init)
UNSUPPORTED(ibv_get_async_event)
UNSUPPORTED(ibv_get_cq_event)
UNSUPPORTED(ibv_get_device_index)
UNSUPPORTED(ibv_get_pkey_index)
UNSUPPORTED(ibv_import_device)
UNSUPPORTED(ibv_import_dm)
UNSUPPORTED(ibv_import_mr)
UNSUPPORTED(ibv_import_pd)
UNSUPPORTED(ibv_init_ah_from_wc)
UNSUPPORTED(ibv_is_fork_initialized)
UNSUPPORTED(ibv_modify_srq)
UNSUPPORTED(ibv_node_type_str)
UNSUPPORTED(ibv_port_state_str)
UNSUPPORTED(ibv_query_ece)
UNSUPPORTED(ibv_query_gid)
UNSUPPORTED(ibv_query_pkey)
UNSUPPORTED(ibv_query_port)
UNSUPPORTED(ibv_query_qp_data_in_order)
UNSUPPORTED(ibv_query_srq)
UNSUPPORTED(ibv_rate_to_mbps)
UNSUPPORTED(ibv_rate_to_mult)
UNSUPPORTED(ibv_reg_dmabuf_mr)
UNSUPPORTED(ibv_reg_mr)
UNSUPPORTED(ibv_reg_mr_iova)
UNSUPPORTED(ibv_rereg_mr)
UNSUPPORTED(ibv_resize_cq)
UNSUPPORTED(ibv_resolve_eth_l2_from_gid)
UNSUPPORTED(ibv_set_ece)
UNSUPPORTED(ibv_unimport_dm)
UNSUPPORTED(ibv_unimport_mr)
UNSUPPORTED(ibv_unimport_pd)
UNSUPPORTED(ibv_wc_status_str)
UNSUPPORTED(mbps_to_ibv_rate)
UNSUPPORTED(mult_to_ibv_rate)
