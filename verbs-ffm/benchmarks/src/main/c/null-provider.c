// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// A stand-in for libibverbs.so.1 whose devices do nothing: the same structures and function-pointer tables as a provider's,
// behind which a post succeeds and a poll finds the completions that it was set to find. The rest of a call is the caller's cost.
//
// It has two devices, and each has a folder of its name beside this library that plays the part of its folder in sysfs. The
// folder of null0 names a driver that posts in user space (device/driver -> mlx5_core), and null1's none, as with SoftRoCE.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "null-provider.h"

#undef ibv_get_device_list
#undef ibv_query_port
#undef ibv_reg_mr

enum { DEVICES = 2, COMPLETIONS = 16 };

struct queue {
    union {
        struct ibv_cq cq;
        struct ibv_cq_ex cq_ex;
    };
    int prepared;
    int left;
    struct ibv_wc completions[COMPLETIONS];
};

static struct ibv_device devices[DEVICES];

// Posting and polling: what is measured.

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad) {
    return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    return 0;
}

static int post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad) {
    return 0;
}

static int poll_cq(struct ibv_cq *cq, int entries, struct ibv_wc *wc) {
    struct queue *queue = (struct queue *)cq;
    int count = queue->prepared < entries ? queue->prepared : entries;
    for (int i = 0; i < count; i++) {
        wc[i] = queue->completions[i];
    }
    return count;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only) {
    return 0;
}

static int show_completion(struct queue *queue) {
    if (queue->left == 0) {
        return ENOENT;
    }
    struct ibv_wc *wc = &queue->completions[queue->prepared - queue->left--];
    queue->cq_ex.wr_id = wc->wr_id;
    queue->cq_ex.status = wc->status;
    return 0;
}

static int start_poll(struct ibv_cq_ex *cq, struct ibv_poll_cq_attr *attr) {
    struct queue *queue = (struct queue *)cq;
    queue->left = queue->prepared;
    return show_completion(queue);
}

static int next_poll(struct ibv_cq_ex *cq) {
    return show_completion((struct queue *)cq);
}

static void end_poll(struct ibv_cq_ex *cq) {}

static struct ibv_wc *shown(struct ibv_cq_ex *cq) {
    struct queue *queue = (struct queue *)cq;
    return &queue->completions[queue->prepared - queue->left - 1];
}

static enum ibv_wc_opcode read_opcode(struct ibv_cq_ex *cq) {
    return shown(cq)->opcode;
}

static uint32_t read_vendor_err(struct ibv_cq_ex *cq) {
    return shown(cq)->vendor_err;
}

static uint32_t read_byte_len(struct ibv_cq_ex *cq) {
    return shown(cq)->byte_len;
}

static __be32 read_imm_data(struct ibv_cq_ex *cq) {
    return shown(cq)->imm_data;
}

static uint32_t read_qp_num(struct ibv_cq_ex *cq) {
    return shown(cq)->qp_num;
}

static uint32_t read_src_qp(struct ibv_cq_ex *cq) {
    return shown(cq)->src_qp;
}

static unsigned int read_wc_flags(struct ibv_cq_ex *cq) {
    return shown(cq)->wc_flags;
}

static void wr_start(struct ibv_qp_ex *qp) {}

static void wr_rdma(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr) {}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, __be32 imm_data) {}

static void wr_send(struct ibv_qp_ex *qp) {}

static void wr_send_imm(struct ibv_qp_ex *qp, __be32 imm_data) {}

static void wr_send_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey) {}

static void wr_local_inv(struct ibv_qp_ex *qp, uint32_t invalidate_rkey) {}

static void wr_atomic_cmp_swp(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t compare, uint64_t swap) {}

static void wr_atomic_fetch_add(struct ibv_qp_ex *qp, uint32_t rkey, uint64_t remote_addr, uint64_t add) {}

static void wr_bind_mw(struct ibv_qp_ex *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind_info *info) {}

static void wr_set_sge(struct ibv_qp_ex *qp, uint32_t lkey, uint64_t addr, uint32_t length) {}

static void wr_set_sge_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_sge *list) {}

static void wr_set_inline_data(struct ibv_qp_ex *qp, void *addr, size_t length) {}

static void wr_set_inline_data_list(struct ibv_qp_ex *qp, size_t count, const struct ibv_data_buf *list) {}

