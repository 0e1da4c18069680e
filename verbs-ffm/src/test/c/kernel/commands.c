// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel's answers: the commands of rdma/ib_user_verbs.h, as far as contexts, protection domains, regions, windows,
// completion queues and queue pairs need them. The device adds its own (commands.h).
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "commands.h"
#include "transfer.h"

enum {
    EXTENDED = 1u << 31,
    COMMAND_MASK = 0xff,
    FIRST_KEY = 0x1100,
    KEY_STEP = 0x100,
};

struct object objects[MAX_OBJECTS];
int left_behind;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Of a context, by its descriptor. Each counts for itself, so that two contexts in which the same things are done give
// the same keys and numbers.
static struct context {
    uint32_t keys, queues, pairs;
    bool is_open;
} contexts[1 << 16];
static int open_contexts;

void lock_objects(void) {
    pthread_mutex_lock(&lock);
}

void unlock_objects(void) {
    pthread_mutex_unlock(&lock);
}

struct object *object_of_number(int context, enum kind kind, uint32_t number) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        if (objects[i].kind == kind && objects[i].context == context && objects[i].number == number) {
            return &objects[i];
        }
    }
    return NULL;
}

struct object *object_of_user(enum kind kind, uint64_t user) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        if (objects[i].kind == kind && objects[i].user == user) {
            return &objects[i];
        }
    }
    return NULL;
}

struct object *find(uint32_t handle, enum kind kind) {
    return handle < MAX_OBJECTS && objects[handle].kind == kind ? &objects[handle] : NULL;
}

uint32_t handle_of(const struct object *object) {
    return (uint32_t)(object - objects);
}

struct object *create(enum kind kind, int descriptor) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        if (objects[i].kind == NOTHING) {
            objects[i] = (struct object){.kind = kind, .context = descriptor, .channel = -1};
            return &objects[i];
        }
    }
    errno = ENOMEM;
    return NULL;
}

void end(struct object *object) {
    release(object);
    object->kind = NOTHING;
}

void forget_context(int descriptor) {
    lock_objects();
    for (int i = 1; i < MAX_OBJECTS; i++) {
        if (objects[i].kind != NOTHING && objects[i].context == descriptor) {
            end(&objects[i]);
            left_behind++;
        }
    }
    if (contexts[descriptor].is_open && --open_contexts == 0) {
        leave_fabric();
    }
    contexts[descriptor] = (struct context){0};
    forget_memory(descriptor);
    unlock_objects();
}

unsigned setting(const char *name, unsigned otherwise) {
    const char *value = getenv(name);
    return value ? (unsigned)strtoul(value, NULL, 0) : otherwise;
}

// Ends an object that could not be set up.
static int ended_if(int error, struct object *object) {
    if (error != 0) {
        end(object);
    }
    return error;
}

uint32_t new_key(int descriptor) {
    return FIRST_KEY + contexts[descriptor].keys++ * KEY_STEP;
}

uint32_t count_of_pairs(int descriptor) {
    return contexts[descriptor].pairs;
}

static int get_context(struct command *command) {
    int error = join_fabric();
    if (error != 0) {
        return error;
    }
    int writing_end;
    int events = make_event_pipe(&writing_end);
    if (events < 0) {
        return errno;
    }
    struct ib_uverbs_get_context_resp answer = {.async_fd = (uint32_t)events, .num_comp_vectors = 4};
    ANSWER(command, answer);
    answer_context(command);
    contexts[command->descriptor].is_open = true;
    open_contexts++;
    return 0;
}

static int query_device(struct command *command) {
    struct ib_uverbs_query_device_resp answer = device();
    ANSWER(command, answer);
    return 0;
}

static int query_device_extended(struct command *command) {
    struct ib_uverbs_ex_query_device_resp answer = {.base = device()};
    answer.response_length = sizeof answer;
    ANSWER(command, answer);
    answer_device(command);
    return 0;
}

