/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Memory of NCCL, memory registered with it, windows, and the user's reductions.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

API int ncclMemAlloc(void **result, size_t size) {
    int code = called("ncclMemAlloc");
    uint64_t address = 0;
    /* Whole pages of the GPU's, as NCCL has it. */
    size = (size + (2 << 20) - 1) / (2 << 20) * (2 << 20);
    if (!code && ((int (*)(uint64_t *, size_t))cuda("cuMemAlloc_v2"))(&address, size))
        code = fail(UNHANDLED_CUDA, "Cuda failure 'out of memory'");
    if (!code) count("allocations", 1);
    *result = (void *)(uintptr_t)address;
    return code;
}

API int ncclMemFree(void *at) {
    int code = called("ncclMemFree");
    if (code) return code;
    count("allocations", -1);
    return ((int (*)(uint64_t))cuda("cuMemFree_v2"))((uintptr_t)at) ? fail(UNHANDLED_CUDA, "cuMemFree") : SUCCESS;
}

API int ncclCommRegister(struct communicator *communicator, void *at, size_t size, void **handle) {
    int code = called("ncclCommRegister");
    if (!code) code = bad_communicator(communicator);
    if (!code) code = bad_range(at, size);
    if (code) return code;
    *handle = malloc(1);
    count("registrations", 1);
    return SUCCESS;
}

API int ncclCommDeregister(struct communicator *communicator, void *handle) {
    int code = called("ncclCommDeregister");
    int bad = bad_communicator(communicator);
    if (bad) return bad;
    free(handle);
    count("registrations", -1);
    return code;
}

/* The number of a window is the same on all ranks, and so is its handle here. */
struct opening {
    uint64_t number;
    void *at;
    size_t size;
    void **result;
};

static int poll_window(struct job *job) {
    struct communicator *communicator = job->communicator;
    struct opening *opening = job->what;
    if (communicator->aborted) return INVALID_USAGE;
    bool all = true;
    struct clique *clique = communicator->clique;
    clique_lock(clique);
    if (!opening->number) {
        /* Only now: one of a group that is refused is none. */
        opening->number = ++communicator->windows;
        clique->windows[opening->number - 1][communicator->rank] = (uintptr_t)opening->at;
        clique->window_sizes[opening->number - 1][communicator->rank] = opening->size;
        clique->window_count[communicator->rank] = opening->number;
        clique_changed(clique);
    }
    for (int i = 0; i < communicator->ranks; i++)
        if (clique->window_count[i] < opening->number) all = false;
    clique_unlock(clique);
    if (!all) return IN_PROGRESS;
    *opening->result = (void *)(uintptr_t)opening->number;
    count("windows", 1);
    free(opening);
    return SUCCESS;
}

API int ncclCommWindowRegister(struct communicator *communicator, void *at, size_t size, void **result, int flags) {
    *result = NULL;
    int code = called("ncclCommWindowRegister");
    if (!code) code = bad_communicator(communicator);
    if (!code) code = bad_range(at, size);
    if (!code && (uintptr_t)at % 4096) code = fail(INVALID_ARGUMENT, "%p is not aligned to 4096 bytes", at);
    if (!code && (flags & ~3)) code = fail(INVALID_ARGUMENT, "winFlags %d", flags);
    if (!code && communicator->windows == MOST_WINDOWS) code = fail(INVALID_USAGE, "no more than 8 windows");
    if (code) return code;
    struct opening *opening = malloc(sizeof *opening);
    *opening = (struct opening){0, at, size, result};
    return start((struct job){.communicator = communicator, .poll = poll_window, .what = opening});
}

API int ncclCommWindowDeregister(struct communicator *communicator, void *window) {
    int code = called("ncclCommWindowDeregister");
    if (!code && !window) code = fail(INVALID_ARGUMENT, "no window");
    int bad = bad_communicator(communicator);
    if (bad || code) return bad ? bad : code;
    count("windows", -1);
    return SUCCESS;
}

API int ncclRedOpCreatePreMulSum(int *operation, void *scalar, int type, int residence,
                                 struct communicator *communicator) {
    int code = called("ncclRedOpCreatePreMulSum");
    if (!code) code = bad_communicator(communicator);
    if (!code && !type_size(type)) code = fail(INVALID_ARGUMENT, "datatype %d", type);
    if (!code && residence == 0) code = bad_range(scalar, type_size(type));
    for (int i = 0; i < MOST_OPERATORS && !code; i++) {
        if (communicator->operators[i].used) continue;
        communicator->operators[i].used = true;
        communicator->operators[i].at = residence == 0 ? scalar : NULL;
        communicator->operators[i].scalar = residence == 0 ? 0 : value_of(scalar, type);
        communicator->operators[i].type = type;
        *operation = OPERATIONS + i;
        count("operators", 1);
        return SUCCESS;
    }
    return code ? code : fail(INVALID_USAGE, "no more than 8 operators");
}

API int ncclRedOpDestroy(int operation, struct communicator *communicator) {
    int code = called("ncclRedOpDestroy");
    int bad = bad_communicator(communicator);
    if (bad) return bad;
    int index = operation - OPERATIONS;
    if (index < 0 || index >= MOST_OPERATORS || !communicator->operators[index].used)
        return fail(INVALID_ARGUMENT, "op %d", operation);
    communicator->operators[index].used = false;
    count("operators", -1);
    return code;
}

API int ncclParamGetParameter(const char *key, const char **value, int *length) {
    int code = called("ncclParamGetParameter");
    if (!code && strcmp(key, "NCCL_IB_DISABLE")) code = fail(INVALID_ARGUMENT, "no parameter %s", key);
    if (code) return code;
    *value = "0";
    *length = 1;
    return SUCCESS;
}