static int wr_complete(struct ibv_qp_ex *qp) {
    return 0;
}

static void wr_abort(struct ibv_qp_ex *qp) {}

// Everything else: no more than is needed to come that far.

static void fill_device_attr(struct ibv_device_attr *attr) {
    memset(attr, 0, sizeof *attr);
    attr->phys_port_cnt = 1;
    attr->max_qp = attr->max_cq = attr->max_mr = attr->max_pd = attr->max_srq = attr->max_ah = attr->max_mw = 1 << 16;
    attr->max_qp_wr = attr->max_srq_wr = 1 << 15;
    attr->max_cqe = 1 << 20;
    attr->max_sge = attr->max_sge_rd = attr->max_srq_sge = 16;
    attr->max_mr_size = 1ull << 40;
    attr->max_qp_rd_atom = attr->max_qp_init_rd_atom = 16;
    attr->max_res_rd_atom = 1 << 16;
    attr->max_pkeys = 1;
    attr->atomic_cap = IBV_ATOMIC_HCA;
    attr->page_size_cap = 4096;
}

static int query_device_ex(struct ibv_context *context, const struct ibv_query_device_ex_input *input,
                           struct ibv_device_attr_ex *attr, size_t size) {
    memset(attr, 0, size);
    fill_device_attr(&attr->orig_attr);
    return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr, size_t size) {
    memset(attr, 0, size);
    attr->state = IBV_PORT_ACTIVE;
    attr->max_mtu = attr->active_mtu = IBV_MTU_4096;
    attr->max_msg_sz = 1u << 31;
    attr->lid = 1;
    attr->pkey_tbl_len = 1;
    attr->link_layer = IBV_LINK_LAYER_INFINIBAND;
    return 0;
}

static struct ibv_context *context_of(struct verbs_context *extended) {
    return &extended->context;
}

static struct queue *new_queue(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel) {
    struct queue *queue = calloc(1, sizeof *queue);
    queue->cq.context = context;
    queue->cq.cqe = cqe;
    queue->cq.cq_context = cq_context;
    queue->cq.channel = channel;
    for (int i = 0; i < COMPLETIONS; i++) {
        queue->completions[i] =
            (struct ibv_wc){.wr_id = i + 1, .status = IBV_WC_SUCCESS, .opcode = IBV_WC_RECV, .byte_len = 64, .qp_num = 1};
    }
    return queue;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *init) {
    struct queue *queue = new_queue(context, init->cqe, init->cq_context, init->channel);
    struct ibv_cq_ex *cq = &queue->cq_ex;
    cq->start_poll = start_poll;
    cq->next_poll = next_poll;
    cq->end_poll = end_poll;
    cq->read_opcode = read_opcode;
    cq->read_vendor_err = read_vendor_err;
    cq->read_byte_len = read_byte_len;
    cq->read_imm_data = read_imm_data;
    cq->read_qp_num = read_qp_num;
    cq->read_src_qp = read_src_qp;
    cq->read_wc_flags = read_wc_flags;
    return cq;
}

static struct ibv_qp *new_queue_pair(struct ibv_context *context, struct ibv_pd *pd, enum ibv_qp_type type,
                                     struct ibv_cq *send, struct ibv_cq *receive) {
    struct ibv_qp_ex *qp = calloc(1, sizeof *qp);
    qp->qp_base.context = context;
    qp->qp_base.pd = pd;
    qp->qp_base.send_cq = send;
    qp->qp_base.recv_cq = receive;
    qp->qp_base.qp_num = 1;
    qp->qp_base.qp_type = type;
    qp->wr_start = wr_start;
    qp->wr_rdma_write = wr_rdma;
    qp->wr_rdma_read = wr_rdma;
    qp->wr_rdma_write_imm = wr_rdma_write_imm;
    qp->wr_send = wr_send;
    qp->wr_send_imm = wr_send_imm;
    qp->wr_send_inv = wr_send_inv;
    qp->wr_local_inv = wr_local_inv;
    qp->wr_atomic_cmp_swp = wr_atomic_cmp_swp;
    qp->wr_atomic_fetch_add = wr_atomic_fetch_add;
    qp->wr_bind_mw = wr_bind_mw;
    qp->wr_set_sge = wr_set_sge;
    qp->wr_set_sge_list = wr_set_sge_list;
    qp->wr_set_inline_data = wr_set_inline_data;
    qp->wr_set_inline_data_list = wr_set_inline_data_list;
    qp->wr_complete = wr_complete;
    qp->wr_abort = wr_abort;
    return &qp->qp_base;
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *init) {
    return new_queue_pair(context, init->pd, init->qp_type, init->send_cq, init->recv_cq);
}

