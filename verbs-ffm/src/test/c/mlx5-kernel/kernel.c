// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// The kernel's answers: the commands of rdma/ib_user_verbs.h with what mlx5 adds to them (rdma/mlx5-abi.h), as far as
// contexts, protection domains, regions, windows, completion queues, queue pairs and shared receive queues need them.
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "standin.h"

enum {
    PARTITIONS = 2, GIDS = 1,
    REGISTERS_PER_PAGE = 2, // that a queue pair can get, of the four that a page has
    SLOTS_PER_PAGE = 4,
    EXTENDED = 1u << 31,
    COMMAND_MASK = 0xff,
    PAGE = 4096,
    MAX_PAGES = 256,
    ARMING_REGISTER = 0x20,
    REGISTERS_BEGIN = 0x800,
    REGISTER_BYTES = 512,
    FIRST_KEY = 0x1100,
    KEY_STEP = 0x100,
    QP_STATE_ATTRIBUTE = 1 << 0,
    QP_PARTITION_ATTRIBUTE = 1 << 4,
    QP_PORT_ATTRIBUTE = 1 << 5,
    QP_DATAGRAM_KEY_ATTRIBUTE = 1 << 6,
    QP_PATH_ATTRIBUTE = 1 << 7,
    QP_MTU_ATTRIBUTE = 1 << 8,
    QP_TIMEOUT_ATTRIBUTE = 1 << 9,
    QP_RETRIES_ATTRIBUTE = 1 << 10,
    QP_PEER_ATTRIBUTE = 1 << 20,
    QP_ACCESS_ATTRIBUTE = 1 << 3,
    QP_RECEIVE_RETRIES_ATTRIBUTE = 1 << 11,
    QP_RECEIVE_PACKET_ATTRIBUTE = 1 << 12,
    QP_READS_ATTRIBUTE = 1 << 13,
    QP_RECEIVE_TIMER_ATTRIBUTE = 1 << 15,
    QP_SEND_PACKET_ATTRIBUTE = 1 << 16,
    QP_SERVED_READS_ATTRIBUTE = 1 << 17,
    PORT_ACTIVE = 4,
    LINK_UP = 5, LINK_POLLING = 2,
    FIRST_QP_NUMBER = 0x4a0,
    FIRST_CQ_NUMBER = 0x400,
};

struct object objects[MAX_OBJECTS];
int left_behind;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Of a context, by its descriptor. Each counts for itself, so that two contexts in which the same things are done give
// the same keys, numbers and registers.
static struct context {
    uint32_t keys, queues, pairs;
    unsigned registers; // that it has asked for
    char *pages[MAX_PAGES];
} contexts[1 << 16];

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

static struct object *find(uint32_t handle, enum kind kind) {
    return handle < MAX_OBJECTS && objects[handle].kind == kind ? &objects[handle] : NULL;
}

static uint32_t handle_of(const struct object *object) {
    return (uint32_t)(object - objects);
}

static struct object *create(enum kind kind, int descriptor) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        if (objects[i].kind == NOTHING) {
            objects[i] = (struct object){.kind = kind, .context = descriptor, .channel = -1};
            return &objects[i];
        }
    }
    errno = ENOMEM;
    return NULL;
}

void forget_context(int descriptor) {
    lock_objects();
    for (int i = 1; i < MAX_OBJECTS; i++) {
        if (objects[i].kind != NOTHING && objects[i].context == descriptor) {
            objects[i].kind = NOTHING;
            left_behind++;
        }
    }
    contexts[descriptor] = (struct context){0};
    unlock_objects();
}

unsigned setting(const char *name, unsigned otherwise) {
    const char *value = getenv(name);
    return value ? (unsigned)strtoul(value, NULL, 0) : otherwise;
}

static unsigned port_state(void) {
    return setting("RDMA4J_MLX5_PORT_STATE", PORT_ACTIVE);
}

bool is_port_active(void) {
    return port_state() == PORT_ACTIVE;
}

uint16_t port_lid(void) {
    return (uint16_t)setting("RDMA4J_MLX5_LID", 1);
}

