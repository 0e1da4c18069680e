// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests ask the stand-in for: where libmlx5 keeps its rings, and completions as an adapter would write them.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rdma/ib_user_verbs.h>

#include "cm.h"
#include "standin.h"

enum { OWNER_BYTE = 63, OWNER_MASK = 1 };

// Of the queue pair that libibverbs knows by an address: sends, their blocks, receives, how many, log2 of their stride,
// doorbell record, register, number, user index, flags of its creation (MLX5_QP_FLAG_…). Returns 0 if there is none.
int standin_pair(uint64_t user, uint64_t told[10]) {
    lock_objects();
    const struct object *pair = object_of_user(PAIR, user);
    if (pair) {
        uint64_t receive_bytes = (uint64_t)pair->receives << pair->receive_shift;
        uint64_t values[] = {
            (uint64_t)(uintptr_t)pair->buffer + receive_bytes,
            pair->send_blocks,
            (uint64_t)(uintptr_t)pair->buffer,
            pair->receives,
            pair->receive_shift,
            (uint64_t)(uintptr_t)pair->doorbell,
            (uint64_t)(uintptr_t)register_of(pair),
            pair->number,
            pair->user_index,
            pair->flags,
        };
        memcpy(told, values, sizeof values);
    }
    unlock_objects();
    return pair != NULL;
}

// Writes a completion, of as many bytes as the queue's entries have; the bit that says whose it is comes last.
int standin_complete(uint64_t user, const uint8_t *entry) {
    lock_objects();
    struct object *queue = object_of_user(QUEUE, user);
    if (queue) {
        complete(queue, entry);
    }
    unlock_objects();
    return queue != NULL;
}

void complete(struct object *queue, const uint8_t *entry) {
    uint8_t *place = queue->buffer + (queue->produced & (queue->entries - 1)) * (uint64_t)queue->entry_bytes;
    uint8_t round = queue->produced & queue->entries ? OWNER_MASK : 0;
    size_t owner = queue->entry_bytes - COMPLETION_BYTES + OWNER_BYTE;
    memcpy(place, entry, owner);
    __atomic_store_n(place + owner, (uint8_t)((entry[owner] & ~OWNER_MASK) | round), __ATOMIC_RELEASE);
    queue->produced++;
}

// How many objects there are, and were when their context was closed.
int standin_objects(void) {
    lock_objects();
    int count = left_behind;
    for (int i = 1; i < MAX_OBJECTS; i++) {
        count += objects[i].kind != NOTHING;
    }
    unlock_objects();
    return count;
}

// Gives a setting another value while the program runs, while none of the stand-in's threads reads one.
void standin_set(const char *name, const char *value) {
    lock_objects();
    lock_manager();
    setenv(name, value, 1);
    unlock_manager();
    unlock_objects();
}
