// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The messages of an endpoint (docs/endpoints.md) as a program in C would write them: the same protocol on the wire, the same
// buffers, the same waiting. A single end is in endpoint-twin.c, many that share queues are in peers-twin.c.
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SIZES // of a program that has others
enum { BUFFERS = 64, SLOTS = 64, LONGEST = 32768 };
#endif
enum { RESERVE = 3, INLINE = 64, BATCH = 32, TOGETHER = 16 };
enum { MESSAGE, CREDIT, CLOSE };
enum { MAGIC = 0x52344a45, VERSION = 4 };

// Each SIGNAL_EACH-th message reports its end, and those before it have ended with it.
enum { SIGNAL_EACH = SLOTS / 4 };

struct hello {
    uint32_t magic;
    uint16_t version;
    uint8_t user_length, token_length;
    uint16_t flags, buffers;
    uint32_t size;
} __attribute__((packed));

// Receive buffers of a group of ends. Those that are free again wait, and go to the adapter some at a time.
struct pool {
    struct ibv_srq *queue;
    uint64_t waiting[TOGETHER + BUFFERS];
    int count;
};

struct end {
    struct rdma_cm_id *id;
    struct pool *pool; // NULL for an end alone
    struct ibv_cq *queue;
    struct ibv_mr *mr;
    char *received, *sent;
    // Messages that may be sent; buffers of this side that the peer may fill again but has no credit for, and their numbers.
    int available, owed, peer_buffers;
    uint64_t returned[BUFFERS];
    unsigned posted, completed;
    int controls; // on their way
};

typedef void handler(void *context, const char *message, uint32_t length);

static void fail(const char *what) {
    fprintf(stderr, "endpoint-twin: %s: %s\n", what, strerror(errno));
    exit(1);
}

// All by one call.
static void post_receives(struct end *end, const uint64_t *buffers, int count) {
    struct ibv_sge entries[BUFFERS + TOGETHER];
    struct ibv_recv_wr requests[BUFFERS + TOGETHER], *bad;
    for (int n = 0; n < count; n++) {
        entries[n] = (struct ibv_sge){(uintptr_t)(end->received + buffers[n] * LONGEST), LONGEST, end->mr->lkey};
        requests[n] = (struct ibv_recv_wr){
            .wr_id = buffers[n], .next = n + 1 < count ? &requests[n + 1] : NULL, .sg_list = &entries[n], .num_sge = 1};
    }
    errno = end->pool ? ibv_post_srq_recv(end->pool->queue, requests, &bad) : ibv_post_recv(end->id->qp, requests, &bad);
    if (errno) fail("ibv_post_recv");
}

static void give_back(struct end *end, const uint64_t *buffers, int count) {
    struct pool *pool = end->pool;
    if (!pool) {
        post_receives(end, buffers, count);
        return;
    }
    for (int n = 0; n < count; n++) pool->waiting[pool->count++] = buffers[n];
    if (pool->count >= TOGETHER) {
        post_receives(end, pool->waiting, pool->count);
        pool->count = 0;
    }
}

static struct hello own_hello(void) {
    return (struct hello){
        .magic = htonl(MAGIC), .version = htons(VERSION), .buffers = htons(BUFFERS), .size = htonl(LONGEST)};
}

static struct rdma_conn_param connection(struct hello *hello) {
    return (struct rdma_conn_param){.private_data = hello, .private_data_len = sizeof *hello, .responder_resources = 1,
        .initiator_depth = 1, .retry_count = 7, .rnr_retry_count = 7};
}

static void greeted(struct end *end, const struct rdma_conn_param *said) {
    const struct hello *hello = said->private_data;
    if (said->private_data_len < sizeof *hello || hello->magic != htonl(MAGIC) || hello->version != htons(VERSION) ||
        hello->flags) {
        errno = EPROTO;
        fail("the peer's handshake");
    }
    end->available = end->peer_buffers = ntohs(hello->buffers);
}

// The adapter has the buffers before the peer gets their credits.
static int grant(struct end *end) {
    int owed = end->owed;
    if (owed > 0) give_back(end, end->returned, owed);
    end->owed = 0;
    return owed;
}

static void post(struct end *end, uint64_t id, void *address, uint32_t length, uint32_t frame, int flags) {
    struct ibv_sge sge = {(uintptr_t)address, length, end->mr->lkey};
    struct ibv_send_wr request = {.wr_id = id, .sg_list = &sge, .num_sge = length > 0, .opcode = IBV_WR_SEND_WITH_IMM,
        .send_flags = flags | IBV_SEND_SOLICITED | (length <= INLINE ? IBV_SEND_INLINE : 0), .imm_data = htonl(frame)};
    struct ibv_send_wr *bad;
    if ((errno = ibv_post_send(end->id->qp, &request, &bad))) fail("ibv_post_send");
}

// False if there is no credit or no room.
static bool try_send(struct end *end, const void *message, uint32_t length) {
    if (end->available == 0 || end->posted - end->completed == SLOTS) return false;
    char *slot = end->sent + (size_t)(end->posted % SLOTS) * LONGEST;
    memcpy(slot, message, length);
    end->available--;
    end->posted++;
    post(end, end->posted, slot, length, MESSAGE << 16 | grant(end), end->posted % SIGNAL_EACH ? 0 : IBV_SEND_SIGNALED);
    return true;
}

static void control(struct end *end, int kind) {
    if (end->controls == RESERVE) return;
    end->controls++;
    post(end, UINT64_MAX, NULL, 0, kind << 16 | grant(end), IBV_SEND_SIGNALED);
}

static int arrived(struct end *end, const struct ibv_wc *wc, handler *take, void *context) {
    uint32_t frame = ntohl(wc->imm_data);
    if (!(wc->wc_flags & IBV_WC_WITH_IMM) || (end->available += frame & 0xffff) > end->peer_buffers) {
        errno = EPROTO;
        fail("what the peer has sent");
    }
    if (frame >> 16 == MESSAGE) {
        take(context, end->received + wc->wr_id * LONGEST, wc->byte_len);
        end->returned[end->owed++] = wc->wr_id;
        return 1;
    } else if (frame >> 16 == CLOSE) {
        errno = EPIPE;
        fail("the peer");
    }
    give_back(end, &wc->wr_id, 1);
    return 0;
}

// Returns how many messages have come.
static int completed(struct end *end, const struct ibv_wc *wc, handler *take, void *context) {
    if (wc->status) {
        fprintf(stderr, "endpoint-twin: %s\n", ibv_wc_status_str(wc->status));
        exit(1);
    }
    if (wc->opcode & IBV_WC_RECV) return arrived(end, wc, take, context);
    if (wc->wr_id == UINT64_MAX) end->controls--;
    else end->completed = wc->wr_id; // and all before it
    return 0;
}

static void grant_in_time(struct end *end) {
    if (end->owed >= (BUFFERS + 1) / 2) control(end, CREDIT);
}
