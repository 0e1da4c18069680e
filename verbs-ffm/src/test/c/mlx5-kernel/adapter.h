// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What the files of the mlx5 adapter share.
#ifndef ADAPTER_H
#define ADAPTER_H

#include "transfer.h"

enum {
    // Types of queue pairs, operations and syndromes, by rdma-core's and mlx5's headers.
    RELIABLE = 2, UNRELIABLE = 3, DATAGRAM = 4,
    CHANGE = 0x25,
    LENGTH_ERROR = 0x01, PROTECTION_ERROR = 0x04, FLUSHED = 0x05, INVALID_REQUEST = 0x12, ACCESS_ERROR = 0x13,
    RETRIES_EXCEEDED = 0x15,
    SEGMENT = 16,
    COMPLETION_BYTES = 64,
    GLOBAL_ROUTE_BYTES = 40, // the GRH before a datagram
};

// A completion, as far as it is not the queue pair's.
struct completion {
    int kind, code, syndrome;
    uint32_t counter, length, immediate;
    bool solicited;
    uint32_t source; // the other queue pair, service level, whether a GRH is there
    uint16_t lid;
};

uint32_t word(const uint8_t *place);
uint64_t long_word(const uint8_t *place);

// Writes a completion into a queue, and an event into its channel if it is armed.
void put(struct object *queue, const struct object *pair, const struct completion *completion);

// Everything that is posted completes as flushed.
void flush(struct object *pair);

uint32_t posted_receives(const struct object *pair);

// At the peer: does a request and says its outcome; the data of reads and atomics comes back. A context, or -1 in a fabric.
int serve(int context, const struct request *request, uint8_t *data);

// A queue pair rings here when it has requests.
char *register_of(const struct object *pair);

// Where a completion queue is armed.
char *arming_register_of(const struct object *queue);

#endif
