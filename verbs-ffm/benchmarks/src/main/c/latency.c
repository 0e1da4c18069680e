// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The loops of Latency.java in C, on the same queue pairs of a real device: both ends are in one process and driven by one
// thread. Each writes one time per round trip, in nanoseconds. A negative result: a verb failed.
#include <infiniband/verbs.h>
#include <stdint.h>
#include <time.h>

// One end: its queues, and what its requests name. The first half of the local memory is sent, the second is received into.
struct end {
    struct ibv_qp *qp;
    struct ibv_cq *cq;
    volatile uint8_t *outgoing;
    volatile uint8_t *incoming;
    uint64_t remote_addr;
    uint32_t lkey;
    uint32_t rkey;
    uint32_t length;
};

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int post(const struct end *end, enum ibv_wr_opcode opcode) {
    struct ibv_sge sge = {.addr = (uintptr_t)end->outgoing, .length = end->length, .lkey = end->lkey};
    struct ibv_send_wr wr = {.sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED}, *bad;
    wr.wr.rdma.remote_addr = end->remote_addr;
    wr.wr.rdma.rkey = end->rkey;
    return ibv_post_send(end->qp, &wr, &bad);
}

static int post_receive(const struct end *end) {
    struct ibv_sge sge = {.addr = (uintptr_t)end->incoming, .length = end->length, .lkey = end->lkey};
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad;
    return ibv_post_recv(end->qp, &wr, &bad);
}

static int await(const struct end *end) {
    struct ibv_wc wc;
    int count;
    do {
        count = ibv_poll_cq(end->cq, 1, &wc);
    } while (count == 0);
    return count == 1 && wc.status == IBV_WC_SUCCESS ? 0 : -1;
}

static int write_over(const struct end *from, const struct end *to, uint8_t value) {
    uint32_t last = from->length - 1;
    from->outgoing[last] = value;
    if (post(from, IBV_WR_RDMA_WRITE) != 0) {
        return -1;
    }
    while (to->incoming[last] != value) {
    }
    return await(from);
}

int64_t c_write_latency(const struct end *a, const struct end *b, int64_t rounds, int64_t *times) {
    for (int64_t i = 0; i < rounds; i++) {
        int64_t start = now();
        if (write_over(a, b, i + 1) != 0 || write_over(b, a, i + 1) != 0) {
            return -1;
        }
        times[i] = now() - start;
    }
    return 0;
}

static int send_over(const struct end *from, const struct end *to) {
    if (post(from, IBV_WR_SEND) != 0 || await(to) != 0) {
        return -1;
    }
    return await(from) != 0 || post_receive(to) != 0 ? -1 : 0;
}

// Each end has one receive posted before and after. Separate queues would separate receives from sends; here both end in the
// queue of their side, and each side waits for exactly one of them at a time.
int64_t c_send_latency(const struct end *a, const struct end *b, int64_t rounds, int64_t *times) {
    for (int64_t i = 0; i < rounds; i++) {
        int64_t start = now();
        if (send_over(a, b) != 0 || send_over(b, a) != 0) {
            return -1;
        }
        times[i] = now() - start;
    }
    return 0;
}

int64_t c_read_latency(const struct end *a, const struct end *b, int64_t rounds, int64_t *times) {
    for (int64_t i = 0; i < rounds; i++) {
        int64_t start = now();
        if (post(a, IBV_WR_RDMA_READ) != 0 || await(a) != 0) {
            return -1;
        }
        times[i] = now() - start;
    }
    return 0;
}