static int query_port(struct command *command) {
    const struct ib_uverbs_query_port *request = command->request;
    if (request->port_num != 1) {
        return EINVAL;
    }
    struct ib_uverbs_query_port_resp answer = port();
    ANSWER(command, answer);
    return 0;
}

static int allocate_domain(struct command *command) {
    struct object *domain = create(DOMAIN, command->descriptor);
    if (!domain) {
        return errno;
    }
    struct ib_uverbs_alloc_pd_resp answer = {.pd_handle = handle_of(domain)};
    ANSWER(command, answer);
    answer_domain(command, domain);
    return 0;
}

static int register_memory(struct command *command) {
    struct object *region = create(REGION, command->descriptor);
    if (!region) {
        return errno;
    }
    const struct ib_uverbs_reg_mr *request = command->request;
    uint32_t key = new_key(command->descriptor);
    region->number = key;
    region->buffer = (uint8_t *)(uintptr_t)request->start;
    region->address = request->hca_va;
    region->length = request->length;
    region->access = request->access_flags;
    find_device_memory(region);
    struct ib_uverbs_reg_mr_resp answer = {.mr_handle = handle_of(region), .lkey = key, .rkey = key};
    ANSWER(command, answer);
    return 0;
}

static int allocate_window(struct command *command) {
    struct object *window = create(WINDOW, command->descriptor);
    if (!window) {
        return errno;
    }
    uint32_t key = new_key(command->descriptor);
    struct ib_uverbs_alloc_mw_resp answer = {.mw_handle = handle_of(window), .rkey = key};
    ANSWER(command, answer);
    return 0;
}

static int create_channel(struct command *command) {
    int writing_end;
    int events = make_event_pipe(&writing_end);
    if (events < 0) {
        return errno;
    }
    struct ib_uverbs_create_comp_channel_resp answer = {.fd = (uint32_t)events};
    ANSWER(command, answer);
    return 0;
}

static int create_queue(struct command *command, uint32_t entries, int channel, uint64_t user,
                        struct ib_uverbs_create_cq_resp *answer) {
    struct object *queue = create(QUEUE, command->descriptor);
    if (!queue) {
        return errno;
    }
    queue->number = FIRST_CQ_NUMBER + contexts[command->descriptor].queues++;
    queue->entries = entries;
    queue->user = user;
    queue->channel = channel < 0 ? -1 : writing_end_of(channel);
    *answer = (struct ib_uverbs_create_cq_resp){.cq_handle = handle_of(queue), .cqe = entries};
    return ended_if(set_up_queue(command, queue), queue);
}

static int create_queue_plain(struct command *command) {
    const struct ib_uverbs_create_cq *request = command->request;
    struct ib_uverbs_create_cq_resp answer;
    int error = create_queue(command, request->cqe, request->comp_channel, request->user_handle, &answer);
    ANSWER(command, answer);
    return error;
}

static int create_queue_extended(struct command *command) {
    const struct ib_uverbs_ex_create_cq *request = command->request;
    struct ib_uverbs_ex_create_cq_resp answer = {.response_length = sizeof answer};
    int error = create_queue(command, request->cqe, request->comp_channel, request->user_handle, &answer.base);
    ANSWER(command, answer);
    return error;
}

// Ends an object; with the setting, as if the adapter's answer were lost.
static int end_with_answer(struct object *object) {
    end(object);
    return setting(SETTING("LOST_ANSWERS"), 0) ? EIO : 0;
}

static int destroy_queue(struct command *command) {
    const struct ib_uverbs_destroy_cq *request = command->request;
    struct object *queue = find(request->cq_handle, QUEUE);
    if (!queue) {
        return EINVAL;
    }
    if (queue->channel >= 0) {
        queue->events -= (uint32_t)discard_events(queue->channel, queue->user);
    }
    struct ib_uverbs_destroy_cq_resp answer = {.comp_events_reported = queue->events};
    ANSWER(command, answer);
    return end_with_answer(queue);
}