uint64_t port_guid(void) {
    return 0x020000fffe000000ULL | port_lid();
}

// The program unmaps them. The page's number is in the low byte of the offset in pages.
void *map_registers(int descriptor, size_t length, off_t offset) {
    void *page = (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        contexts[descriptor].pages[offset / PAGE % MAX_PAGES] = page;
    }
    return page;
}

char *register_of(const struct object *pair) {
    return contexts[pair->context].pages[pair->bf_index / SLOTS_PER_PAGE] + REGISTERS_BEGIN +
           pair->bf_index % SLOTS_PER_PAGE * REGISTER_BYTES;
}

char *arming_register_of(const struct object *queue) {
    return contexts[queue->context].pages[0] + ARMING_REGISTER;
}

static uint32_t new_key(int descriptor) {
    return FIRST_KEY + contexts[descriptor].keys++ * KEY_STEP;
}

// One command: what was asked, and where the answers go, the common one and the driver's.
struct command {
    int descriptor;
    const void *request, *own_request;
    void *answer, *own_answer;
    size_t answer_length, own_answer_length;
};

#define ANSWER(command, value) copy((command)->answer, &(value), sizeof(value), (command)->answer_length)
#define OWN_ANSWER(command, value) \
    copy((command)->own_answer, &(value), sizeof(value), (command)->own_answer_length)

static void copy(void *target, const void *value, size_t length, size_t room) {
    memcpy(target, value, length < room ? length : room);
}

static int get_context(struct command *command) {
    const struct mlx5_ib_alloc_ucontext_req_v2 *own = command->own_request;
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
    contexts[command->descriptor].registers = own->total_num_bfregs;
    struct mlx5_ib_alloc_ucontext_resp own_answer = {
        .qp_tab_size = 1 << 18,
        .bf_reg_size = 512,
        .tot_bfregs = own->total_num_bfregs,
        .cache_line_size = 64,
        .max_sq_desc_sz = 1024,
        .max_rq_desc_sz = 512,
        .max_send_wqebb = 32768,
        .max_recv_wr = 32768,
        .max_srq_recv_wr = 32768,
        .num_ports = 1,
        .response_length = sizeof own_answer,
        .cqe_version = 1,
        .cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE,
        .eth_min_inline = MLX5_USER_INLINE_MODE_NONE,
        .log_uar_size = 12,
        .num_uars_per_page = 1,
    };
    ANSWER(command, answer);
    OWN_ANSWER(command, own_answer);
    return 0;
}

static struct ib_uverbs_query_device_resp device(void) {
    return (struct ib_uverbs_query_device_resp){
        .fw_ver = 16ULL << 32 | 35 << 16 | 2000,
        .node_guid = htobe64(port_guid()),
        .sys_image_guid = htobe64(port_guid()),
        .max_mr_size = ~0ULL,
        .page_size_cap = 0xfffffffffffff000,
        .vendor_id = 0x15b3,
        .vendor_part_id = 0x1017,
        .max_qp = 1 << 18,
        .max_qp_wr = 32768,
        .device_cap_flags = 0x00a22c36,
        .max_sge = 30,
        .max_sge_rd = 30,
        .max_cq = 1 << 18,
        .max_cqe = (1 << 22) - 1,
        .max_mr = 1 << 24,
        .max_pd = 1 << 24,
        .max_qp_rd_atom = 16,
        .max_res_rd_atom = 1 << 22,
        .max_qp_init_rd_atom = 16,
        .atomic_cap = 1,
        .max_mw = 1 << 24,
        .max_ah = 1 << 30,
        .max_srq = 1 << 20,
        .max_srq_wr = 32767,
        .max_srq_sge = 31,
        .max_pkeys = 128,
        .local_ca_ack_delay = 16,
        .phys_port_cnt = 1,
    };
}

static int query_device(struct command *command) {
    struct ib_uverbs_query_device_resp answer = device();
    ANSWER(command, answer);
    return 0;
}

