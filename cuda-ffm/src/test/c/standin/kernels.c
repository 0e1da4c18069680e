/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of src/test/resources/…/kernels.ptx, which the stand-in can play, with one thread for each element.
 */
#include "standin.h"

#include <string.h>

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static char *reach(CUdeviceptr address, size_t length) {
    LOCKED;
    return length == 0 ? (char *)1 : standin_reach(address, length);
}

/* increment(u32 *data, u32 count) */
static CUresult increment(const uint64_t *p, uint64_t threads) {
    uint64_t count = least((uint32_t)p[1], threads);
    uint32_t *data = (uint32_t *)reach(p[0], 4 * count);
    if (data == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (uint64_t i = 0; i < count; i++)
        data[i]++;
    return CUDA_SUCCESS;
}

/* fill_pattern(u8 *data, u64 count, u32 seed): byte i becomes seed + 7 i */
static CUresult fill_pattern(const uint64_t *p, uint64_t threads) {
    uint64_t count = least(p[1], threads);
    uint8_t *data = (uint8_t *)reach(p[0], count);
    if (data == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (uint64_t i = 0; i < count; i++)
        data[i] = (uint8_t)(p[2] + 7 * i);
    return CUDA_SUCCESS;
}

/* copy(u8 *to, const u8 *from, u64 count) */
static CUresult copy(const uint64_t *p, uint64_t threads) {
    uint64_t count = least(p[2], threads);
    char *to = reach(p[0], count), *from = reach(p[1], count);
    if (to == NULL || from == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (count > 0)
        memmove(to, from, count);
    return CUDA_SUCCESS;
}

/* sum(const u32 *data, u32 count, u64 *result): adds to what the result is */
static CUresult sum(const uint64_t *p, uint64_t threads) {
    uint64_t count = least((uint32_t)p[1], threads), total = 0;
    uint32_t *data = (uint32_t *)reach(p[0], 4 * count);
    uint64_t *result = (uint64_t *)reach(p[2], 8);
    if (data == NULL || result == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    for (uint64_t i = 0; i < count; i++)
        total += data[i];
    __atomic_fetch_add(result, total, __ATOMIC_SEQ_CST);
    return CUDA_SUCCESS;
}

static const struct kernel KERNELS[] = {
    {"increment", 2, {8, 4}, increment},
    {"fill_pattern", 3, {8, 8, 4}, fill_pattern},
    {"copy", 3, {8, 8, 8}, copy},
    {"sum", 3, {8, 4, 8}, sum},
};

const struct kernel *standin_kernel(const char *name) {
    for (size_t i = 0; i < sizeof KERNELS / sizeof *KERNELS; i++)
        if (strcmp(KERNELS[i].name, name) == 0)
            return &KERNELS[i];
    return NULL;
}
