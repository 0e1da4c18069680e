// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of a stand-in share: the objects that a provider has had the "kernel" create.
#ifndef STANDIN_H
#define STANDIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

// The device's own header: struct of_device, which extends an object, and SETTING, its prefix in the environment.
#include "device.h"

enum { MAX_OBJECTS = 4096, PAGE = 4096 };

enum kind { NOTHING, DOMAIN, REGION, WINDOW, QUEUE, PAIR, SHARED_RECEIVES, ADDRESS };

// An object; its handle is its index.
struct object {
    enum kind kind;
    int context; // the descriptor it was created with
    uint32_t number; // cqn, qpn, or a key
    uint32_t domain; // of a queue pair or an address handle: a handle
    uint8_t *buffer; // of a region, or of a queue: the provider's memory
    uint64_t user;
    // Of a completion queue.
    uint32_t events; // those that went into its channel
    uint32_t entries, produced, entry_bytes;
    int channel; // the writing end, or -1
    bool is_armed;
    // Of a queue pair.
    uint32_t send_queue, receive_queue; // handles
    uint32_t peer;
    uint8_t state, type, signal_all;
    struct ib_uverbs_qp_dest path; // to the peer; of an address handle, to its port
    uint32_t datagram_key;         // the Q_Key
    uint16_t partition;            // index of its P_Key
    uint8_t timeout, retries;
    struct ib_uverbs_query_qp_resp kept; // attributes that only a query returns
    bool asks;         // a request is on its way to another process, as the ticket
    uint32_t ticket;
    uint64_t deadline; // of a peer that does not answer; 0 while it does
    uint32_t capacities[5]; // send and receive requests, send and receive entries, inline data
    // Of a region: what a key allows, and the addresses that it has for an adapter.
    uint64_t address, length;
    uint32_t access;
    bool is_on_device;    // memory of a GPU, in the CUDA context, if it belongs to one
    void *device_context;
    struct of_device; // -fms-extensions
};

extern struct object objects[MAX_OBJECTS];

// How many objects were not destroyed before their context was closed.
extern int left_behind;

void lock_objects(void);
void unlock_objects(void);

struct object *object_of_number(int context, enum kind kind, uint32_t number);

// By the address that libibverbs knows it by: a struct ibv_qp, ibv_cq or ibv_srq.
struct object *object_of_user(enum kind kind, uint64_t user);

// A number in the environment.
unsigned setting(const char *name, unsigned otherwise);

// The port's address; SETTING("LID"), or 1. Of a device without LIDs the number that its GID is made of.
uint16_t port_lid(void);

bool in_fabric(void);

// Meets the other processes of SETTING("FABRIC"), when the first device is opened; 0, or an errno.
int join_fabric(void);

// When the last device is closed: then another process may have the LID.
void leave_fabric(void);

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

// rdma_cm's file, if the machine has one.
bool is_manager(int descriptor);
int open_manager(int flags);
ssize_t run_manager_command(int descriptor, const void *bytes, size_t length);
void forget_manager(int descriptor);
void lock_manager(void);
void unlock_manager(void);

// Of the device: memory that a context maps; what has to go with an object, and with a context, with the lock; and a
// command that is an ioctl, 0 or -1 with errno.
void *map_memory(int descriptor, size_t length, off_t offset);
void release(struct object *object);
void forget_memory(int descriptor);
int run_ioctl(const struct ib_uverbs_ioctl_hdr *header);

#endif
