// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What EFA adds to the kernel's answers (rdma/efa-abi.h): address handles, rings and doorbells in memory that the program
// maps, and the states of SRD queue pairs.
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <rdma/efa-abi.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "adapter.h"
#include "commands.h"

enum {
    // Newer than Debian's headers.
    QUERY_DEVICE_RDMA_WRITE = 1 << 5, QUERY_DEVICE_UNSOLICITED_WRITE_RECV = 1 << 6,
    CREATE_PAIR_UNSOLICITED = 1,
    // Offsets of fields that are newer: flags since rdma-core 52, inline_buf_size_ex since 63.
    CREATE_PAIR_FLAGS = 16, CONTEXT_INLINE_EXTENDED = 20,
    OBJECT_REGION = 7, METHOD_QUERY_REGION = 1 << 12, INTERCONNECTS = 3,
    VENDOR_AMAZON = 0x1d0f, NODE_UNSPECIFIED = 7,
    INLINE_BYTES_EXTENDED = 80,
    MAX_REQUESTS = 4096, MAX_BUFFERS = 8192,
    MAX_PAIRS = 256, MAX_QUEUES = 512,
    MAX_RDMA = MAX_PARCEL,
    DRIVER_PAIR = 0xff,
    SUPPORTED_ATTRIBUTES = QP_STATE_ATTRIBUTE | QP_PARTITION_ATTRIBUTE | QP_PORT_ATTRIBUTE | QP_DATAGRAM_KEY_ATTRIBUTE |
                           QP_SEND_PACKET_ATTRIBUTE | QP_RECEIVE_RETRIES_ATTRIBUTE,
    IDENTITY = QP_PARTITION_ATTRIBUTE | QP_PORT_ATTRIBUTE | QP_DATAGRAM_KEY_ATTRIBUTE,
    HANDLE_SHIFT = 32,
};

uint16_t port_lid(void) {
    return (uint16_t)setting(SETTING("LID"), 1);
}

// Memory of an object, whose first page is for doorbells; mapped here and by the program, which ends its mapping before
// the object.
static int give_memory(struct object *object, size_t rings) {
    object->memory_length = PAGE + rings;
    object->file = memfd_create("efa", MFD_CLOEXEC);
    if (object->file < 0 || ftruncate(object->file, (off_t)object->memory_length) != 0) {
        return errno;
    }
    object->memory = (uint8_t *)syscall(SYS_mmap, NULL, object->memory_length, PROT_READ | PROT_WRITE, MAP_SHARED,
                                        object->file, 0);
    return object->memory == MAP_FAILED ? errno : 0;
}

static uint64_t key_of(const struct object *object, size_t offset) {
    return (uint64_t)handle_of(object) << HANDLE_SHIFT | offset;
}

static size_t pages(size_t length) {
    return (length + PAGE - 1) / PAGE * PAGE;
}

void *map_memory(int descriptor, size_t length, off_t offset) {
    (void)descriptor;
    const struct object *object = &objects[(uint64_t)offset >> HANDLE_SHIFT];
    return (void *)syscall(SYS_mmap, NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, object->file,
                           (off_t)(uint32_t)offset);
}

void release(struct object *object) {
    if (object->memory) {
        munmap(object->memory, object->memory_length);
        close(object->file);
    }
    free(object->waiting);
}

void forget_memory(int descriptor) {
    (void)descriptor;
}

void answer_context(struct command *command) {
    struct efa_ibv_alloc_ucontext_resp own_answer = {
        .cmds_supp_udata_mask = EFA_USER_CMDS_SUPP_UDATA_QUERY_DEVICE | EFA_USER_CMDS_SUPP_UDATA_CREATE_AH,
        .sub_cqs_per_cq = SUB_QUEUES,
        .inline_buf_size = INLINE_BYTES,
        .max_llq_size = MAX_REQUESTS * REQUEST_BYTES,
        .max_tx_batch = 16,
        .min_sq_wr = 16,
    };
    uint16_t more = INLINE_BYTES_EXTENDED;
    memcpy((uint8_t *)&own_answer + CONTEXT_INLINE_EXTENDED, &more, sizeof more);
    OWN_ANSWER(command, own_answer);
}

struct ib_uverbs_query_device_resp device(void) {
    return (struct ib_uverbs_query_device_resp){
        .fw_ver = 1,
        .node_guid = htobe64(0x020000fffe000000ULL | port_lid()),
        .sys_image_guid = htobe64(0x020000fffe000000ULL | port_lid()),
        .max_mr_size = 1ULL << 40,
        .page_size_cap = 0xfffffffffffff000,
        .vendor_id = VENDOR_AMAZON,
        .vendor_part_id = 0xefa1,
        .max_qp = MAX_PAIRS,
        .max_qp_wr = MAX_REQUESTS,
        .max_sge = 2,
        .max_sge_rd = 1,
        .max_cq = MAX_QUEUES,
        .max_cqe = 1 << 15,
        .max_mr = 1 << 16,
        .max_pd = 256,
        .max_ah = 1 << 12,
        .max_pkeys = 1,
        .phys_port_cnt = 1,
    };
}

