// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What an EFA adds to an object.
#ifndef DEVICE_H
#define DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTING(name) "RDMA4J_EFA_" name

enum { SUB_QUEUES = 2, SENDS = 0, RECEIVES = 1 };

struct of_device {
    // Of queues and queue pairs: memory that the program also maps. Its first page has the doorbells.
    int file;
    uint8_t *memory;
    size_t memory_length;
    // Of a completion queue, which has one ring for sends and one for receives.
    uint32_t put[SUB_QUEUES];
    uint32_t fired;      // the number of the last event's command
    bool with_source;    // its completions have the sender's GID
    // Of a queue pair.
    uint8_t *requests, *buffers; // its rings
    uint32_t request_bytes, buffers_length; // of one request; how many buffers
    uint16_t fetched, received;  // so far, of requests and buffers
    bool unsolicited;
    struct waiting *waiting; // fetched requests; of the adapter
};

#endif