// The rest of the extended request begins like the plain one without its response.
static int create_pair(struct command *command, const struct ib_uverbs_ex_create_qp *request,
                       struct ib_uverbs_create_qp_resp *answer) {
    struct object *pair = create(PAIR, command->descriptor);
    if (!pair) {
        return errno;
    }
    struct context *context = &contexts[command->descriptor];
    // In a fabric the contexts of a process are one port, and their queue pairs differ by their numbers.
    static uint32_t pairs;
    pair->number = FIRST_QP_NUMBER + (in_fabric() ? pairs++ : context->pairs);
    context->pairs++;
    pair->user = request->user_handle;
    pair->send_queue = request->send_cq_handle;
    pair->receive_queue = request->recv_cq_handle;
    pair->domain = request->pd_handle;
    pair->type = request->qp_type;
    pair->signal_all = request->sq_sig_all;
    uint32_t capacities[5] = {request->max_send_wr, request->max_recv_wr, request->max_send_sge,
                              request->max_recv_sge, request->max_inline_data};
    memcpy(pair->capacities, capacities, sizeof capacities);
    int error = set_up_pair(command, pair);
    *answer = (struct ib_uverbs_create_qp_resp){
        .qp_handle = handle_of(pair),
        .qpn = pair->number,
        .max_send_wr = capacities[0],
        .max_recv_wr = capacities[1],
        .max_send_sge = capacities[2],
        .max_recv_sge = capacities[3],
        .max_inline_data = capacities[4],
    };
    return ended_if(error, pair);
}

static int create_pair_plain(struct command *command) {
    struct ib_uverbs_create_qp_resp answer;
    struct ib_uverbs_ex_create_qp request = {0};
    memcpy(&request, (const char *)command->request + sizeof(uint64_t),
           offsetof(struct ib_uverbs_ex_create_qp, comp_mask));
    int error = create_pair(command, &request, &answer);
    ANSWER(command, answer);
    return error;
}

static int create_pair_extended(struct command *command) {
    struct ib_uverbs_ex_create_qp_resp answer = {.response_length = sizeof answer};
    int error = create_pair(command, command->request, &answer.base);
    ANSWER(command, answer);
    return error;
}

// Attributes that only a query returns.
static void keep_attributes(const struct ib_uverbs_modify_qp *request, struct ib_uverbs_query_qp_resp *kept) {
    uint32_t mask = request->attr_mask;
    if (mask & QP_ACCESS_ATTRIBUTE) {
        kept->qp_access_flags = request->qp_access_flags;
    }
    if (mask & QP_MTU_ATTRIBUTE) {
        kept->path_mtu = request->path_mtu;
    }
    if (mask & QP_RECEIVE_RETRIES_ATTRIBUTE) {
        kept->rnr_retry = request->rnr_retry;
    }
    if (mask & QP_RECEIVE_PACKET_ATTRIBUTE) {
        kept->rq_psn = request->rq_psn;
    }
    if (mask & QP_READS_ATTRIBUTE) {
        kept->max_rd_atomic = request->max_rd_atomic;
    }
    if (mask & QP_RECEIVE_TIMER_ATTRIBUTE) {
        kept->min_rnr_timer = request->min_rnr_timer;
    }
    if (mask & QP_SEND_PACKET_ATTRIBUTE) {
        kept->sq_psn = request->sq_psn;
    }
    if (mask & QP_SERVED_READS_ATTRIBUTE) {
        kept->max_dest_rd_atomic = request->max_dest_rd_atomic;
    }
}

