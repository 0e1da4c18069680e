// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The messages of an endpoint (docs/endpoints.md) as a program in C would write them: the same protocol on the wire, the same
// buffers, the same waiting.
#include <arpa/inet.h>
#include <errno.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 64, RESERVE = 3, SLOTS = 64, LONGEST = 32768, INLINE = 64, BATCH = 32 };
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

struct end {
    struct rdma_cm_id *id;
    struct ibv_cq *queue;
    struct ibv_mr *mr;
    char *received, *sent;
    // Messages that may be sent, buffers of this side that the peer may fill again and does not know of: which those are, too.
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
    struct ibv_sge entries[BUFFERS];
    struct ibv_recv_wr requests[BUFFERS], *bad;
    for (int n = 0; n < count; n++) {
        entries[n] = (struct ibv_sge){(uintptr_t)(end->received + buffers[n] * LONGEST), LONGEST, end->mr->lkey};
        requests[n] = (struct ibv_recv_wr){
            .wr_id = buffers[n], .next = n + 1 < count ? &requests[n + 1] : NULL, .sg_list = &entries[n], .num_sge = 1};
    }
    if ((errno = ibv_post_recv(end->id->qp, requests, &bad))) fail("ibv_post_recv");
}

// Makes the queue pair, with one queue for the completions of both directions, ready for what the peer may send at once.
static void prepare(struct end *end) {
    size_t bytes = (size_t)(BUFFERS + RESERVE + SLOTS) * LONGEST;
    end->queue = ibv_create_cq(end->id->verbs, BUFFERS + SLOTS + 2 * RESERVE, NULL, NULL, 0);
    if (!end->queue) fail("ibv_create_cq");
    struct ibv_qp_init_attr attributes = {.qp_type = IBV_QPT_RC, .send_cq = end->queue, .recv_cq = end->queue,
        .cap = {.max_send_wr = SLOTS + RESERVE, .max_recv_wr = BUFFERS + RESERVE, .max_send_sge = 1, .max_recv_sge = 1,
            .max_inline_data = INLINE}};
    if (rdma_create_qp(end->id, NULL, &attributes)) fail("rdma_create_qp");
    if (posix_memalign((void **)&end->received, 4096, bytes)) fail("posix_memalign");
    memset(end->received, 0, bytes);
    end->sent = end->received + (size_t)(BUFFERS + RESERVE) * LONGEST;
    end->mr = rdma_reg_msgs(end->id, end->received, bytes);
    if (!end->mr) fail("ibv_reg_mr");
    for (uint64_t buffer = 0; buffer < BUFFERS + RESERVE; buffer++) post_receives(end, &buffer, 1);
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
        fail("the peer's greeting");
    }
    end->available = end->peer_buffers = ntohs(hello->buffers);
}

// An id with a device; a passive one can listen.
static struct rdma_cm_id *resolve(const char *address, const char *port, bool passive) {
    struct rdma_addrinfo hints = {.ai_port_space = RDMA_PS_TCP, .ai_flags = passive ? RAI_PASSIVE : 0}, *found;
    struct rdma_cm_id *id;
    if (rdma_getaddrinfo(address, port, &hints, &found)) fail("rdma_getaddrinfo");
    if (rdma_create_ep(&id, found, NULL, NULL)) fail("rdma_create_ep");
    rdma_freeaddrinfo(found);
    return id;
}

static void connect_to(struct end *end, const char *address, const char *port) {
    struct hello hello = own_hello();
    struct rdma_conn_param parameters = connection(&hello);
    end->id = resolve(address, port, false);
    prepare(end);
    if (rdma_connect(end->id, &parameters)) fail("rdma_connect");
    greeted(end, &end->id->event->param.conn);
}

static void accept_from(struct end *end, struct rdma_cm_id *listener) {
    struct hello hello = own_hello();
    struct rdma_conn_param parameters = connection(&hello);
    if (rdma_get_request(listener, &end->id)) fail("rdma_get_request");
    prepare(end);
    greeted(end, &end->id->event->param.conn);
    if (rdma_accept(end->id, &parameters)) fail("rdma_accept");
}

// The adapter has the buffers before the peer hears of them.
static int grant(struct end *end) {
    int owed = end->owed;
    if (owed > 0) post_receives(end, end->returned, owed);
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
    post_receives(end, &wc->wr_id, 1);
    return 0;
}

// Returns how many messages have come.
static int poll(struct end *end, handler *take, void *context) {
    struct ibv_wc wc[BATCH];
    int messages = 0, found = ibv_poll_cq(end->queue, BATCH, wc);
    for (int n = 0; n < found; n++) {
        if (wc[n].status) {
            fprintf(stderr, "endpoint-twin: %s\n", ibv_wc_status_str(wc[n].status));
            exit(1);
        }
        if (wc[n].opcode & IBV_WC_RECV) {
            messages += arrived(end, &wc[n], take, context);
        } else if (wc[n].wr_id == UINT64_MAX) {
            end->controls--;
        } else {
            end->completed = wc[n].wr_id; // and all before it
        }
    }
    if (end->owed >= (BUFFERS + 1) / 2) control(end, CREDIT);
    return messages;
}
