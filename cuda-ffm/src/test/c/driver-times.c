/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * driver-times LIBRARY KERNELS CALLS: what the calls that EvidenceTimes makes from Java take from C. LIBRARY is libcuda.so.1 or another one like it,
 * KERNELS is kernels.ptx, CALLS how often each is made. Prints a line for each: a name, and nanoseconds. No header of CUDA is needed.
 */
#define _GNU_SOURCE
#include "twin.h"

#include <pthread.h>
#include <stdbool.h>

enum { BATCHES = 20, ASKED = 1, ANSWERED = 2 };

/* CUstreamBatchMemOpParams: an operation writes a word (2) or waits until it is equal to a value (1). */
union operation {
    struct {
        int type;
        device_pointer address;
        uint32_t value;
        unsigned flags;
    } word;
    uint64_t size[6];
};

#define FUNCTIONS(f)                                                                                                              \
    f(cuInit, (unsigned))                                                                                                         \
    f(cuDeviceGet, (int *, int))                                                                                                  \
    f(cuDevicePrimaryCtxRetain, (handle *, int))                                                                                  \
    f(cuCtxSetCurrent, (handle))                                                                                                  \
    f(cuMemAlloc_v2, (device_pointer *, size_t))                                                                                  \
    f(cuMemHostAlloc, (void **, size_t, unsigned))                                                                                \
    f(cuMemHostGetDevicePointer_v2, (device_pointer *, void *, unsigned))                                                         \
    f(cuStreamCreateWithPriority, (handle *, unsigned, int))                                                                      \
    f(cuStreamDestroy_v2, (handle))                                                                                               \
    f(cuStreamSynchronize, (handle))                                                                                              \
    f(cuEventCreate, (handle *, unsigned))                                                                                        \
    f(cuEventRecord, (handle, handle))                                                                                            \
    f(cuEventSynchronize, (handle))                                                                                               \
    f(cuMemcpyHtoDAsync_v2, (device_pointer, void *, size_t, handle))                                                             \
    f(cuModuleLoadDataEx, (handle *, const void *, unsigned, void *, void *))                                                     \
    f(cuModuleGetFunction, (handle *, handle, const char *))                                                                      \
    f(cuLaunchKernel, (handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, handle, void **, void **))   \
    f(cuStreamBatchMemOp_v2, (handle, unsigned, union operation *, unsigned))                                                     \
    f(cuStreamBeginCapture_v2, (handle, int))                                                                                     \
    f(cuStreamEndCapture, (handle, handle *))                                                                                     \
    f(cuGraphInstantiateWithFlags, (handle *, handle, unsigned long long))                                                        \
    f(cuGraphLaunch, (handle, handle))

#define DECLARE(name, types) static int(*name) types;
FUNCTIONS(DECLARE)

/* They are looked up once: a search would be a part of what is measured. */
#define DO(name, ...) require(name(__VA_ARGS__), #name)

static handle stream, event, kernel, graph;
static device_pointer memory, words_on_device;
static volatile uint32_t *words;
static union operation write_one, ask[2];

static void wait_for_stream(void) { DO(cuStreamSynchronize, stream); }

static void record_an_event(void) {
    DO(cuEventRecord, event, stream);
    DO(cuEventSynchronize, event);
}

static void make_a_stream(void) {
    handle other;
    DO(cuStreamCreateWithPriority, &other, 1, 0);
    DO(cuStreamDestroy_v2, other);
}

static void write_a_value(void) {
    DO(cuStreamBatchMemOp_v2, stream, 1, &write_one, 0);
    wait_for_stream();
}

static void launch_a_graph(void) {
    DO(cuGraphLaunch, graph, stream);
    wait_for_stream();
}

static void launch(void) {
    uint32_t elements = 1;
    void *arguments[] = {&memory, &elements};
    DO(cuLaunchKernel, kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, NULL);
}

static void launch_and_wait(void) {
    launch();
    wait_for_stream();
}

static void copy(void) { DO(cuMemcpyHtoDAsync_v2, memory, (void *)words, 8, stream); }

static void copy_and_wait(void) {
    copy();
    wait_for_stream();
}

static void ask_a_thread(void) { DO(cuStreamBatchMemOp_v2, stream, 2, ask, 0); }