static int modify_pair(struct command *command) {
    const struct ib_uverbs_modify_qp *request = command->request;
    struct object *pair = find(request->qp_handle, PAIR);
    if (!pair) {
        return EINVAL;
    }
    int error = check_pair(pair, request);
    if (error != 0) {
        return error;
    }
    uint32_t mask = request->attr_mask;
    if (mask & QP_PARTITION_ATTRIBUTE) {
        pair->partition = request->pkey_index;
    }
    if (mask & QP_DATAGRAM_KEY_ATTRIBUTE) {
        pair->datagram_key = request->qkey;
    }
    if (mask & QP_PATH_ATTRIBUTE) {
        pair->path = request->dest;
    }
    keep_attributes(request, &pair->kept);
    if (mask & QP_TIMEOUT_ATTRIBUTE) {
        pair->timeout = request->timeout;
    }
    if (mask & QP_RETRIES_ATTRIBUTE) {
        pair->retries = request->retry_cnt;
    }
    if (mask & QP_PEER_ATTRIBUTE) {
        pair->peer = request->dest_qp_num;
    }
    if (mask & QP_STATE_ATTRIBUTE) {
        pair->state = request->qp_state;
        if (pair->state == 0) {
            pair->asks = false;
            pair->deadline = 0;
            reset_pair(pair);
        }
    }
    return 0;
}

static int query_pair(struct command *command) {
    const struct ib_uverbs_query_qp *request = command->request;
    struct object *pair = find(request->qp_handle, PAIR);
    if (!pair) {
        return EINVAL;
    }
    struct ib_uverbs_query_qp_resp answer = pair->kept;
    answer.dest = pair->path;
    answer.qkey = pair->datagram_key;
    answer.pkey_index = pair->partition;
    answer.timeout = pair->timeout;
    answer.retry_cnt = pair->retries;
    answer.max_send_wr = pair->capacities[0];
    answer.max_recv_wr = pair->capacities[1];
    answer.max_send_sge = pair->capacities[2];
    answer.max_recv_sge = pair->capacities[3];
    answer.max_inline_data = pair->capacities[4];
    answer.dest_qp_num = pair->peer;
    answer.qp_state = pair->state;
    answer.cur_qp_state = pair->state;
    answer.port_num = 1;
    answer.sq_sig_all = pair->signal_all;
    ANSWER(command, answer);
    return 0;
}

static int destroy_pair(struct command *command) {
    const struct ib_uverbs_destroy_qp *request = command->request;
    struct object *pair = find(request->qp_handle, PAIR);
    if (!pair) {
        return EINVAL;
    }
    struct ib_uverbs_destroy_qp_resp answer = {0};
    ANSWER(command, answer);
    return end_with_answer(pair);
}

// Commands that name what goes away, and have no answer.
int destroy(struct command *command) {
    uint32_t handle = *(const uint32_t *)command->request;
    if (handle >= MAX_OBJECTS || objects[handle].kind == NOTHING) {
        return EINVAL;
    }
    end(&objects[handle]);
    return 0;
}

