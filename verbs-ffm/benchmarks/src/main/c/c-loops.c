// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What a C program does, for comparison: loops over the inline functions of the installed verbs.h, on the objects that the
// Java side has created. Each takes the object, one more argument and the number of rounds, so that Java can call all alike,
// and returns what keeps its work from being optimised away.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <stdlib.h>

#include "null-provider.h"

enum { BATCH = 16 };

// The parts of a request that change from one to the next, in memory that is opaque to the compiler.
struct request {
    uint64_t local_addr;
    uint64_t remote_addr;
    uint32_t length;
    uint32_t lkey;
    uint32_t rkey;
    uint32_t flags;
};

struct write_list {
    struct ibv_send_wr wr[BATCH];
    struct ibv_sge sge[BATCH];
};

void c_prepare(struct ibv_cq *cq, int completions) {
    null_provider_prepare(cq, completions);
}

int64_t c_poll_empty(struct ibv_cq *cq, int64_t entries, int64_t loops) {
    struct ibv_wc wc[BATCH];
    int64_t found = 0;
    for (int64_t i = 0; i < loops; i++) {
        found += ibv_poll_cq(cq, entries, wc);
    }
    return found;
}

int64_t c_poll_and_read(struct ibv_cq *cq, int64_t entries, int64_t loops) {
    struct ibv_wc wc[BATCH];
    int64_t sum = 0;
    for (int64_t i = 0; i < loops; i++) {
        int count = ibv_poll_cq(cq, entries, wc);
        for (int k = 0; k < count; k++) {
            if (wc[k].status != IBV_WC_SUCCESS) {
                return -1;
            }
            sum += wc[k].wr_id + wc[k].byte_len;
        }
    }
    return sum;
}

int64_t c_extended_poll_and_read(struct ibv_cq *queue, int64_t entries, int64_t loops) {
    struct ibv_cq_ex *cq = (struct ibv_cq_ex *)queue;
    struct ibv_poll_cq_attr attr = {};
    int64_t sum = 0;
    for (int64_t i = 0; i < loops; i++) {
        if (ibv_start_poll(cq, &attr) != 0) {
            continue;
        }
        do {
            if (cq->status != IBV_WC_SUCCESS) {
                return -1;
            }
            sum += cq->wr_id + ibv_wc_read_byte_len(cq);
        } while (ibv_next_poll(cq) == 0);
        ibv_end_poll(cq);
    }
    return sum;
}

// As in a program that keeps its requests: what never changes is written once.
static struct write_list *new_list(void) {
    struct write_list *list = calloc(1, sizeof *list);
    for (int k = 0; k < BATCH; k++) {
        list->wr[k].next = k == BATCH - 1 ? NULL : &list->wr[k + 1];
        list->wr[k].sg_list = &list->sge[k];
        list->wr[k].num_sge = 1;
    }
    return list;
}

static inline void fill(struct ibv_send_wr *wr, uint64_t id, const struct request *request) {
    wr->wr_id = id;
    wr->opcode = IBV_WR_RDMA_WRITE;
    wr->send_flags = request->flags;
    wr->wr.rdma.remote_addr = request->remote_addr;
    wr->wr.rdma.rkey = request->rkey;
    wr->sg_list->addr = request->local_addr;
    wr->sg_list->length = request->length;
    wr->sg_list->lkey = request->lkey;
}

int64_t c_write(struct ibv_qp *qp, const struct request *request, int64_t loops) {
    struct write_list *list = new_list();
    struct ibv_send_wr *bad;
    int64_t result = 0;
    list->wr[0].next = NULL;
    for (int64_t i = 0; i < loops; i++) {
        fill(&list->wr[0], i, request);
        result |= ibv_post_send(qp, &list->wr[0], &bad);
    }
    free(list);
    return result;
}

// Filled once, outside the loop.
int64_t c_prepared_write(struct ibv_qp *qp, const struct request *request, int64_t loops) {
    struct write_list *list = new_list();
    struct ibv_send_wr *bad;
    int64_t result = 0;
    list->wr[0].next = NULL;
    fill(&list->wr[0], 0, request);
    for (int64_t i = 0; i < loops; i++) {
        list->wr[0].wr_id = i;
        result |= ibv_post_send(qp, &list->wr[0], &bad);
    }
    free(list);
    return result;
}

int64_t c_write_batch(struct ibv_qp *qp, const struct request *request, int64_t loops) {
    struct write_list *list = new_list();
    struct ibv_send_wr *bad;
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        for (int k = 0; k < BATCH; k++) {
            fill(&list->wr[k], i + k, request);
        }
        result |= ibv_post_send(qp, &list->wr[0], &bad);
    }
    free(list);
    return result;
}

int64_t c_receive(struct ibv_qp *qp, const struct request *request, int64_t loops) {
    struct ibv_sge sge;
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        wr.wr_id = i;
        sge.addr = request->local_addr;
        sge.length = request->length;
        sge.lkey = request->lkey;
        result |= ibv_post_recv(qp, &wr, &bad);
    }
    return result;
}

int64_t c_prepared_receive(struct ibv_qp *qp, const struct request *request, int64_t loops) {
    struct ibv_sge sge = {request->local_addr, request->length, request->lkey};
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        wr.wr_id = i;
        result |= ibv_post_recv(qp, &wr, &bad);
    }
    return result;
}

static inline void extended_write(struct ibv_qp_ex *qp, uint64_t id, const struct request *request) {
    qp->wr_id = id;
    qp->wr_flags = request->flags;
    ibv_wr_rdma_write(qp, request->rkey, request->remote_addr);
    ibv_wr_set_sge(qp, request->lkey, request->local_addr, request->length);
}

int64_t c_extended_write(struct ibv_qp *queue_pair, const struct request *request, int64_t loops) {
    struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(queue_pair);
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        ibv_wr_start(qp);
        extended_write(qp, i, request);
        result |= ibv_wr_complete(qp);
    }
    return result;
}

int64_t c_extended_write_batch(struct ibv_qp *queue_pair, const struct request *request, int64_t loops) {
    struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(queue_pair);
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        ibv_wr_start(qp);
        for (int k = 0; k < BATCH; k++) {
            extended_write(qp, i + k, request);
        }
        result |= ibv_wr_complete(qp);
    }
    return result;
}
