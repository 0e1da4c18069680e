// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the stand-in share: the objects that libmlx5 has had the "kernel" create.
#ifndef STANDIN_H
#define STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdma/ib_user_verbs.h>

enum { MAX_OBJECTS = 4096, COMPLETION_BYTES = 64 };

enum kind { NOTHING, DOMAIN, REGION, WINDOW, QUEUE, PAIR, SHARED_RECEIVES };

// An object; its handle is its index.
struct object {
    enum kind kind;
    int context; // the descriptor it was created with
    uint32_t number; // cqn or qpn
    // Of queues and queue pairs: memory of libmlx5.
    uint8_t *buffer;
    volatile uint32_t *doorbell;
    uint32_t events; // of a completion queue: those that went into its channel
    uint32_t entries;
    int channel; // the writing end, or -1
    uint64_t user;
    // Of a queue pair.
    uint32_t send_queue, receive_queue; // handles
    uint32_t send_blocks, receives, receive_shift, user_index, peer, bf_index, flags;
    uint8_t state, type, signal_all;
    uint32_t send_consumer, receive_consumer;
    bool has_rung, is_armed;
    struct ib_uverbs_qp_dest path; // to the peer
    uint32_t datagram_key;         // the Q_Key
    uint16_t partition;            // index of its P_Key
    uint8_t timeout, retries;
    struct ib_uverbs_query_qp_resp kept; // what only who asks is told
    bool asks;         // a request is on its way to another process, as the ticket
    uint32_t ticket;
    uint64_t deadline; // of a peer that does not answer; 0 while it does
    // Of a completion queue; the last is how it was armed at its last event.
    uint32_t produced, entry_bytes, fired;
    // Of a region: what a key allows, and the addresses that it has for an adapter.
    uint64_t address, length;
    uint32_t access;
    bool is_on_device;    // memory of a GPU, in the CUDA context, if it belongs to one
    void *device_context;
    uint32_t capacities[5]; // send and receive requests, send and receive entries, inline data
};

extern struct object objects[MAX_OBJECTS];

// How many objects were not destroyed before their context was closed.
extern int left_behind;

void lock_objects(void);
void unlock_objects(void);

struct object *object_of_number(int context, enum kind kind, uint32_t number);

// By the address that libibverbs knows it by: a struct ibv_qp, ibv_cq or ibv_srq.
struct object *object_of_user(enum kind kind, uint64_t user);

// Where a queue pair tells that there are requests.
char *register_of(const struct object *pair);

// Where a completion queue is armed.
char *arming_register_of(const struct object *queue);

// A number in the environment.
unsigned setting(const char *name, unsigned otherwise);

// Whether a subnet manager has configured the port.
bool is_port_active(void);

// The port's address; RDMA4J_MLX5_LID, or 1.
uint16_t port_lid(void);

// The port's GUID, of which its GID is made; in host order.
uint64_t port_guid(void);

bool in_fabric(void);

// Meets the other processes of RDMA4J_MLX5_FABRIC, when the first device is opened; 0, or an errno.
int join_fabric(void);

// Writes a completion into its queue; with the lock.
void complete(struct object *queue, const uint8_t *entry);

// Finds out whether a region is memory of a GPU.
void find_device_memory(struct object *region);

// A command as it was written; returns its length, or -1 with errno.
ssize_t run_command(int descriptor, const void *bytes, size_t length);

// Frees what a context has left.
void forget_context(int descriptor);

// A pipe whose reading end a program gets; returns that, and keeps the other.
int make_event_pipe(int *writing_end);
int writing_end_of(int reading_end);
void forget_pipe(int reading_end);

// Takes the events of a completion queue out that nobody has read, and returns how many they were.
int discard_events(int writing_end, uint64_t user);

// The mapped registers of a context, page by page.
void *map_registers(int descriptor, size_t length, off_t offset);

#endif