static int query_device_extended(struct command *command) {
    struct ib_uverbs_ex_query_device_resp answer = {.base = device()};
    answer.response_length = sizeof answer;
    struct mlx5_ib_query_device_resp own_answer = {.response_length = sizeof own_answer};
    ANSWER(command, answer);
    OWN_ANSWER(command, own_answer);
    return 0;
}

static int query_port(struct command *command) {
    const struct ib_uverbs_query_port *request = command->request;
    if (request->port_num != 1) {
        return EINVAL;
    }
    // A port that no subnet manager has configured (INIT) has no LID.
    unsigned state = port_state();
    struct ib_uverbs_query_port_resp answer = {
        .max_msg_sz = 1 << 30,
        .gid_tbl_len = GIDS,
        .pkey_tbl_len = PARTITIONS,
        .lid = state == PORT_ACTIVE ? port_lid() : 0,
        .sm_lid = state == PORT_ACTIVE ? 1 : 0,
        .state = (uint8_t)state,
        .max_mtu = 5,
        .active_mtu = 5,
        .max_vl_num = 1,
        .subnet_timeout = 18,
        .active_width = 2,
        .active_speed = 32,
        .phys_state = state > 1 ? LINK_UP : LINK_POLLING,
        .link_layer = 1,
    };
    ANSWER(command, answer);
    return 0;
}

static int allocate_domain(struct command *command) {
    struct object *domain = create(DOMAIN, command->descriptor);
    if (!domain) {
        return errno;
    }
    struct ib_uverbs_alloc_pd_resp answer = {.pd_handle = handle_of(domain)};
    struct mlx5_ib_alloc_pd_resp own_answer = {.pdn = handle_of(domain)};
    ANSWER(command, answer);
    OWN_ANSWER(command, own_answer);
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
    const struct mlx5_ib_create_cq *own = command->own_request;
    struct object *queue = create(QUEUE, command->descriptor);
    if (!queue) {
        return errno;
    }
    queue->number = FIRST_CQ_NUMBER + contexts[command->descriptor].queues++;
    queue->buffer = (uint8_t *)(uintptr_t)own->buf_addr;
    queue->doorbell = (volatile uint32_t *)(uintptr_t)own->db_addr;
    queue->entries = entries + 1;
    queue->entry_bytes = own->cqe_size;
    queue->user = user;
    queue->channel = channel < 0 ? -1 : writing_end_of(channel);
    *answer = (struct ib_uverbs_create_cq_resp){.cq_handle = handle_of(queue), .cqe = entries};
    struct mlx5_ib_create_cq_resp own_answer = {.cqn = queue->number};
    OWN_ANSWER(command, own_answer);
    return 0;
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
    queue->kind = NOTHING;
    return 0;
}

// The registers one after the other, the first one, which has no BlueFlame, never.
static uint32_t give_register(const struct context *context) {
    unsigned number = context->pairs % (context->registers - 1) + 1;
    return number / REGISTERS_PER_PAGE * SLOTS_PER_PAGE + number % REGISTERS_PER_PAGE;
}

