/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * copy-bandwidth LIBRARY BYTES ROUNDS: what a C program gets of pinned copies, for comparison. Prints the best bandwidth of ROUNDS, in GB/s by CUDA's
 * own events: host to device, then device to host. LIBRARY is libcuda.so.1 or another one like it; no header of CUDA is needed.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint64_t device_pointer;
typedef void *handle;

static void *library;

static void *function(const char *name) {
    void *found = dlsym(library, name);
    if (found == NULL) {
        fprintf(stderr, "the library has no %s\n", name);
        exit(1);
    }
    return found;
}

static void require(int result, const char *call) {
    if (result != 0) {
        fprintf(stderr, "%s failed: %d\n", call, result);
        exit(1);
    }
}

/* Calls a function of the driver, whose types are those of its arguments. */
#define CALL(name, types, ...) require(((int(*) types)function(name))(__VA_ARGS__), name)

static handle stream, start, end;

static double seconds(void) {
    float milliseconds;
    CALL("cuEventSynchronize", (handle), end);
    CALL("cuEventElapsedTime", (float *, handle, handle), &milliseconds, start, end);
    return milliseconds / 1000;
}

int main(int count, char **arguments) {
    if (count != 4 || (library = dlopen(arguments[1], RTLD_NOW)) == NULL) {
        fprintf(stderr, "usage: copy-bandwidth LIBRARY BYTES ROUNDS (%s)\n", count == 4 ? dlerror() : "three arguments");
        return 1;
    }
    size_t bytes = strtoull(arguments[2], NULL, 10);
    int rounds = atoi(arguments[3]), device;
    handle context;
    device_pointer memory;
    void *host;
    CALL("cuInit", (unsigned), 0);
    CALL("cuDeviceGet", (int *, int), &device, 0);
    CALL("cuDevicePrimaryCtxRetain", (handle *, int), &context, device);
    CALL("cuCtxSetCurrent", (handle), context);
    CALL("cuMemAlloc_v2", (device_pointer *, size_t), &memory, bytes);
    /* Portable and mapped, as the Java side has it. */
    CALL("cuMemHostAlloc", (void **, size_t, unsigned), &host, bytes, 3);
    CALL("cuStreamCreateWithPriority", (handle *, unsigned, int), &stream, 1, 0);
    CALL("cuEventCreate", (handle *, unsigned), &start, 0);
    CALL("cuEventCreate", (handle *, unsigned), &end, 0);
    double to_device = 0, to_host = 0;
    for (int i = 0; i < rounds; i++) {
        CALL("cuEventRecord", (handle, handle), start, stream);
        CALL("cuMemcpyHtoDAsync_v2", (device_pointer, void *, size_t, handle), memory, host, bytes, stream);
        CALL("cuEventRecord", (handle, handle), end, stream);
        double rate = bytes / seconds() / 1e9;
        to_device = rate > to_device ? rate : to_device;
        CALL("cuEventRecord", (handle, handle), start, stream);
        CALL("cuMemcpyDtoHAsync_v2", (void *, device_pointer, size_t, handle), host, memory, bytes, stream);
        CALL("cuEventRecord", (handle, handle), end, stream);
        rate = bytes / seconds() / 1e9;
        to_host = rate > to_host ? rate : to_host;
    }
    printf("%.3f %.3f\n", to_device, to_host);
    return 0;
}
