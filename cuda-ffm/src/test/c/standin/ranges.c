/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Every range of memory that the driver knows, of any kind, by address: what a pointer is, and whether a length from it on
 * is all there.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

static struct range **ranges;
static size_t count, capacity;
static uint64_t last_id;

/* The index of the first range that ends behind the address. */
static size_t search(CUdeviceptr address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle]->base + ranges[middle]->size <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct range *standin_find(CUdeviceptr address) {
    size_t i = search(address);
    return i < count && ranges[i]->base <= address ? ranges[i] : NULL;
}

struct range *standin_range_after(const struct range *range) {
    size_t i = range == NULL ? 0 : search(range->base) + 1;
    return i < count ? ranges[i] : NULL;
}

struct range *standin_range_add(CUdeviceptr base, size_t size, size_t length, enum memory memory) {
    struct range *range = calloc(1, sizeof *range);
    size_t i = search(base);
    if (count == capacity) {
        capacity = capacity == 0 ? 64 : 2 * capacity;
        ranges = realloc(ranges, capacity * sizeof *ranges);
    }
    memmove(ranges + i + 1, ranges + i, (count++ - i) * sizeof *ranges);
    ranges[i] = range;
    range->base = base;
    range->size = size;
    range->length = length;
    range->memory = memory;
    range->id = ++last_id;
    range->reach = (char *)(uintptr_t)base;
    range->access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    return range;
}

void standin_range_remove(struct range *range) {
    size_t i = search(range->base);
    memmove(ranges + i, ranges + i + 1, (--count - i) * sizeof *ranges);
    free(range);
}

/* Ranges of virtual memory may lie side by side, and a copy may cross from one into the next. */
char *standin_reach(CUdeviceptr address, size_t length) {
    struct range *range = standin_find(address);
    if (range == NULL || range->access == CU_MEM_ACCESS_FLAGS_PROT_NONE)
        return NULL;
    char *reach = range->reach + (address - range->base);
    CUdeviceptr end = range->base + range->size;
    while (end - address < length) {
        struct range *next = standin_find(end);
        if (next == NULL || range->memory != VIRTUAL_MEMORY || next->memory != VIRTUAL_MEMORY ||
            next->access == CU_MEM_ACCESS_FLAGS_PROT_NONE || next->reach != range->reach + range->size)
            return NULL;
        range = next;
        end = range->base + range->size;
    }
    return reach;
}

bool standin_is_pinned(const void *address, size_t length) { return standin_reach((CUdeviceptr)(uintptr_t)address, length) != NULL; }