static int compare(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

static void print_median(const char *name, void (*call)(void), int calls) {
    int64_t *times = calloc(calls, sizeof *times);
    for (int turn = 0; turn < 2; turn++) { /* the first warms up */
        for (int i = 0; i < calls; i++) {
            int64_t start = now();
            call();
            times[i] = now() - start;
        }
    }
    qsort(times, calls, sizeof *times, compare);
    printf("%s %lld\n", name, (long long)times[calls / 2]);
    free(times);
}

/* In lots that the stream's queue holds, so that a call never waits for the GPU. */
static void print_mean_of_lots(const char *name, void (*call)(void), int calls) {
    enum { LOT = 100 };
    int64_t best = INT64_MAX;
    for (int i = 0; i < calls / LOT; i++) {
        int64_t start = now();
        for (int j = 0; j < LOT; j++)
            call();
        int64_t time = (now() - start) / LOT;
        wait_for_stream();
        best = time < best ? time : best;
    }
    printf("%s %lld\n", name, (long long)best);
}

static volatile bool over;

static void *answer(void *unused) {
    while (!over) {
        if (__atomic_load_n(words, __ATOMIC_ACQUIRE) == ASKED)
            __atomic_store_n(words, ANSWERED, __ATOMIC_RELEASE);
    }
    return unused;
}

static void print_answers(int calls) {
    pthread_t thread;
    require(pthread_create(&thread, NULL, answer, NULL), "pthread_create");
    int64_t start = 0;
    for (int turn = 0; turn < 2; turn++) {
        start = now();
        for (int i = 0; i < calls; i++)
            ask_a_thread();
        wait_for_stream();
    }
    printf("answer %lld\n", (long long)((now() - start) / calls));
    over = true;
    pthread_join(thread, NULL);
}

static const char *contents(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    if (file == NULL || fread(text, 1, sizeof text - 1, file) == 0) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

static union operation operation_on_word(int type, uint32_t value, unsigned flags) {
    return (union operation){.word = {.type = type, .address = words_on_device, .value = value, .flags = flags}};
}

int main(int count, char **arguments) {
    void *library = count == 4 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "usage: driver-times LIBRARY KERNELS CALLS (%s)\n", count == 4 ? dlerror() : "three arguments");
        return 1;
    }
#define LOOK_UP(name, types) name = (int(*) types)function(library, #name);
    FUNCTIONS(LOOK_UP)
    int calls = atoi(arguments[3]), device;
    handle context, module, captured;
    DO(cuInit, 0);
    DO(cuDeviceGet, &device, 0);
    DO(cuDevicePrimaryCtxRetain, &context, device);
    DO(cuCtxSetCurrent, context);
    DO(cuMemAlloc_v2, &memory, 64);
    DO(cuMemHostAlloc, (void **)&words, 64, 3);
    DO(cuMemHostGetDevicePointer_v2, &words_on_device, (void *)words, 0);
    words[0] = 0;
    DO(cuStreamCreateWithPriority, &stream, 1, 0);
    DO(cuEventCreate, &event, 2); /* DISABLE_TIMING, as Java's default */
    DO(cuModuleLoadDataEx, &module, contents(arguments[2]), 0, NULL, NULL);
    DO(cuModuleGetFunction, &kernel, module, "increment");
    write_one = operation_on_word(2, 1, 0);
    ask[0] = operation_on_word(2, ASKED, 0);
    ask[1] = operation_on_word(1, ANSWERED, 1);
    DO(cuStreamBeginCapture_v2, stream, 1);
    for (int i = 0; i < BATCHES; i++)
        DO(cuStreamBatchMemOp_v2, stream, 1, &write_one, 0);
    DO(cuStreamEndCapture, stream, &captured);
    DO(cuGraphInstantiateWithFlags, &graph, captured, 0);
    print_median("event", record_an_event, calls);
    print_median("stream", make_a_stream, calls);
    print_median("batch", write_a_value, calls);
    print_median("graph", launch_a_graph, calls);
    print_median("launch-wait", launch_and_wait, calls);
    print_median("copy-wait", copy_and_wait, calls);
    print_mean_of_lots("launch", launch, calls);
    print_mean_of_lots("copy", copy, calls);
    print_answers(calls);
    return 0;
}
