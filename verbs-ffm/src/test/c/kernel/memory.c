// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What an adapter reaches by keys: copies between it and regions. Memory of a GPU, which this processor does not reach, is
// copied by libcuda in the context that it belongs to: what nvidia_peermem lets a real adapter do itself. libcuda is asked
// only if the program has opened it: libcuda.so.1, or the library that SETTING("CUDA") names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transfer.h"

// By cuda.h.
enum { CONTEXT_OF = 1, MEMORY_TYPE = 2, IS_MANAGED = 8, ON_DEVICE = 2 };

static struct {
    int (*ask)(void *answer, int attribute, uint64_t address);
    int (*current)(void **context);
    int (*enter)(void *context);
    int (*to_device)(uint64_t to, const void *from, size_t length);
    int (*from_device)(void *to, uint64_t from, size_t length);
    int (*await)(void *stream);
} cuda;

static bool has_cuda(void) {
    const char *name = getenv(SETTING("CUDA"));
    void *library = cuda.await ? NULL : dlopen(name ? name : "libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (library) {
        cuda.ask = (__typeof__(cuda.ask))dlsym(library, "cuPointerGetAttribute");
        cuda.current = (__typeof__(cuda.current))dlsym(library, "cuCtxGetCurrent");
        cuda.enter = (__typeof__(cuda.enter))dlsym(library, "cuCtxSetCurrent");
        cuda.to_device = (__typeof__(cuda.to_device))dlsym(library, "cuMemcpyHtoD_v2");
        cuda.from_device = (__typeof__(cuda.from_device))dlsym(library, "cuMemcpyDtoH_v2");
        cuda.await = (__typeof__(cuda.await))dlsym(library, "cuStreamSynchronize");
    }
    return cuda.await;
}

void find_device_memory(struct object *region) {
    uint32_t type = 0, managed = 0;
    uint64_t address = (uint64_t)(uintptr_t)region->buffer;
    // What is not CUDA's memory has no type.
    if (!has_cuda() || cuda.ask(&type, MEMORY_TYPE, address) != 0 || type != ON_DEVICE ||
        (cuda.ask(&managed, IS_MANAGED, address) == 0 && managed)) {
        return;
    }
    region->is_on_device = true;
    // Mapped memory (cuMemMap) belongs to no context; the registering thread has a current one.
    if (cuda.ask(&region->device_context, CONTEXT_OF, address) != 0 || !region->device_context) {
        cuda.current(&region->device_context);
    }
}

// A copy from pageable memory may be still on its way when it returns: the default stream is waited for. Streams that do not
// wait for that one go on, and may wait for us.
static bool copy_by_cuda(const struct object *region, uint64_t address, uint8_t *bytes, uint64_t length, bool into_region) {
    int error = cuda.enter(region->device_context);
    if (error == 0) {
        error = into_region ? cuda.to_device(address, bytes, length) : cuda.from_device(bytes, address, length);
        error = error ? error : cuda.await(NULL);
        cuda.enter(NULL);
    }
    if (error != 0) {
        fprintf(stderr, "stand-in: libcuda copies %lu bytes at 0x%lx with error %d\n", length, address, error);
    }
    return error == 0;
}

static bool copy(const struct object *region, uint64_t address, uint8_t *bytes, uint64_t length, bool into_region) {
    uint8_t *memory = region->buffer + (address - region->address);
    if (length == 0) {
        return true;
    }
    if (region->is_on_device) {
        return copy_by_cuda(region, (uint64_t)(uintptr_t)memory, bytes, length, into_region);
    }
    memcpy(into_region ? memory : bytes, into_region ? bytes : memory, length);
    return true;
}

bool read_region(const struct object *region, uint64_t address, uint8_t *bytes, uint64_t length) {
    return copy(region, address, bytes, length, false);
}

bool write_region(const struct object *region, uint64_t address, const uint8_t *bytes, uint64_t length) {
    return copy(region, address, (uint8_t *)bytes, length, true);
}

const struct object *reach(int context, uint32_t key, uint64_t address, uint64_t length, uint32_t access) {
    for (int i = 1; i < MAX_OBJECTS; i++) {
        const struct object *region = &objects[i];
        if (region->kind == REGION && region->context == context && region->number == key &&
            (region->access & access) == access && address >= region->address &&
            address + length <= region->address + region->length) {
            return region;
        }
    }
    return NULL;
}

bool move(int context, struct message *message, uint8_t *bytes, uint64_t length, bool into_pieces) {
    if (message->is_inline) {
        memcpy(bytes, message->data, length);
        return true;
    }
    for (int i = 0; i < message->count && length > 0; i++) {
        struct piece *piece = &message->pieces[i];
        uint64_t part = piece->length < length ? piece->length : length;
        const struct object *region =
            reach(context, piece->key, piece->address, part, into_pieces ? ACCESS_LOCAL_WRITE : 0);
        if (!region || !(into_pieces ? write_region(region, piece->address, bytes, part)
                                     : read_region(region, piece->address, bytes, part))) {
            return false;
        }
        bytes += part;
        length -= part;
    }
    return length == 0;
}
