// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of an adapter share: requests on their way from a queue pair to its peer, in this process or in another.
#ifndef TRANSFER_H
#define TRANSFER_H

#include "standin.h"

enum {
    // States of queue pairs, access and operations, by rdma-core's and mlx5's headers.
    INIT = 1, RTR = 2, RTS = 3, ERROR_STATE = 6,
    SEND_INVALIDATE = 0x01, WRITE = 0x08, WRITE_IMMEDIATE = 0x09, SEND = 0x0a, SEND_IMMEDIATE = 0x0b, READ = 0x10,
    COMPARE_AND_SWAP = 0x11, FETCH_AND_ADD = 0x12,
    ACCESS_LOCAL_WRITE = 1, ACCESS_REMOTE_WRITE = 2, ACCESS_REMOTE_READ = 4, ACCESS_REMOTE_ATOMIC = 8,
    // Outcomes that are no statuses: the peer has no receive; nobody answers; the request is on its way.
    WAIT = -1, GONE = -2, ASKED = -3,
    MAX_MESSAGE = 1 << 20,
    MAX_PARCEL = 1 << 16, // between processes
};

// A request without its data, and its answer.
struct request {
    uint16_t from, to;           // LIDs
    uint32_t from_pair, to_pair; // numbers
    uint32_t handle, ticket;     // of the queue pair that asks
    bool is_answer;
    int outcome; // of an answer: 0, a status, WAIT or GONE
    uint8_t code, type, service_level;
    bool solicited, is_global;
    uint32_t immediate; // as in the request, in network order
    uint32_t datagram_key;
    uint16_t partition; // the P_Key's index
    uint32_t key;
    uint64_t address, length, swap_or_add, compare;
    uint8_t target[16]; // GID
};

// Pieces of a queue pair's own memory, or the bytes themselves.
struct message {
    struct piece {
        uint64_t address;
        uint32_t length, key;
    } pieces[64];
    int count;
    uint64_t length;
    bool is_inline;
    uint8_t data[1024];
};

// The region of which who has the key reaches an address, or NULL.
const struct object *reach(int context, uint32_t key, uint64_t address, uint64_t length, uint32_t access);

// Between a region and plain bytes, by the region's own addresses; false if the memory does not let it.
bool read_region(const struct object *region, uint64_t address, uint8_t *bytes, uint64_t length);
bool write_region(const struct object *region, uint64_t address, const uint8_t *bytes, uint64_t length);

// Finds out whether a region is memory of a GPU.
void find_device_memory(struct object *region);

// Between the pieces and plain bytes; false if a piece cannot be reached.
bool move(int context, struct message *message, uint8_t *bytes, uint64_t length, bool into_pieces);

// Whether a LID is this process's.
bool is_here(uint16_t lid);

// Whether another process has the port.
bool is_there(uint16_t lid);

// Sends a request to another process; returns ASKED, WAIT or GONE.
int ask(const struct request *request, const uint8_t *data);

// Sends an answer back.
void answer(const struct request *request, const uint8_t *data);

// Takes what another process has sent; false if there is nothing.
bool take_parcel(struct request *request, uint8_t *data);

// Waits for a parcel, or a little.
void wait_for_parcel(void);

#endif
