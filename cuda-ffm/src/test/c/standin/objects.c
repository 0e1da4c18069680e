/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Handles. Objects of a kind lie in a row that is reserved once, so that any value can be judged without touching it: it is a
 * live object, or it is not. A deleted one waits until many others have been deleted before its address is used again.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ROW ((size_t)64 << 20)
#define QUARANTINE 1024

struct slot {
    bool live;
    struct slot *next_free;
    max_align_t object[];
};

static struct row {
    char *base;
    size_t size, made;
    struct slot *oldest, *newest;
    size_t waiting;
} rows[KINDS];

static size_t object_size(enum kind kind);

static struct row *row_of(enum kind kind) {
    struct row *row = &rows[kind];
    if (row->base == NULL) {
        row->base = mmap(NULL, ROW, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (row->base == MAP_FAILED)
            abort();
        row->size = (sizeof(struct slot) + object_size(kind) + 63) & ~(size_t)63;
    }
    return row;
}

static struct slot *slot_of(const void *object) { return (struct slot *)((char *)object - offsetof(struct slot, object)); }

void *standin_new(enum kind kind) {
    struct row *row = row_of(kind);
    struct slot *slot;
    if (row->waiting > QUARANTINE) {
        slot = row->oldest;
        row->oldest = slot->next_free;
        row->waiting--;
    } else {
        if ((row->made + 1) * row->size > ROW)
            return NULL;
        slot = (struct slot *)(row->base + row->made++ * row->size);
    }
    memset(slot, 0, row->size);
    slot->live = true;
    return slot->object;
}

bool standin_is(enum kind kind, const void *object) {
    struct row *row = &rows[kind];
    uintptr_t place = (uintptr_t)object - offsetof(struct slot, object) - (uintptr_t)row->base;
    if (row->base == NULL || object == NULL || place >= row->made * row->size || place % row->size != 0)
        return false;
    return slot_of(object)->live;
}

void standin_delete(enum kind kind, void *object) {
    struct row *row = &rows[kind];
    struct slot *slot = slot_of(object);
    slot->live = false;
    slot->next_free = NULL;
    if (row->waiting++ == 0)
        row->oldest = slot;
    else
        row->newest->next_free = slot;
    row->newest = slot;
}

void *standin_next(enum kind kind, const void *object) {
    struct row *row = &rows[kind];
    if (row->base == NULL)
        return NULL;
    char *slot = object == NULL ? row->base : (char *)slot_of(object) + row->size;
    for (; slot < row->base + row->made * row->size; slot += row->size)
        if (((struct slot *)slot)->live)
            return ((struct slot *)slot)->object;
    return NULL;
}

static size_t object_size(enum kind kind) {
    switch (kind) {
    case CONTEXT: return sizeof(struct CUctx_st);
    case STREAM: return sizeof(struct CUstream_st);
    case EVENT: return sizeof(struct CUevent_st);
    case MODULE: return sizeof(struct CUmod_st);
    case FUNCTION: return sizeof(struct CUfunc_st);
    case GRAPH:
    case NODE:
    case EXECUTABLE: return standin_graph_object_size(kind);
    default: return sizeof(struct handle);
    }
}
