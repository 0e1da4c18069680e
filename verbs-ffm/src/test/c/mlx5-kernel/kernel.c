// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What mlx5 adds to the kernel's answers (rdma/mlx5-abi.h), its shared receive queues, and pages of registers in plain
// memory.
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <rdma/mlx5-abi.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "adapter.h"
#include "commands.h"

enum {
    PARTITIONS = 2, GIDS = 1,
    REGISTERS_PER_PAGE = 2, // that a queue pair can get, of the four that a page has
    SLOTS_PER_PAGE = 4,
    MAX_PAGES = 256,
    ARMING_REGISTER = 0x20,
    REGISTERS_BEGIN = 0x800,
    REGISTER_BYTES = 512,
    LINK_UP = 5, LINK_POLLING = 2,
};

// Of a context, by its descriptor. Two contexts in which the same things are done have the same registers.
static struct {
    unsigned registers; // that it has asked for
    char *pages[MAX_PAGES];
} contexts[1 << 16];

static unsigned port_state(void) {
    return setting(SETTING("PORT_STATE"), PORT_ACTIVE);
}

bool is_port_active(void) {
    return port_state() == PORT_ACTIVE;
}

uint16_t port_lid(void) {
    return (uint16_t)setting(SETTING("LID"), 1);
}

uint64_t port_guid(void) {
    return 0x020000fffe000000ULL | port_lid();
}

// The program unmaps them. The page's number is in the low byte of the offset in pages.
void *map_memory(int descriptor, size_t length, off_t offset) {
    void *page = (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED) {
        contexts[descriptor].pages[offset / PAGE % MAX_PAGES] = page;
    }
    return page;
}

void release(struct object *object) {
    (void)object;
}

int run_ioctl(const struct ib_uverbs_ioctl_hdr *header) {
    (void)header;
    errno = ENOTTY;
    return -1;
}

void forget_memory(int descriptor) {
    memset(&contexts[descriptor], 0, sizeof contexts[descriptor]);
}

char *register_of(const struct object *pair) {
    return contexts[pair->context].pages[pair->bf_index / SLOTS_PER_PAGE] + REGISTERS_BEGIN +
           pair->bf_index % SLOTS_PER_PAGE * REGISTER_BYTES;
}

char *arming_register_of(const struct object *queue) {
    return contexts[queue->context].pages[0] + ARMING_REGISTER;
}

void answer_context(struct command *command) {
    const struct mlx5_ib_alloc_ucontext_req_v2 *own = command->own_request;
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
    OWN_ANSWER(command, own_answer);
}

struct ib_uverbs_query_device_resp device(void) {
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

void answer_device(struct command *command) {
    struct mlx5_ib_query_device_resp own_answer = {.response_length = sizeof own_answer};
    OWN_ANSWER(command, own_answer);
}

struct ib_uverbs_query_port_resp port(void) {
    // A port that no subnet manager has configured (INIT) has no LID.
    unsigned state = port_state();
    return (struct ib_uverbs_query_port_resp) {
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
}

void answer_domain(struct command *command, const struct object *domain) {
    struct mlx5_ib_alloc_pd_resp own_answer = {.pdn = handle_of(domain)};
    OWN_ANSWER(command, own_answer);
}

int set_up_queue(struct command *command, struct object *queue) {
    const struct mlx5_ib_create_cq *own = command->own_request;
    queue->buffer = (uint8_t *)(uintptr_t)own->buf_addr;
    queue->doorbell = (volatile uint32_t *)(uintptr_t)own->db_addr;
    queue->entries++;
    queue->entry_bytes = own->cqe_size;
    struct mlx5_ib_create_cq_resp own_answer = {.cqn = queue->number};
    OWN_ANSWER(command, own_answer);
    return 0;
}

// The registers one after the other, the first one, which has no BlueFlame, never.
static uint32_t give_register(int descriptor) {
    unsigned number = (count_of_pairs(descriptor) - 1) % (contexts[descriptor].registers - 1) + 1;
    return number / REGISTERS_PER_PAGE * SLOTS_PER_PAGE + number % REGISTERS_PER_PAGE;
}

int set_up_pair(struct command *command, struct object *pair) {
    const struct mlx5_ib_create_qp *own = command->own_request;
    pair->bf_index = give_register(command->descriptor);
    pair->buffer = (uint8_t *)(uintptr_t)own->buf_addr;
    pair->doorbell = (volatile uint32_t *)(uintptr_t)own->db_addr;
    pair->send_blocks = own->sq_wqe_count;
    pair->receives = own->rq_wqe_count;
    pair->receive_shift = own->rq_wqe_shift;
    pair->user_index = own->uidx;
    pair->flags = own->flags;
    struct mlx5_ib_create_qp_resp own_answer = {.bfreg_index = pair->bf_index};
    OWN_ANSWER(command, own_answer);
    return 0;
}

int check_pair(const struct object *pair, const struct ib_uverbs_modify_qp *request) {
    (void)pair;
    uint32_t mask = request->attr_mask;
    bool refused = (mask & QP_PORT_ATTRIBUTE && request->port_num != 1) ||
                   (mask & QP_PARTITION_ATTRIBUTE && request->pkey_index >= PARTITIONS) ||
                   (mask & QP_PATH_ATTRIBUTE && (request->dest.port_num != 1 ||
                                                 (request->dest.is_global && request->dest.sgid_index >= GIDS)));
    return refused ? EINVAL : 0;
}

void reset_pair(struct object *pair) {
    pair->send_consumer = pair->receive_consumer = 0;
    pair->has_rung = false;
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
    end(shared);
    return 0;
}

const struct entry *command_of_device(uint32_t number) {
    static const struct entry create_srq = {create_shared_receives, sizeof(struct ib_uverbs_create_srq),
                                            sizeof(struct ib_uverbs_create_srq_resp)};
    static const struct entry destroy_srq = {destroy_shared_receives, sizeof(struct ib_uverbs_destroy_srq),
                                             sizeof(struct ib_uverbs_destroy_srq_resp)};
    return number == IB_USER_VERBS_CMD_CREATE_SRQ    ? &create_srq
           : number == IB_USER_VERBS_CMD_DESTROY_SRQ ? &destroy_srq
                                                     : NULL;
}
