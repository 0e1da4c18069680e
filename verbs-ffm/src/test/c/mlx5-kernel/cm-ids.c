// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Ids of the connection manager, and the ports that they have taken in their port spaces.
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "cm.h"

enum { FIRST_FREE_PORT = 32768, LAST_FREE_PORT = 60999, MAX_BACKLOG = 1024, PACKET_NUMBER = 0xffffff,
       FIRST_NUMBER = 0x5000 };

struct id ids[MAX_IDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lock_manager(void) {
    pthread_mutex_lock(&lock);
}

void unlock_manager(void) {
    pthread_mutex_unlock(&lock);
}

struct id *create_id(int file, uint16_t port_space, uint8_t pair_type) {
    static uint32_t created;
    for (uint32_t i = 1; i < MAX_IDS; i++) {
        if (!ids[i].is_used) {
            created++;
            ids[i] = (struct id){
                .is_used = true,
                .handle = i,
                .file = file,
                .port_space = port_space,
                .pair_type = pair_type,
                .number = FIRST_NUMBER + created,
                .first_packet = created * 0x1001u & PACKET_NUMBER,
                .here.sin_family = AF_INET,
            };
            return &ids[i];
        }
    }
    return NULL;
}

struct id *id_of_number(uint32_t number) {
    for (int i = 1; i < MAX_IDS; i++) {
        if (ids[i].is_used && ids[i].number == number) {
            return &ids[i];
        }
    }
    return NULL;
}

struct id *id_of_handle(uint32_t handle) {
    return handle > 0 && handle < MAX_IDS && ids[handle].is_used ? &ids[handle] : NULL;
}

// Whether another id has taken a port so that this one cannot have it at its address.
static bool is_taken(const struct id *by, uint16_t port, in_addr_t address, bool listens) {
    for (int i = 1; i < MAX_IDS; i++) {
        const struct id *id = &ids[i];
        bool shares = by->reuses_address && id->reuses_address && !(listens && id->state == LISTENING);
        // Ids of requests have the port of the one that listens, without having taken it.
        if (id->is_used && id != by && id->state != IDLE && id->phase == NO_PHASE && id->port_space == by->port_space &&
            id->here.sin_port == port && !shares &&
            (is_any_address(address) || is_any_address(id->here.sin_addr.s_addr) || address == id->here.sin_addr.s_addr)) {
            return true;
        }
    }
    return false;
}

int bind_id(struct id *id, const struct sockaddr_in *address) {
    static uint16_t next = FIRST_FREE_PORT;
    if (id->state != IDLE) {
        return EINVAL;
    }
    if (!is_here_address(address->sin_addr.s_addr)) {
        return EADDRNOTAVAIL;
    }
    uint16_t port = address->sin_port;
    for (int tries = FIRST_FREE_PORT; port == 0 && tries < LAST_FREE_PORT; tries++) {
        next = next == LAST_FREE_PORT ? FIRST_FREE_PORT : next + 1;
        port = is_taken(id, htons(next), address->sin_addr.s_addr, false) ? 0 : htons(next);
    }
    if (port == 0 || is_taken(id, port, address->sin_addr.s_addr, false)) {
        return EADDRINUSE;
    }
    id->here = *address;
    id->here.sin_port = port;
    id->state = BOUND;
    if (!is_any_address(address->sin_addr.s_addr)) {
        id->has_device = true;
        id->partition = interface_partition();
    }
    return 0;
}

int listen_id(struct id *id, uint32_t backlog) {
    if (id->state == IDLE) {
        struct sockaddr_in any = {.sin_family = AF_INET};
        int error = bind_id(id, &any);
        if (error != 0) {
            return error;
        }
    }
    if (id->state != BOUND) {
        return EINVAL;
    }
    if (is_taken(id, id->here.sin_port, id->here.sin_addr.s_addr, true)) {
        return EADDRINUSE;
    }
    id->backlog = backlog > 0 && backlog < MAX_BACKLOG ? backlog : MAX_BACKLOG;
    id->state = LISTENING;
    show_listener(id->port_space, ntohs(id->here.sin_port), true);
    return 0;
}

struct id *listener_of(uint64_t service, in_addr_t address) {
    for (int i = 1; i < MAX_IDS; i++) {
        struct id *id = &ids[i];
        in_addr_t here = id->here.sin_addr.s_addr;
        if (id->is_used && id->state == LISTENING && service == ((uint64_t)id->port_space << 16 | ntohs(id->here.sin_port)) &&
            (is_any_address(here) || here == address)) {
            return id;
        }
    }
    return NULL;
}
