/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * nccl-allreduce LIBCUDA LIBNCCL: what a C program gets of NCCL with one rank, for comparison. It is asked by lines on standard input:
 *
 *   MODE KIND BYTES OPERATIONS
 *
 * MODE is blocking (NCCL's own default), bounded (each call is polled until it is through), or late (polled before the next one), as NcclMode of the
 * Java side; KIND is apart, in-place (an all-reduce of floats), or self (a group of a send and a receive). The answer to each is a line of
 * nanoseconds for one operation: until all were given to NCCL, until the stream was done, and by CUDA's events. At the end of the input it says how
 * many milliseconds a communicator takes to be made, and to be finalized and destroyed. No header of CUDA or NCCL is needed.
 */
#include "twin.h"

#include <string.h>

enum { FLOAT = 7, SUM = 0, IN_PROGRESS = 7, NOT_READY = 600 };

static const size_t MOST = (size_t)64 << 20;

/* ncclUniqueId goes by value. */
struct name {
    char bytes[128];
};

/* ncclConfig_t of NCCL 2.14: later libraries take it by its version. */
struct config {
    size_t size;
    unsigned magic, version;
    int blocking, unused;
};

static void *cuda, *nccl;

static int (*all_reduce)(const void *, void *, size_t, int, int, handle, handle);
static int (*send_to)(const void *, size_t, int, int, handle, handle);
static int (*receive_from)(void *, size_t, int, int, handle, handle);
static int (*group_start)(void), (*group_end)(void);
static int (*async_error)(handle, int *);
static int (*stream_query)(handle);

static handle stream, start, end;
static device_pointer send_at, receive_at;

static void settle(handle communicator) {
    int state;
    do require(async_error(communicator, &state), "ncclCommGetAsyncError");
    while (state == IN_PROGRESS);
    require(state, "what NCCL was given");
}

static void one(const char *kind, size_t bytes, handle communicator) {
    void *from = (void *)send_at, *to = (void *)receive_at;
    int result;
    if (strcmp(kind, "self") == 0) {
        group_start();
        send_to(from, bytes / sizeof(float), FLOAT, 0, communicator, stream);
        receive_from(to, bytes / sizeof(float), FLOAT, 0, communicator, stream);
        result = group_end();
    } else {
        result = all_reduce(strcmp(kind, "apart") == 0 ? from : to, to, bytes / sizeof(float), FLOAT, SUM, communicator, stream);
    }
    if (result != IN_PROGRESS) require(result, "an operation of NCCL");
}

static void answer(const char *mode, const char *kind, size_t bytes, long operations, handle communicator) {
    int bounded = strcmp(mode, "bounded") == 0, late = strcmp(mode, "late") == 0;
    CALL(cuda, "cuEventRecord", (handle, handle), start, stream);
    int64_t begin = now();
    for (long i = 0; i < operations; i++) {
        if (late) settle(communicator);
        one(kind, bytes, communicator);
        if (bounded) settle(communicator);
    }
    if (late) settle(communicator);
    int64_t given = now();
    CALL(cuda, "cuEventRecord", (handle, handle), end, stream);
    int state;
    while ((state = stream_query(stream)) == NOT_READY) {}
    require(state, "cuStreamQuery");
    int64_t done = now();
    float milliseconds;
    CALL(cuda, "cuEventSynchronize", (handle), end);
    CALL(cuda, "cuEventElapsedTime", (float *, handle, handle), &milliseconds, start, end);
    printf("%.1f %.1f %.1f\n", (double)(given - begin) / operations, (double)(done - begin) / operations, milliseconds * 1e6 / operations);
    fflush(stdout);
}

static handle communicator(int blocking) {
    struct name name;
    handle made = NULL;
    CALL(nccl, "ncclGetUniqueId", (struct name *), &name);
    struct config config = {sizeof config, 0xcafebeef, 21400, blocking, 0};
    int result = ((int (*)(handle *, int, struct name, int, struct config *))function(nccl, "ncclCommInitRankConfig"))(&made, 1, name, 0, &config);
    if (result != IN_PROGRESS) require(result, "ncclCommInitRankConfig");
    settle(made);
    return made;
}

int main(int count, char **arguments) {
    if (count != 3 || (cuda = dlopen(arguments[1], RTLD_NOW)) == NULL || (nccl = dlopen(arguments[2], RTLD_NOW)) == NULL) {
        fprintf(stderr, "usage: nccl-allreduce LIBCUDA LIBNCCL (%s)\n", count == 3 ? dlerror() : "two arguments");
        return 1;
    }
    all_reduce = function(nccl, "ncclAllReduce");
    send_to = function(nccl, "ncclSend");
    receive_from = function(nccl, "ncclRecv");
    group_start = function(nccl, "ncclGroupStart");
    group_end = function(nccl, "ncclGroupEnd");
    async_error = function(nccl, "ncclCommGetAsyncError");
    stream_query = function(cuda, "cuStreamQuery");
    int device;
    handle context;
    CALL(cuda, "cuInit", (unsigned), 0);
    CALL(cuda, "cuDeviceGet", (int *, int), &device, 0);
    CALL(cuda, "cuDevicePrimaryCtxRetain", (handle *, int), &context, device);
    CALL(cuda, "cuCtxSetCurrent", (handle), context);
    CALL(cuda, "cuMemAlloc_v2", (device_pointer *, size_t), &send_at, MOST);
    CALL(cuda, "cuMemAlloc_v2", (device_pointer *, size_t), &receive_at, MOST);
    CALL(cuda, "cuStreamCreateWithPriority", (handle *, unsigned, int), &stream, 1, 0);
    CALL(cuda, "cuEventCreate", (handle *, unsigned), &start, 0);
    CALL(cuda, "cuEventCreate", (handle *, unsigned), &end, 0);
    handle blocking = communicator(1), other = communicator(0);
    printf("ready\n");
    fflush(stdout);
    char mode[16], kind[16];
    size_t bytes;
    long operations;
    while (scanf("%15s %15s %zu %ld", mode, kind, &bytes, &operations) == 4 && bytes <= MOST && operations > 0)
        answer(mode, kind, bytes, operations, strcmp(mode, "blocking") == 0 ? blocking : other);
    /* The same once more, for its times: the first of a process loads kernels. */
    int64_t begin = now();
    handle last = communicator(1);
    int64_t made = now();
    CALL(nccl, "ncclCommFinalize", (handle), last);
    CALL(nccl, "ncclCommDestroy", (handle), last);
    printf("%.0f %.0f\n", (made - begin) / 1e6, (now() - made) / 1e6);
    CALL(nccl, "ncclCommAbort", (handle), blocking);
    CALL(nccl, "ncclCommAbort", (handle), other);
    return 0;
}
