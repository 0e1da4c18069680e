/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The memory of a device is a sparse file without a name, mapped twice: at the addresses that programs get, where pages can be
 * reached only as far as the host or an adapter is to reach them, and at others by which the stand-in itself does. Places in
 * it are given out from the last one on, so that an address that was freed stays free for long.
 */
#include "standin.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPAN ((size_t)64 << 30)

static struct backing {
    int file;
    char *linear, *reach;
    /* By offset; what is between them is free. */
    struct place {
        size_t offset, length;
    } *places;
    size_t count, capacity, cursor, used;
} backings[MAX_DEVICES];

bool standin_back(int device) {
    struct backing *b = &backings[device];
    if (b->linear != NULL)
        return true;
    b->file = memfd_create("standin-device", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (b->file < 0 || ftruncate(b->file, (off_t)SPAN) != 0)
        return false;
    /* A udmabuf is made only of a file that cannot shrink. */
    fcntl(b->file, F_ADD_SEALS, F_SEAL_SHRINK);
    b->reach = mmap(NULL, SPAN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, b->file, 0);
    char *linear = mmap(NULL, SPAN + ((size_t)2 << 20), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (b->reach == MAP_FAILED || linear == MAP_FAILED)
        return false;
    linear = (char *)(((uintptr_t)linear + ((size_t)2 << 20) - 1) & ~(((uintptr_t)2 << 20) - 1));
    if (mmap(linear, SPAN, PROT_NONE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, b->file, 0) == MAP_FAILED)
        return false;
    b->linear = linear;
    return true;
}

int standin_backing_file(int device) { return backings[device].file; }

char *standin_backing(int device) { return backings[device].reach; }

CUdeviceptr standin_device_base(int device) { return (CUdeviceptr)backings[device].linear; }

size_t standin_used(int device) { return backings[device].used; }

static size_t up(size_t value, size_t alignment) { return (value + alignment - 1) & ~(alignment - 1); }

static size_t end_before(const struct backing *b, size_t index) {
    return index == 0 ? 0 : b->places[index - 1].offset + b->places[index - 1].length;
}

/* The first gap at or behind a place, as the index to insert at. */
static bool gap(const struct backing *b, size_t from, size_t length, size_t alignment, size_t *index, size_t *offset) {
    for (size_t i = 0; i <= b->count; i++) {
        size_t begin = end_before(b, i), end = i < b->count ? b->places[i].offset : SPAN;
        if (begin < from)
            begin = from;
        begin = up(begin, alignment);
        if (begin + length <= end) {
            *index = i;
            *offset = begin;
            return true;
        }
    }
    return false;
}

bool standin_place(int device, size_t length, size_t alignment, size_t *offset) {
    struct backing *b = &backings[device];
    size_t index;
    if (length > standin_settings.memory || b->used + length > standin_settings.memory)
        return false;
    if (!gap(b, b->cursor, length, alignment, &index, offset) && !gap(b, 0, length, alignment, &index, offset))
        return false;
    if (b->count == b->capacity) {
        b->capacity = b->capacity == 0 ? 64 : 2 * b->capacity;
        b->places = realloc(b->places, b->capacity * sizeof *b->places);
    }
    memmove(b->places + index + 1, b->places + index, (b->count++ - index) * sizeof *b->places);
    b->places[index] = (struct place){*offset, length};
    b->cursor = *offset + length;
    b->used += length;
    standin_counters.used += (long)length;
    return true;
}

static size_t index_of(const struct backing *b, size_t offset) {
    size_t i = 0;
    while (b->places[i].offset != offset)
        i++;
    return i;
}

/* The pages of a place that it shares with no other. */
static void own_pages(const struct backing *b, size_t index, size_t *begin, size_t *end) {
    const struct place *p = &b->places[index];
    *begin = p->offset & ~(PAGE - 1);
    *end = up(p->offset + p->length, PAGE);
    if (end_before(b, index) > *begin)
        *begin += PAGE;
    if (index + 1 < b->count && b->places[index + 1].offset < *end)
        *end -= PAGE;
}

void standin_show(int device, size_t offset, size_t length, bool visible) {
    struct backing *b = &backings[device];
    size_t begin = offset & ~(PAGE - 1), end = up(offset + length, PAGE);
    if (!visible)
        own_pages(b, index_of(b, offset), &begin, &end);
    if (begin < end)
        mprotect(b->linear + begin, end - begin, visible ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void standin_displace(int device, size_t offset) {
    struct backing *b = &backings[device];
    size_t index = index_of(b, offset), begin, end;
    own_pages(b, index, &begin, &end);
    if (begin < end) {
        mprotect(b->linear + begin, end - begin, PROT_NONE);
        fallocate(b->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)begin, (off_t)(end - begin));
    }
    b->used -= b->places[index].length;
    standin_counters.used -= (long)b->places[index].length;
    memmove(b->places + index, b->places + index + 1, (--b->count - index) * sizeof *b->places);
}