static const struct entry plain[] = {
    [IB_USER_VERBS_CMD_GET_CONTEXT] = {get_context, 8, sizeof(struct ib_uverbs_get_context_resp)},
    [IB_USER_VERBS_CMD_QUERY_DEVICE] = {query_device, 8, sizeof(struct ib_uverbs_query_device_resp)},
    [IB_USER_VERBS_CMD_QUERY_PORT] = {query_port, 16, sizeof(struct ib_uverbs_query_port_resp)},
    [IB_USER_VERBS_CMD_ALLOC_PD] = {allocate_domain, 8, sizeof(struct ib_uverbs_alloc_pd_resp)},
    [IB_USER_VERBS_CMD_DEALLOC_PD] = {destroy, 4, 0},
    [IB_USER_VERBS_CMD_REG_MR] = {register_memory, sizeof(struct ib_uverbs_reg_mr),
                                  sizeof(struct ib_uverbs_reg_mr_resp)},
    [IB_USER_VERBS_CMD_DEREG_MR] = {destroy, 4, 0},
    [IB_USER_VERBS_CMD_ALLOC_MW] = {allocate_window, sizeof(struct ib_uverbs_alloc_mw),
                                    sizeof(struct ib_uverbs_alloc_mw_resp)},
    [IB_USER_VERBS_CMD_DEALLOC_MW] = {destroy, 4, 0},
    [IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL] = {create_channel, 8, sizeof(struct ib_uverbs_create_comp_channel_resp)},
    [IB_USER_VERBS_CMD_CREATE_CQ] = {create_queue_plain, sizeof(struct ib_uverbs_create_cq),
                                     sizeof(struct ib_uverbs_create_cq_resp)},
    [IB_USER_VERBS_CMD_DESTROY_CQ] = {destroy_queue, sizeof(struct ib_uverbs_destroy_cq),
                                      sizeof(struct ib_uverbs_destroy_cq_resp)},
    [IB_USER_VERBS_CMD_CREATE_QP] = {create_pair_plain, sizeof(struct ib_uverbs_create_qp),
                                     sizeof(struct ib_uverbs_create_qp_resp)},
    [IB_USER_VERBS_CMD_QUERY_QP] = {query_pair, sizeof(struct ib_uverbs_query_qp),
                                    sizeof(struct ib_uverbs_query_qp_resp)},
    [IB_USER_VERBS_CMD_MODIFY_QP] = {modify_pair, sizeof(struct ib_uverbs_modify_qp), 0},
    [IB_USER_VERBS_CMD_DESTROY_QP] = {destroy_pair, sizeof(struct ib_uverbs_destroy_qp),
                                      sizeof(struct ib_uverbs_destroy_qp_resp)},
}, extended[] = {
    [IB_USER_VERBS_EX_CMD_QUERY_DEVICE] = {query_device_extended, 0, 0},
    [IB_USER_VERBS_EX_CMD_CREATE_CQ] = {create_queue_extended, 0, 0},
    [IB_USER_VERBS_EX_CMD_CREATE_QP] = {create_pair_extended, 0, 0},
};

#define ENTRIES(array) (sizeof(array) / sizeof *(array))

static int serve(const struct entry *entry, struct command *command) {
    lock_objects();
    int error = entry->serve(command);
    unlock_objects();
    return error;
}

static ssize_t run_plain(int descriptor, const struct ib_uverbs_cmd_hdr *header) {
    uint32_t number = header->command & COMMAND_MASK;
    const struct entry *entry = number < ENTRIES(plain) && plain[number].serve ? &plain[number] : command_of_device(number);
    if (!entry) {
        return EOPNOTSUPP;
    }
    struct command command = {
        .descriptor = descriptor,
        .request = header + 1,
        .own_request = (const char *)(header + 1) + entry->request,
        .own_request_length = header->in_words * 4u - sizeof *header - entry->request,
    };
    if (entry->answer > 0) {
        command.answer = (void *)(uintptr_t)*(const uint64_t *)(header + 1);
        command.answer_length = entry->answer;
        command.own_answer = (char *)command.answer + entry->answer;
        command.own_answer_length = header->out_words * 4u - entry->answer;
    }
    return serve(entry, &command);
}

static ssize_t run_extended(int descriptor, const struct ib_uverbs_cmd_hdr *header) {
    const struct ib_uverbs_ex_cmd_hdr *more = (const void *)(header + 1);
    uint32_t number = header->command & COMMAND_MASK;
    if (number >= ENTRIES(extended) || !extended[number].serve) {
        return EOPNOTSUPP;
    }
    struct command command = {
        .descriptor = descriptor,
        .request = more + 1,
        .own_request = (const char *)(more + 1) + header->in_words * 8,
        .own_request_length = more->provider_in_words * 8u,
        .answer = (void *)(uintptr_t)more->response,
        .answer_length = header->out_words * 8u,
        .own_answer = (char *)(uintptr_t)more->response + header->out_words * 8,
        .own_answer_length = more->provider_out_words * 8u,
    };
    return serve(&extended[number], &command);
}

ssize_t run_command(int descriptor, const void *bytes, size_t length) {
    const struct ib_uverbs_cmd_hdr *header = bytes;
    if (length < sizeof *header) {
        errno = EINVAL;
        return -1;
    }
    ssize_t error = header->command & EXTENDED ? run_extended(descriptor, header) : run_plain(descriptor, header);
    if (error != 0) {
        errno = (int)error;
        return -1;
    }
    return (ssize_t)length;
}
