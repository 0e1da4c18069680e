// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// A witness: additions in another memory over a bad wire, with C's verbs and nothing of ours (docs/testing.md#the-campaign). Two
// queue pairs of one process, on the two devices of a pair (scripts/softroce --wire). One end adds 1 to a word of the
// other, again and again, and reads, with messages before and behind. Each addition must give what the one before it
// left. The memory of its result holds a pattern before, so that a completion without a result differs from a
// wrong result. Reads do the same.
//
//   atomics SECONDS [MESSAGES [LENGTH]]
//       MESSAGES: how many before and behind each (default 2); LENGTH: of a read, up to 4,000 bytes (default); up to 1,024
//       its answer is one packet, as the answer to an addition

#include <infiniband/verbs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZE = 16384, LONGEST = 4000, DEPTH = 64, GID = 1 };
static const uint64_t PATTERN = 0xa5a5a5a5a5a5a5a5;

struct end {
    struct ibv_context *context;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    struct ibv_mr *mr;
    uint8_t *memory;
    union ibv_gid gid;
};

static long rounds, without, wrong, reads;

static void check(int good, const char *what) {
    if (!good) {
        perror(what);
        exit(2);
    }
}

static void open_end(struct end *end, struct ibv_device *device) {
    end->context = ibv_open_device(device);
    check(end->context != NULL, "ibv_open_device");
    end->pd = ibv_alloc_pd(end->context);
    end->cq = ibv_create_cq(end->context, 4 * DEPTH, NULL, NULL, 0);
    end->memory = aligned_alloc(4096, SIZE);
    memset(end->memory, 0, SIZE);
    end->mr = ibv_reg_mr(end->pd, end->memory, SIZE,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
    check(end->mr != NULL, "ibv_reg_mr");
    struct ibv_qp_init_attr init = {.send_cq = end->cq, .recv_cq = end->cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1}};
    end->qp = ibv_create_qp(end->pd, &init);
    check(end->qp != NULL, "ibv_create_qp");
    check(ibv_query_gid(end->context, 1, GID, &end->gid) == 0, "ibv_query_gid");
}

static void connect_end(struct end *end, struct end *peer) {
    struct ibv_qp_attr init = {.qp_state = IBV_QPS_INIT, .port_num = 1,
        .qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC};
    check(ibv_modify_qp(end->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) == 0, "INIT");
    struct ibv_qp_attr rtr = {.qp_state = IBV_QPS_RTR, .path_mtu = IBV_MTU_1024, .dest_qp_num = peer->qp->qp_num,
        .max_dest_rd_atomic = 16, .min_rnr_timer = 12,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = peer->gid, .sgid_index = GID, .hop_limit = 64}}};
    check(ibv_modify_qp(end->qp, &rtr, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
            | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) == 0, "RTR");
    struct ibv_qp_attr rts = {.qp_state = IBV_QPS_RTS, .timeout = 10, .retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 16};
    check(ibv_modify_qp(end->qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
            | IBV_QP_MAX_QP_RD_ATOMIC) == 0, "RTS");
}

static void receive(struct end *end) {
    struct ibv_sge sge = {.addr = (uintptr_t)end->memory + 12000, .length = 64, .lkey = end->mr->lkey};
    struct ibv_recv_wr wr = {.wr_id = 1000, .sg_list = &sge, .num_sge = 1}, *bad;
    check(ibv_post_recv(end->qp, &wr, &bad) == 0, "ibv_post_recv");
}

static void post(struct end *end, struct end *peer, enum ibv_wr_opcode opcode, uint64_t id, int offset, int length) {
    struct ibv_sge sge = {.addr = (uintptr_t)end->memory + offset, .length = length, .lkey = end->mr->lkey};
    struct ibv_send_wr *bad, wr = {
        .wr_id = id, .sg_list = &sge, .num_sge = 1, .opcode = opcode, .send_flags = IBV_SEND_SIGNALED};
    if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
        wr.wr.atomic.remote_addr = (uintptr_t)peer->memory;
        wr.wr.atomic.rkey = peer->mr->rkey;
        wr.wr.atomic.compare_add = 1;
    } else {
        wr.wr.rdma.remote_addr = (uintptr_t)peer->memory + 4096;
        wr.wr.rdma.rkey = peer->mr->rkey;
    }
    check(ibv_post_send(end->qp, &wr, &bad) == 0, "ibv_post_send");
}

static int summary(struct end *two) {
    printf("%ld additions and reads completed: %ld additions without a result, %ld with a wrong one, the word holds %" PRIu64
           "; %ld reads without their bytes\n", rounds, without, wrong, *(uint64_t *)two->memory, reads);
    return without + wrong + reads > 0;
}

// Completions of an end, its receives posted again, until the one with that id; 0 looks only.
static void await(struct end *end, struct end *two, uint64_t id) {
    struct ibv_wc wc;
    for (;;) {
        int count = ibv_poll_cq(end->cq, 1, &wc);
        check(count >= 0, "ibv_poll_cq");
        if (count > 0) {
            if (wc.status != IBV_WC_SUCCESS) {
                printf("work request %" PRIu64 ": %s\n", wc.wr_id, ibv_wc_status_str(wc.status));
                summary(two);
                exit(3);
            }
            if (wc.wr_id == 1000) receive(end);
            if (wc.wr_id == id) return;
        } else if (id == 0) {
            return;
        }
    }
}

static void messages(struct end *end, struct end *peer, int count) {
    for (int n = 0; n < count; n++) post(end, peer, IBV_WR_SEND, 4, 8000, 64);
}

int main(int argc, char **argv) {
    long seconds = argc > 1 ? atol(argv[1]) : 0;
    int around = argc > 2 ? atoi(argv[2]) : 2, length = argc > 3 ? atoi(argv[3]) : LONGEST, count;
    struct ibv_device **devices = ibv_get_device_list(&count);
    struct end one = {0}, two = {0};
    check(seconds > 0 && length <= LONGEST && count >= 2, "usage: atomics SECONDS [MESSAGES [LENGTH]], where two devices are");
    open_end(&one, devices[0]);
    open_end(&two, devices[1]);
    connect_end(&one, &two);
    connect_end(&two, &one);
    for (int n = 0; n < DEPTH; n++) {
        receive(&one);
        receive(&two);
    }
    memset(two.memory + 4096, 0x11, LONGEST);
    uint64_t *result = (uint64_t *)one.memory;
    for (time_t end = time(NULL) + seconds; time(NULL) < end; rounds++) {
        *result = PATTERN;
        memset(one.memory + 4096, 0xa5, LONGEST);
        messages(&one, &two, around);
        post(&one, &two, IBV_WR_ATOMIC_FETCH_AND_ADD, 2, 0, 8);
        messages(&one, &two, around);
        messages(&two, &one, around);
        await(&one, &two, 2);
        if (*result == PATTERN) {
            without++;
        } else if (*result != (uint64_t)rounds) {
            wrong++;
        }
        for (int n = 0; n < around; n++) await(&one, &two, 4);
        messages(&one, &two, around);
        post(&one, &two, IBV_WR_RDMA_READ, 3, 4096, length);
        messages(&one, &two, around);
        await(&one, &two, 3);
        for (int n = 0; n < length; n++) {
            if (one.memory[4096 + n] != 0x11) {
                reads++;
                break;
            }
        }
        for (int n = 0; n < around; n++) await(&one, &two, 4);
        for (int n = 0; n < around; n++) await(&two, &two, 4);
    }
    return summary(&two);
}
