/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * copy-bandwidth LIBRARY BYTES ROUNDS: what a C program gets of pinned copies, for comparison. Prints the best bandwidth of ROUNDS, in GB/s by CUDA's
 * own events: host to device, then device to host. LIBRARY is libcuda.so.1 or another one like it; no header of CUDA is needed.
 */
#include "twin.h"

static void *library;

static handle stream, start, end;

static double seconds(void) {
    float milliseconds;
    CALL(library, "cuEventSynchronize", (handle), end);
    CALL(library, "cuEventElapsedTime", (float *, handle, handle), &milliseconds, start, end);
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
    CALL(library, "cuInit", (unsigned), 0);
    CALL(library, "cuDeviceGet", (int *, int), &device, 0);
    CALL(library, "cuDevicePrimaryCtxRetain", (handle *, int), &context, device);
    CALL(library, "cuCtxSetCurrent", (handle), context);
    CALL(library, "cuMemAlloc_v2", (device_pointer *, size_t), &memory, bytes);
    /* Portable and mapped, as the Java side has it. */
    CALL(library, "cuMemHostAlloc", (void **, size_t, unsigned), &host, bytes, 3);
    CALL(library, "cuStreamCreateWithPriority", (handle *, unsigned, int), &stream, 1, 0);
    CALL(library, "cuEventCreate", (handle *, unsigned), &start, 0);
    CALL(library, "cuEventCreate", (handle *, unsigned), &end, 0);
    double to_device = 0, to_host = 0;
    for (int i = 0; i < rounds; i++) {
        CALL(library, "cuEventRecord", (handle, handle), start, stream);
        CALL(library, "cuMemcpyHtoDAsync_v2", (device_pointer, void *, size_t, handle), memory, host, bytes, stream);
        CALL(library, "cuEventRecord", (handle, handle), end, stream);
        double rate = bytes / seconds() / 1e9;
        to_device = rate > to_device ? rate : to_device;
        CALL(library, "cuEventRecord", (handle, handle), start, stream);
        CALL(library, "cuMemcpyDtoHAsync_v2", (void *, device_pointer, size_t, handle), host, memory, bytes, stream);
        CALL(library, "cuEventRecord", (handle, handle), end, stream);
        rate = bytes / seconds() / 1e9;
        to_host = rate > to_host ? rate : to_host;
    }
    printf("%.3f %.3f\n", to_device, to_host);
    return 0;
}
