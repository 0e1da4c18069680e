// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Commands, and what a device adds to those that all devices have. All are called with the lock.
#ifndef COMMANDS_H
#define COMMANDS_H

#include <string.h>

#include "standin.h"

// Attributes of queue pairs, by rdma-core's header.
enum {
    QP_STATE_ATTRIBUTE = 1 << 0,
    QP_ACCESS_ATTRIBUTE = 1 << 3,
    QP_PARTITION_ATTRIBUTE = 1 << 4,
    QP_PORT_ATTRIBUTE = 1 << 5,
    QP_DATAGRAM_KEY_ATTRIBUTE = 1 << 6,
    QP_PATH_ATTRIBUTE = 1 << 7,
    QP_MTU_ATTRIBUTE = 1 << 8,
    QP_TIMEOUT_ATTRIBUTE = 1 << 9,
    QP_RETRIES_ATTRIBUTE = 1 << 10,
    QP_RECEIVE_RETRIES_ATTRIBUTE = 1 << 11,
    QP_RECEIVE_PACKET_ATTRIBUTE = 1 << 12,
    QP_READS_ATTRIBUTE = 1 << 13,
    QP_RECEIVE_TIMER_ATTRIBUTE = 1 << 15,
    QP_SEND_PACKET_ATTRIBUTE = 1 << 16,
    QP_SERVED_READS_ATTRIBUTE = 1 << 17,
    QP_PEER_ATTRIBUTE = 1 << 20,
    FIRST_QP_NUMBER = 0x4a0,
    FIRST_CQ_NUMBER = 0x400,
    PORT_ACTIVE = 4,
};

// One command: what was asked, and where the answers go, the common one and the driver's.
struct command {
    int descriptor;
    const void *request, *own_request;
    void *answer, *own_answer;
    size_t own_request_length, answer_length, own_answer_length;
};

#define ANSWER(command, value) answer_with((command)->answer, &(value), sizeof(value), (command)->answer_length)
#define OWN_ANSWER(command, value) \
    answer_with((command)->own_answer, &(value), sizeof(value), (command)->own_answer_length)

static inline void answer_with(void *target, const void *value, size_t length, size_t room) {
    memcpy(target, value, length < room ? length : room);
}

// A kind of command: what serves it, and the lengths of what is common to all drivers.
struct entry {
    int (*serve)(struct command *);
    size_t request, answer;
};

struct object *find(uint32_t handle, enum kind kind);
uint32_t handle_of(const struct object *object);

// An object of a context, or NULL with errno.
struct object *create(enum kind kind, int descriptor);

void end(struct object *object);

// A number that the context has not used as a key.
uint32_t new_key(int descriptor);

// How many queue pairs the context has made.
uint32_t count_of_pairs(int descriptor);

// Ends an object that the command names by its first word.
int destroy(struct command *command);

// The device's part.
void answer_context(struct command *command);
struct ib_uverbs_query_device_resp device(void);
void answer_device(struct command *command);
struct ib_uverbs_query_port_resp port(void);
void answer_domain(struct command *command, const struct object *domain);
int set_up_queue(struct command *command, struct object *queue);
int set_up_pair(struct command *command, struct object *pair);
int check_pair(const struct object *pair, const struct ib_uverbs_modify_qp *request);
void reset_pair(struct object *pair);

// A command that only this device has, or NULL.
const struct entry *command_of_device(uint32_t number);

#endif
