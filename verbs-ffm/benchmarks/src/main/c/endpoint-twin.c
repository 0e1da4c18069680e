// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// A program in C that speaks the protocol of endpoints (endpoint-twin.h). It is there to be compared with, and to show that the
// protocol is what its description says.
//
//   endpoint-twin count ADDRESS                 instructions of a message, sent and received by one thread, and of a round trip;
//                                               needs RDMA4J_COUNT
//   endpoint-twin echo ADDRESS PORT COUNT BYTES  sends messages to an endpoint, which sends each back, and compares all bytes
#include "endpoint-twin.h"
#include "instructions.h"

#include <pthread.h>
#include <time.h>

// ---- An end alone ----

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

// Returns how many messages have come.
static int poll(struct end *end, handler *take, void *context) {
    struct ibv_wc wc[BATCH];
    int messages = 0, found = ibv_poll_cq(end->queue, BATCH, wc);
    for (int n = 0; n < found; n++) messages += completed(end, &wc[n], take, context);
    grant_in_time(end);
    return messages;
}

// ---- Counting ----

static void add_length(void *sum, const char *message, uint32_t length) {
    (void)message;
    *(uint64_t *)sum += length;
}

struct burst {
    struct end client, server;
    char *message;
    uint32_t bytes;
};

enum { MESSAGES = 1000, RUNS = 8 };

static void send_burst(void *context) {
    static uint64_t sum;
    struct burst *burst = context;
    for (int n = 0; n < MESSAGES; n++) {
        while (!try_send(&burst->client, burst->message, burst->bytes)) poll(&burst->client, add_length, &sum);
        while (poll(&burst->server, add_length, &sum) == 0) {}
    }
}

static void echo_burst(void *context) {
    static uint64_t sum;
    struct burst *burst = context;
    for (int n = 0; n < MESSAGES; n++) {
        while (!try_send(&burst->client, burst->message, burst->bytes)) poll(&burst->client, add_length, &sum);
        while (poll(&burst->server, add_length, &sum) == 0) {}
        while (!try_send(&burst->server, burst->message, burst->bytes)) poll(&burst->server, add_length, &sum);
        while (poll(&burst->client, add_length, &sum) == 0) {}
    }
}

static void *accept_one(void *argument) {
    void **both = argument;
    accept_from(both[0], both[1]);
    return NULL;
}

static int count(const char *address) {
    static const uint32_t sizes[] = {8, 64, 512, 4096, 32768};
    struct burst burst = {.message = calloc(1, LONGEST)};
    struct rdma_cm_id *listener = resolve(address, "7471", true);
    void *both[] = {&burst.server, listener};
    pthread_t thread;
    FILE *counts = instructions_open();
    if (rdma_listen(listener, 1)) fail("rdma_listen");
    if (pthread_create(&thread, NULL, accept_one, both)) fail("pthread_create");
    connect_to(&burst.client, address, "7471");
    pthread_join(thread, NULL);
    for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        burst.bytes = sizes[size];
        struct instructions least = instructions_least(counts, RUNS, send_burst, &burst);
        printf("%-4s %-12s %6u bytes %10.0f instructions outside the kernel %10.0f in it\n", "RDMA", "in C", burst.bytes,
            least.user / MESSAGES, least.kernel / MESSAGES);
    }
    burst.bytes = 2;
    struct instructions least = instructions_least(counts, RUNS, echo_burst, &burst);
    printf("%-24s %10.0f instructions outside the kernel %10.0f in it, a round trip of 2 bytes\n", "endpoints' protocol, C",
        least.user / MESSAGES, least.kernel / MESSAGES);
    return 0;
}

// ---- Beside an endpoint ----

struct expected {
    uint32_t bytes;
    unsigned number;
};

static void fill(char *message, uint32_t bytes, unsigned number) {
    for (uint32_t n = 0; n < bytes; n++) message[n] = (char)(n + 7 * number);
}

static void compare(void *context, const char *message, uint32_t length) {
    static char wanted[LONGEST];
    struct expected *expected = context;
    fill(wanted, expected->bytes, expected->number++);
    if (length != expected->bytes || memcmp(wanted, message, length)) {
        fprintf(stderr, "endpoint-twin: message %u came back as another\n", expected->number - 1);
        exit(1);
    }
}

static int echo(const char *address, const char *port, unsigned count, uint32_t bytes) {
    static char message[LONGEST];
    struct end end = {0};
    struct expected expected = {bytes, 0};
    unsigned sent = 0;
    time_t until = time(NULL) + 60;
    connect_to(&end, address, port);
    while (expected.number < count) {
        fill(message, bytes, sent);
        if (sent < count && try_send(&end, message, bytes)) sent++;
        poll(&end, compare, &expected);
        if (time(NULL) > until) {
            errno = ETIMEDOUT;
            fail("an answer");
        }
    }
    control(&end, CLOSE);
    while (end.controls && time(NULL) <= until) poll(&end, compare, &expected);
    printf("%u messages came back\n", expected.number);
    return end.controls > 0;
}

int main(int count_of, char **arguments) {
    if (count_of == 3 && !strcmp(arguments[1], "count")) return count(arguments[2]);
    if (count_of == 6 && !strcmp(arguments[1], "echo") && atoi(arguments[5]) <= LONGEST) {
        return echo(arguments[2], arguments[3], atoi(arguments[4]), atoi(arguments[5]));
    }
    fputs("usage: endpoint-twin count ADDRESS | echo ADDRESS PORT COUNT BYTES\n", stderr);
    return 2;
}
