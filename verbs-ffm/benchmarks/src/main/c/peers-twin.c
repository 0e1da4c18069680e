// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Many connections in C, as a group of endpoints has them: on each side one completion queue, one shared receive queue and one
// event channel. CountedPeers.java does the same with endpoints.
//
//   peers-twin ADDRESS PEERS    instructions of a round trip, both sides of which one thread drives, and what the process holds;
//                               needs RDMA4J_COUNT
enum { BUFFERS = 8, SLOTS = 8, LONGEST = 64 };
#define SIZES
#include "endpoint-twin.h"
#include "instructions.h"

#include <dirent.h>

// In so many round trips of each peer comes all that comes now and then: ends that are reported, buffers that go back.
enum { PERIOD = 8 };
enum { BYTES = 64, MOST = 1000, RUNS = 3 };

struct side {
    struct rdma_event_channel *events;
    struct ibv_cq *queue;
    struct pool pool;
    char *received;
    struct ibv_mr *mr;
    struct end *ends;
    int most, count;
    // By the number of the queue pair, in the next free place from there on.
    struct end **table;
    uint32_t mask;
    handler *take;
};

// ---- The queues ----

static void open_queues(struct side *side, struct rdma_cm_id *id) {
    size_t receives = (size_t)side->most * (BUFFERS + RESERVE) + TOGETHER - 1;
    size_t bytes = (receives + (size_t)side->most * SLOTS) * LONGEST;
    struct ibv_srq_init_attr attributes = {.attr = {.max_wr = receives, .max_sge = 1}};
    side->queue = ibv_create_cq(id->verbs, receives + (size_t)side->most * (SLOTS + RESERVE), NULL, NULL, 0);
    if (!side->queue) fail("ibv_create_cq");
    if (!(side->pool.queue = ibv_create_srq(id->pd, &attributes))) fail("ibv_create_srq");
    if (posix_memalign((void **)&side->received, 4096, bytes)) fail("posix_memalign");
    memset(side->received, 0, bytes);
    if (!(side->mr = ibv_reg_mr(id->pd, side->received, bytes, IBV_ACCESS_LOCAL_WRITE))) fail("ibv_reg_mr");
    struct end first = {.pool = &side->pool, .received = side->received, .mr = side->mr};
    for (uint64_t buffer = 0; buffer < receives; buffer++) post_receives(&first, &buffer, 1);
}

static struct end **place(struct side *side, uint32_t number) {
    uint32_t at = number & side->mask;
    while (side->table[at] && side->table[at]->id->qp->qp_num != number) at = (at + 1) & side->mask;
    return &side->table[at];
}

static struct end *join(struct side *side, struct rdma_cm_id *id) {
    if (side->count == 0) open_queues(side, id);
    struct end *end = &side->ends[side->count];
    size_t receives = (size_t)side->most * (BUFFERS + RESERVE) + TOGETHER - 1;
    char *sent = side->received + (receives + (size_t)side->count++ * SLOTS) * LONGEST;
    *end = (struct end){.id = id, .pool = &side->pool, .received = side->received, .sent = sent, .mr = side->mr};
    struct ibv_qp_init_attr attributes = {.qp_type = IBV_QPT_RC, .send_cq = side->queue, .recv_cq = side->queue,
        .srq = side->pool.queue, .cap = {.max_send_wr = SLOTS + RESERVE, .max_send_sge = 1, .max_inline_data = INLINE}};
    if (rdma_create_qp(id, id->pd, &attributes)) fail("rdma_create_qp");
    *place(side, id->qp->qp_num) = end;
    return end;
}

// Returns how many messages have come; the handler's context is their end.
static int poll_all(struct side *side) {
    struct ibv_wc wc[BATCH];
    int messages = 0, found = ibv_poll_cq(side->queue, BATCH, wc);
    for (int n = 0; n < found; n++) {
        struct end *end = *place(side, wc[n].qp_num);
        messages += completed(end, &wc[n], side->take, end);
        grant_in_time(end);
    }
    return messages;
}

// ---- The connections ----

static struct rdma_cm_event *next_event(struct side *side, enum rdma_cm_event_type wanted) {
    struct rdma_cm_event *event;
    if (rdma_get_cm_event(side->events, &event)) fail("rdma_get_cm_event");
    if (event->event != wanted) {
        fprintf(stderr, "peers-twin: %s, not %s\n", rdma_event_str(event->event), rdma_event_str(wanted));
        exit(1);
    }
    return event;
}

static void await_event(struct side *side, enum rdma_cm_event_type wanted) {
    rdma_ack_cm_event(next_event(side, wanted));
}

