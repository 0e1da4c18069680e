/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Device memory and events for other processes that use the stand-in: by a handle that says where to find the file behind them.
 */
#include "standin.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct exported {
    char magic[8];
    int pid, file, device;
    uint64_t offset, size;
};
_Static_assert(sizeof(struct exported) <= sizeof(CUipcMemHandle), "the handle has room");
_Static_assert(sizeof(struct exported) <= sizeof(CUipcEventHandle), "the handle has room");

static void write_handle(char *handle, struct exported exported) {
    memset(handle, 0, sizeof(CUipcMemHandle));
    memcpy(handle, &exported, sizeof exported);
}

/* The driver also refuses a handle in the process that made it. */
static CUresult read_handle(const char *handle, const char *magic, struct exported *exported) {
    memcpy(exported, handle, sizeof *exported);
    if (strncmp(exported->magic, magic, sizeof exported->magic) != 0)
        return CUDA_ERROR_INVALID_HANDLE;
    return exported->pid == getpid() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

static int open_file(const struct exported *exported) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", exported->pid, exported->file);
    return open(path, O_RDWR | O_CLOEXEC);
}

CUresult cuIpcGetMemHandle(CUipcMemHandle *handle, CUdeviceptr pointer) {
    CALL(cuIpcGetMemHandle);
    CURRENT(context);
    LOCKED;
    const struct range *range = standin_find(pointer);
    if (handle == NULL || range == NULL || range->memory != DEVICE_MEMORY)
        return CUDA_ERROR_INVALID_VALUE;
    write_handle(handle->reserved, (struct exported){.magic = "memory",
                                                     .pid = getpid(),
                                                     .file = standin_backing_file(range->device),
                                                     .device = range->device,
                                                     .offset = range->offset,
                                                     .size = range->size});
    return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pointer, CUipcMemHandle handle, unsigned int flags) {
    CALL(cuIpcOpenMemHandle_v2);
    CURRENT(context);
    struct exported exported;
    if (pointer == NULL || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = read_handle(handle.reserved, "memory", &exported);
    if (result != CUDA_SUCCESS)
        return result;
    if (exported.device != context->device && !standin_settings.peers)
        return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
    LOCKED;
    for (struct range *r = standin_range_after(NULL); r != NULL; r = standin_range_after(r))
        if (r->memory == IPC_MEMORY && r->context == context && memcmp(&r->ipc, &handle, sizeof handle) == 0) {
            r->opened++;
            *pointer = r->base;
            return CUDA_SUCCESS;
        }
    /* Memory of one device and process is opened by one context of each device. */
    for (struct range *r = standin_range_after(NULL); r != NULL; r = standin_range_after(r)) {
        const struct exported *other = (const struct exported *)r->ipc.reserved;
        if (r->memory == IPC_MEMORY && r->context != context && r->context->device == context->device &&
            other->pid == exported.pid && other->device == exported.device)
            return CUDA_ERROR_INVALID_CONTEXT;
    }
    int file = open_file(&exported);
    if (file < 0)
        return CUDA_ERROR_MAP_FAILED;
    size_t before = exported.offset % PAGE, length = (before + exported.size + PAGE - 1) & ~(PAGE - 1);
    char *memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(exported.offset - before));
    close(file);
    if (memory == MAP_FAILED)
        return CUDA_ERROR_MAP_FAILED;
    struct range *range = standin_range_add((CUdeviceptr)(uintptr_t)(memory + before), exported.size, length, IPC_MEMORY);
    range->device = context->device;
    range->context = context;
    range->ipc = handle;
    range->opened = 1;
    *pointer = range->base;
    return CUDA_SUCCESS;
}

CUresult cuIpcCloseMemHandle(CUdeviceptr pointer) {
    CALL(cuIpcCloseMemHandle);
    CURRENT(context);
    LOCKED;
    struct range *range = standin_find(pointer);
    if (range == NULL || range->base != pointer || range->memory != IPC_MEMORY)
        return CUDA_ERROR_INVALID_VALUE;
    if (--range->opened == 0)
        standin_free(range);
    return CUDA_SUCCESS;
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *handle, CUevent event) {
    CALL(cuIpcGetEventHandle);
    LOCKED;
    if (handle == NULL || !standin_is(EVENT, event) || (event->flags & CU_EVENT_INTERPROCESS) == 0)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!standin_device_attribute(event->context->device, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED))
        return CUDA_ERROR_NOT_SUPPORTED;
    write_handle(handle->reserved, (struct exported){.magic = "event", .pid = getpid(), .file = event->file, .device = event->context->device});
    return CUDA_SUCCESS;
}

CUresult cuIpcOpenEventHandle(CUevent *result, CUipcEventHandle handle) {
    CALL(cuIpcOpenEventHandle);
    CURRENT(context);
    struct exported exported;
    if (result == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (!standin_device_attribute(context->device, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED))
        return CUDA_ERROR_NOT_SUPPORTED;
    CUresult read = read_handle(handle.reserved, "event", &exported);
    if (read != CUDA_SUCCESS)
        return read;
    if (exported.device != context->device)
        return CUDA_ERROR_INVALID_DEVICE;
    int file = open_file(&exported);
    LOCKED;
    *result = file < 0 ? NULL : standin_event(context, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS, file);
    return *result == NULL ? CUDA_ERROR_MAP_FAILED : CUDA_SUCCESS;
}