struct ibv_device **ibv_get_device_list(int *count) {
    Dl_info self;
    if (devices[0].name[0] == 0 && dladdr(devices, &self) != 0) {
        char path[IBV_SYSFS_PATH_MAX];
        snprintf(path, sizeof path, "%s", self.dli_fname);
        const char *folder = dirname(path);
        for (int i = 0; i < DEVICES; i++) {
            devices[i].node_type = IBV_NODE_CA;
            devices[i].transport_type = IBV_TRANSPORT_IB;
            snprintf(devices[i].name, sizeof devices[i].name, "null%d", i);
            snprintf(devices[i].dev_name, sizeof devices[i].dev_name, "uverbs%d", i);
            snprintf(devices[i].ibdev_path, sizeof devices[i].ibdev_path, "%.200s/null%d", folder, i);
        }
    }
    struct ibv_device **list = calloc(DEVICES + 1, sizeof *list);
    for (int i = 0; i < DEVICES; i++) {
        list[i] = &devices[i];
    }
    if (count != NULL) {
        *count = DEVICES;
    }
    return list;
}

void ibv_free_device_list(struct ibv_device **list) {
    free(list);
}

const char *ibv_get_device_name(struct ibv_device *device) {
    return device->name;
}

__be64 ibv_get_device_guid(struct ibv_device *device) {
    return 0;
}

struct ibv_context *ibv_open_device(struct ibv_device *device) {
    struct verbs_context *extended = calloc(1, sizeof *extended);
    extended->sz = sizeof *extended;
    extended->query_port = query_port;
    extended->query_device_ex = query_device_ex;
    extended->create_cq_ex = create_cq_ex;
    extended->create_qp_ex = create_qp_ex;
    struct ibv_context *context = context_of(extended);
    context->device = device;
    context->abi_compat = __VERBS_ABI_IS_EXTENDED;
    context->cmd_fd = context->async_fd = -1;
    context->num_comp_vectors = 1;
    context->ops.poll_cq = poll_cq;
    context->ops.req_notify_cq = req_notify_cq;
    context->ops.post_send = post_send;
    context->ops.post_recv = post_recv;
    context->ops.post_srq_recv = post_srq_recv;
    return context;
}

int ibv_close_device(struct ibv_context *context) {
    free(verbs_get_ctx(context));
    return 0;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr) {
    fill_device_attr(attr);
    return 0;
}

ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries, size_t max, uint32_t flags,
                             size_t size) {
    return 0;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context) {
    struct ibv_pd *pd = calloc(1, sizeof *pd);
    pd->context = context;
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd) {
    free(pd);
    return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned int access) {
    struct ibv_mr *mr = calloc(1, sizeof *mr);
    mr->context = pd->context;
    mr->pd = pd;
    mr->addr = addr;
    mr->length = length;
    mr->lkey = mr->rkey = 0x1234;
    return mr;
}

int ibv_dereg_mr(struct ibv_mr *mr) {
    free(mr);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
                             int vector) {
    return &new_queue(context, cqe, cq_context, channel)->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq) {
    free(cq);
    return 0;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init) {
    return new_queue_pair(pd->context, pd, init->qp_type, init->send_cq, init->recv_cq);
}

struct ibv_qp_ex *ibv_qp_to_qp_ex(struct ibv_qp *qp) {
    return (struct ibv_qp_ex *)qp;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask) {
    if ((mask & IBV_QP_STATE) != 0) {
        qp->state = attr->qp_state;
    }
    return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, struct ibv_qp_init_attr *init) {
    memset(attr, 0, sizeof *attr);
    memset(init, 0, sizeof *init);
    attr->qp_state = attr->cur_qp_state = qp->state;
    return 0;
}

int ibv_destroy_qp(struct ibv_qp *qp) {
    free(qp);
    return 0;
}

void null_provider_prepare(struct ibv_cq *cq, int completions) {
    ((struct queue *)cq)->prepared = completions < COMPLETIONS ? completions : COMPLETIONS;
}