// The rest of the extended request begins like the plain one without its response.
static int create_pair(struct command *command, const struct ib_uverbs_ex_create_qp *request,
                       struct ib_uverbs_create_qp_resp *answer) {
    const struct mlx5_ib_create_qp *own = command->own_request;
    struct object *pair = create(PAIR, command->descriptor);
    if (!pair) {
        return errno;
    }
    struct context *context = &contexts[command->descriptor];
    pair->bf_index = give_register(context);
    // In a fabric the contexts of a process are one port, and their queue pairs are told apart by their numbers.
    static uint32_t pairs;
    pair->number = FIRST_QP_NUMBER + (in_fabric() ? pairs++ : context->pairs);
    context->pairs++;
    pair->buffer = (uint8_t *)(uintptr_t)own->buf_addr;
    pair->doorbell = (volatile uint32_t *)(uintptr_t)own->db_addr;
    pair->user = request->user_handle;
    pair->send_queue = request->send_cq_handle;
    pair->receive_queue = request->recv_cq_handle;
    pair->send_blocks = own->sq_wqe_count;
    pair->receives = own->rq_wqe_count;
    pair->receive_shift = own->rq_wqe_shift;
    pair->user_index = own->uidx;
    pair->flags = own->flags;
    pair->type = request->qp_type;
    pair->signal_all = request->sq_sig_all;
    uint32_t capacities[5] = {request->max_send_wr, request->max_recv_wr, request->max_send_sge,
                              request->max_recv_sge, request->max_inline_data};
    memcpy(pair->capacities, capacities, sizeof capacities);
    *answer = (struct ib_uverbs_create_qp_resp){
        .qp_handle = handle_of(pair),
        .qpn = pair->number,
        .max_send_wr = capacities[0],
        .max_recv_wr = capacities[1],
        .max_send_sge = capacities[2],
        .max_recv_sge = capacities[3],
        .max_inline_data = capacities[4],
    };
    struct mlx5_ib_create_qp_resp own_answer = {.bfreg_index = pair->bf_index};
    OWN_ANSWER(command, own_answer);
    return 0;
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

// What is only told when somebody asks.
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
    uint32_t mask = request->attr_mask;
    if ((mask & QP_PORT_ATTRIBUTE && request->port_num != 1) ||
        (mask & QP_PARTITION_ATTRIBUTE && request->pkey_index >= PARTITIONS) ||
        (mask & QP_PATH_ATTRIBUTE && (request->dest.port_num != 1 ||
                                      (request->dest.is_global && request->dest.sgid_index >= GIDS)))) {
        return EINVAL;
    }
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
            pair->send_consumer = pair->receive_consumer = 0;
            pair->has_rung = pair->asks = false;
            pair->deadline = 0;
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
    pair->kind = NOTHING;
    return 0;
}

static int create_shared_receives(struct command *command) {
    const struct ib_uverbs_create_srq *request = command->request;
    struct object *shared = create(SHARED_RECEIVES, command->descriptor);
    if (!shared) {
        return errno;
    }
    struct ib_uverbs_create_srq_resp answer = {
        .srq_handle = handle_of(shared), .max_wr = request->max_wr, .max_sge = request->max_sge};
    struct mlx5_ib_create_srq_resp own_answer = {.srqn = handle_of(shared)};
    ANSWER(command, answer);
    OWN_ANSWER(command, own_answer);
    return 0;
}

static int destroy_shared_receives(struct command *command) {
    const struct ib_uverbs_destroy_srq *request = command->request;
    struct object *shared = find(request->srq_handle, SHARED_RECEIVES);
    if (!shared) {
        return EINVAL;
    }
    struct ib_uverbs_destroy_srq_resp answer = {0};
    ANSWER(command, answer);
    shared->kind = NOTHING;
    return 0;
}

// Commands that name what goes away, and have no answer.
static int destroy(struct command *command) {
    uint32_t handle = *(const uint32_t *)command->request;
    if (handle >= MAX_OBJECTS || objects[handle].kind == NOTHING) {
        return EINVAL;
    }
    objects[handle].kind = NOTHING;
    return 0;
}

// A kind of command: what serves it, and the lengths of what is common to all drivers.
static const struct entry {
    int (*serve)(struct command *);
    size_t request, answer;
} plain[] = {
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
    [IB_USER_VERBS_CMD_CREATE_SRQ] = {create_shared_receives, sizeof(struct ib_uverbs_create_srq),
                                      sizeof(struct ib_uverbs_create_srq_resp)},
    [IB_USER_VERBS_CMD_DESTROY_SRQ] = {destroy_shared_receives, sizeof(struct ib_uverbs_destroy_srq),
                                       sizeof(struct ib_uverbs_destroy_srq_resp)},
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
    const struct entry *entry = &plain[number];
    if (number >= ENTRIES(plain) || !entry->serve) {
        return EOPNOTSUPP;
    }
    struct command command = {
        .descriptor = descriptor,
        .request = header + 1,
        .own_request = (const char *)(header + 1) + entry->request,
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