static void connect_one(struct side *client, struct side *server, struct sockaddr *address) {
    struct hello hello = own_hello();
    struct rdma_conn_param parameters = connection(&hello);
    struct rdma_cm_id *id;
    if (rdma_create_id(client->events, &id, NULL, RDMA_PS_TCP)) fail("rdma_create_id");
    if (rdma_resolve_addr(id, NULL, address, 2000)) fail("rdma_resolve_addr");
    await_event(client, RDMA_CM_EVENT_ADDR_RESOLVED);
    if (rdma_resolve_route(id, 2000)) fail("rdma_resolve_route");
    await_event(client, RDMA_CM_EVENT_ROUTE_RESOLVED);
    struct end *end = join(client, id);
    if (rdma_connect(id, &parameters)) fail("rdma_connect");
    struct rdma_cm_event *request = next_event(server, RDMA_CM_EVENT_CONNECT_REQUEST);
    struct end *accepted = join(server, request->id);
    greeted(accepted, &request->param.conn);
    if (rdma_accept(request->id, &parameters)) fail("rdma_accept");
    rdma_ack_cm_event(request);
    struct rdma_cm_event *answer = next_event(client, RDMA_CM_EVENT_ESTABLISHED);
    greeted(end, &answer->param.conn);
    rdma_ack_cm_event(answer);
    await_event(server, RDMA_CM_EVENT_ESTABLISHED);
}

static void open_side(struct side *side, int most, handler *take) {
    *side = (struct side){.most = most, .ends = calloc(most, sizeof *side->ends), .mask = 1, .take = take};
    while (side->mask < 4 * (uint32_t)most) side->mask *= 2;
    side->table = calloc(side->mask--, sizeof *side->table);
    if (!side->ends || !side->table || !(side->events = rdma_create_event_channel())) fail("a side");
}

// ---- The round trips ----

struct load {
    struct side client, server;
    int together, trips;
};

static uint64_t answers;

static void answer(void *end, const char *message, uint32_t length) {
    if (!try_send(end, message, length)) fail("no room for an answer");
}

static void take_answer(void *end, const char *message, uint32_t length) {
    (void)end, (void)message;
    answers += length == BYTES;
}

// Some clients send, each one message, before the server looks; then all answers come.
static void exchange(void *context) {
    static char message[BYTES];
    struct load *load = context;
    int peers = load->client.count, first = 0;
    for (int trips = 0; trips < load->trips; trips += load->together) {
        for (int n = 0; n < load->together; n++) {
            if (!try_send(&load->client.ends[(first + n) % peers], message, BYTES)) fail("no room for a message");
        }
        for (int came = 0; came < load->together;) came += poll_all(&load->server);
        for (int came = 0; came < load->together;) came += poll_all(&load->client);
        first = (first + load->together) % peers;
    }
}

// ---- What the process holds ----

static void print_status(const char *name) {
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (!strncmp(line, name, strlen(name))) printf("  %s", line);
    }
    if (status) fclose(status);
}

static void print_descriptors(void) {
    int count = -3; // ".", ".." and its own
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    printf("  descriptors: %d\n", count);
}

int main(int count_of, char **arguments) {
    int peers = count_of == 3 ? atoi(arguments[2]) : 0;
    if (peers < 1 || peers > MOST) {
        fprintf(stderr, "usage: peers-twin ADDRESS PEERS, at most %d\n", MOST);
        return 2;
    }
    struct load load = {.trips = (MOST / peers / PERIOD + 1) * PERIOD * peers};
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(7472)};
    struct rdma_cm_id *listener;
    FILE *counts = instructions_open();
    open_side(&load.client, peers, take_answer);
    open_side(&load.server, peers, answer);
    if (inet_pton(AF_INET, arguments[1], &address.sin_addr) != 1) fail(arguments[1]);
    if (rdma_create_id(load.server.events, &listener, NULL, RDMA_PS_TCP)) fail("rdma_create_id");
    if (rdma_bind_addr(listener, (struct sockaddr *)&address) || rdma_listen(listener, peers)) fail("rdma_listen");
    while (load.client.count < peers) connect_one(&load.client, &load.server, (struct sockaddr *)&address);
    for (load.together = 1;; load.together = peers) {
        struct instructions least = instructions_least(counts, RUNS, exchange, &load);
        printf("C     %4d peers, %4d at once %8.0f instructions outside the kernel %8.0f in it, a round trip\n", peers,
            load.together, least.user / load.trips, least.kernel / load.trips);
        if (load.together == peers) break;
    }
    print_descriptors();
    print_status("VmPin");
    print_status("VmRSS");
    return 0;
}