void answer_device(struct command *command) {
    struct efa_ibv_ex_query_device_resp own_answer = {
        .max_sq_wr = MAX_REQUESTS,
        .max_rq_wr = MAX_BUFFERS,
        .max_sq_sge = 2,
        .max_rq_sge = 3,
        .max_rdma_size = MAX_RDMA,
        .device_caps = setting(SETTING("CAPABILITIES"),
                               EFA_QUERY_DEVICE_CAPS_RDMA_READ | EFA_QUERY_DEVICE_CAPS_RNR_RETRY |
                                   EFA_QUERY_DEVICE_CAPS_CQ_NOTIFICATIONS | EFA_QUERY_DEVICE_CAPS_CQ_WITH_SGID |
                                   QUERY_DEVICE_RDMA_WRITE | QUERY_DEVICE_UNSOLICITED_WRITE_RECV),
    };
    OWN_ANSWER(command, own_answer);
}

struct ib_uverbs_query_port_resp port(void) {
    return (struct ib_uverbs_query_port_resp){
        .max_msg_sz = MTU_BYTES,
        .gid_tbl_len = 1,
        .pkey_tbl_len = 1,
        .state = PORT_ACTIVE,
        .max_mtu = 5,
        .active_mtu = 5,
        .max_vl_num = 1,
        .active_width = 2,
        .active_speed = 32,
        .phys_state = 5,
    };
}

void answer_domain(struct command *command, const struct object *domain) {
    struct efa_ibv_alloc_pd_resp own_answer = {.pdn = (uint16_t)handle_of(domain)};
    OWN_ANSWER(command, own_answer);
}

static int count_of(enum kind kind) {
    int count = 0;
    for (int i = 1; i < MAX_OBJECTS; i++) {
        count += objects[i].kind == kind;
    }
    return count;
}

int set_up_queue(struct command *command, struct object *queue) {
    const struct efa_ibv_create_cq *own = command->own_request;
    if (count_of(QUEUE) > MAX_QUEUES) {
        return ENOMEM;
    }
    if (own->num_sub_cqs != SUB_QUEUES) {
        return EINVAL;
    }
    queue->entry_bytes = own->cq_entry_size;
    queue->with_source = own->flags & EFA_CREATE_CQ_WITH_SGID;
    queue->fired = UINT32_MAX;
    size_t length = pages((size_t)SUB_QUEUES * queue->entries * queue->entry_bytes);
    int error = give_memory(queue, length);
    if (error != 0) {
        return error;
    }
    queue->buffer = queue->memory + PAGE;
    struct efa_ibv_create_cq_resp own_answer = {
        .comp_mask = EFA_CREATE_CQ_RESP_DB_OFF,
        .q_mmap_key = key_of(queue, PAGE),
        .q_mmap_size = length,
        .cq_idx = (uint16_t)handle_of(queue),
        .db_mmap_key = key_of(queue, 0),
    };
    OWN_ANSWER(command, own_answer);
    return 0;
}

// libefa finds a queue pair by the low bits of its number, in a table of MAX_PAIRS places.
static bool is_place_taken(const struct object *pair) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        const struct object *other = &objects[i];
        if (other->kind == PAIR && other != pair && other->number % MAX_PAIRS == pair->number % MAX_PAIRS) {
            return true;
        }
    }
    return false;
}

int set_up_pair(struct command *command, struct object *pair) {
    const struct efa_ibv_create_qp *own = command->own_request;
    if (pair->type != DRIVER_PAIR || own->driver_qp_type != EFA_QP_DRIVER_TYPE_SRD) {
        return EOPNOTSUPP;
    }
    // The contexts of a process are one port, and their queue pairs differ by their numbers.
    static uint32_t pairs;
    if (count_of(PAIR) > MAX_PAIRS) {
        return ENOMEM;
    }
    do {
        pair->number = FIRST_QP_NUMBER + pairs++;
    } while (is_place_taken(pair));
    uint16_t flags = 0;
    if (command->own_request_length >= CREATE_PAIR_FLAGS + sizeof flags) {
        memcpy(&flags, (const uint8_t *)own + CREATE_PAIR_FLAGS, sizeof flags);
    }
    pair->unsolicited = flags & CREATE_PAIR_UNSOLICITED;
    pair->request_bytes = own->sq_ring_size / pair->capacities[0];
    pair->buffers_length = own->rq_ring_size / BUFFER_BYTES;
    size_t requests = pages(own->sq_ring_size), buffers = pages(own->rq_ring_size);
    int error = give_memory(pair, requests + buffers);
    pair->waiting = error == 0 ? make_waiting(pair->capacities[0]) : NULL;
    if (!pair->waiting) {
        return error != 0 ? error : ENOMEM;
    }
    pair->requests = pair->memory + PAGE;
    pair->buffers = pair->requests + requests;
    struct efa_ibv_create_qp_resp own_answer = {
        .sq_db_offset = SEND_DOORBELL,
        .rq_db_offset = RECEIVE_DOORBELL,
        .rq_mmap_key = key_of(pair, PAGE + requests),
        .rq_mmap_size = buffers,
        .rq_db_mmap_key = key_of(pair, 0),
        .sq_db_mmap_key = key_of(pair, 0),
        .llq_desc_mmap_key = key_of(pair, PAGE),
        .send_sub_cq_idx = SENDS,
        .recv_sub_cq_idx = RECEIVES,
    };
    OWN_ANSWER(command, own_answer);
    return 0;
}

// As the efa driver has it: attributes that no transition takes, then those that this one needs and may have.
int check_pair(const struct object *pair, const struct ib_uverbs_modify_qp *request) {
    uint32_t mask = request->attr_mask;
    if (mask & ~(uint32_t)SUPPORTED_ATTRIBUTES) {
        return EOPNOTSUPP;
    }
    uint32_t others = mask & ~(uint32_t)QP_STATE_ATTRIBUTE;
    if (others == mask || (mask & QP_PORT_ATTRIBUTE && request->port_num != 1) ||
        (mask & QP_PARTITION_ATTRIBUTE && request->pkey_index != 0)) {
        return EINVAL;
    }
    uint8_t from = pair->state, to = request->qp_state;
    bool allowed = to == ERROR_STATE || to == 0         ? others == 0
                   : to == INIT && from == 0            ? others == IDENTITY
                   : to == RTR && from == INIT          ? others == 0
                   : to == RTS && from == RTR           ? (others | QP_RECEIVE_RETRIES_ATTRIBUTE) ==
                                                  (QP_SEND_PACKET_ATTRIBUTE | QP_RECEIVE_RETRIES_ATTRIBUTE) &&
                                                  others & QP_SEND_PACKET_ATTRIBUTE
                                                        : false;
    return allowed ? 0 : EINVAL;
}

void reset_pair(struct object *pair) {
    pair->fetched = pair->received = 0;
}

static int create_address(struct command *command) {
    const struct ib_uverbs_create_ah *request = command->request;
    if (!request->attr.is_global || request->attr.grh.sgid_index != 0 || request->attr.port_num != 1) {
        return EINVAL;
    }
    struct object *address = create(ADDRESS, command->descriptor);
    if (!address) {
        return errno;
    }
    address->domain = request->pd_handle;
    memcpy(address->path.dgid, request->attr.grh.dgid, sizeof address->path.dgid);
    address->number = (uint32_t)(address - objects);
    struct ib_uverbs_create_ah_resp answer = {.ah_handle = handle_of(address)};
    struct efa_ibv_create_ah_resp own_answer = {.efa_address_handle = (uint16_t)address->number};
    ANSWER(command, answer);
    OWN_ANSWER(command, own_answer);
    return 0;
}

const struct entry *command_of_device(uint32_t number) {
    static const struct entry create_ah = {create_address, sizeof(struct ib_uverbs_create_ah),
                                           sizeof(struct ib_uverbs_create_ah_resp)};
    static const struct entry destroy_ah = {destroy, 4, 0};
    return number == IB_USER_VERBS_CMD_CREATE_AH    ? &create_ah
           : number == IB_USER_VERBS_CMD_DESTROY_AH ? &destroy_ah
                                                    : NULL;
}

// efadv_query_mr is the one command that there is as an ioctl alone: which interconnects are known, and their numbers.
int run_ioctl(const struct ib_uverbs_ioctl_hdr *header) {
    if (header->object_id != OBJECT_REGION || header->method_id != METHOD_QUERY_REGION) {
        errno = ENOTTY;
        return -1;
    }
    static const uint16_t answers[] = {1 << 0 | 1 << 2, 11, 0, 13};
    for (int i = 0; i < header->num_attrs; i++) {
        unsigned place = header->attrs[i].attr_id - METHOD_QUERY_REGION - 1u;
        if (place <= INTERCONNECTS) {
            memcpy((void *)(uintptr_t)header->attrs[i].data, &answers[place], sizeof answers[place]);
        }
    }
    return 0;
}

// There is no rdma_cm.
bool is_manager(int descriptor) {
    (void)descriptor;
    return false;
}

int open_manager(int flags) {
    (void)flags;
    errno = ENOENT;
    return -1;
}

ssize_t run_manager_command(int descriptor, const void *bytes, size_t length) {
    (void)descriptor;
    (void)bytes;
    (void)length;
    errno = EBADF;
    return -1;
}

void forget_manager(int descriptor) {
    (void)descriptor;
}

void lock_manager(void) {
}

void unlock_manager(void) {
}
