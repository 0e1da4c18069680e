/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A test sets the library to simulate and the failures, and reads the calls. README.md explains the settings. A separate
 * program reads them from RDMA4J_NCCL_STANDIN=cuda=FILE,version=22703.
 */
#include "standin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings settings;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Objects that exist and were not given back. */
static struct {
    const char *name;
    long count;
} counters[] = {{"communicators", 0}, {"allocations", 0}, {"registrations", 0}, {"windows", 0}, {"operators", 0}};
#define COUNTERS (sizeof counters / sizeof *counters)
static char last_error[256];

extern void standin_abort_all(void);

static void defaults(void) {
    settings = (struct settings){.version = 23007, .async_rank = -1};
    forget_calls();
    last_error[0] = 0;
}

static int set(const char *key, const char *value) {
    int shared = set_shared(key, value);
    if (shared <= 0) return shared;
    long number = atol(value);
    if (!strcmp(key, "version")) settings.version = (int)number;
    else if (!strcmp(key, "async")) settings.async = (int)number;
    else if (!strcmp(key, "async-rank")) settings.async_rank = (int)number;
    else if (!strcmp(key, "polls")) settings.polls = number;
    else if (!strcmp(key, "finalize-all")) settings.finalize_all = (int)number;
    else if (!strcmp(key, "forget")) settings.forget = number;
    else if (!strcmp(key, "wrong")) settings.wrong = number;
    else if (!strcmp(key, "log") && strlen(value) < sizeof settings.log) strcpy(settings.log, value);
    else return -1;
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    defaults();
    set_from_environment("RDMA4J_NCCL_STANDIN", set);
}

/* Where NCCL_DEBUG_FILE says, if NCCL_DEBUG says so: what a test wants the library to have said. */
void write_log(void) {
    const char *level = getenv("NCCL_DEBUG"), *name = getenv("NCCL_DEBUG_FILE");
    if (!settings.log[0] || !level || strcmp(level, "INFO") || !name) return;
    FILE *from = fopen(settings.log, "r"), *to = fopen(name, "a");
    for (int c; from && to && (c = getc(from)) != EOF;) putc(c, to);
    if (from) fclose(from);
    if (to) fclose(to);
}

API void standin_nccl_reset(void) {
    standin_abort_all();
    pthread_mutex_lock(&mutex);
    defaults();
    for (size_t i = 0; i < COUNTERS; i++) counters[i].count = 0;
    pthread_mutex_unlock(&mutex);
}

API int standin_nccl_set(const char *key, const char *value) {
    pthread_mutex_lock(&mutex);
    int outcome = set(key, value);
    pthread_mutex_unlock(&mutex);
    return outcome;
}

/* A counter by its name; NULL if there is none. */
static long *find(const char *name) {
    for (size_t i = 0; i < COUNTERS; i++)
        if (!strcmp(counters[i].name, name)) return &counters[i].count;
    return NULL;
}

void count(const char *what, long more) {
    pthread_mutex_lock(&mutex);
    *find(what) += more;
    pthread_mutex_unlock(&mutex);
}

API long standin_nccl_get(const char *counter) {
    pthread_mutex_lock(&mutex);
    long *found = find(counter);
    long value = !strncmp(counter, "calls.", 6) ? calls_of(counter + 6)
                 : !strcmp(counter, "pending")  ? pending_failures()
                 : found                        ? *found
                                                : -1;
    pthread_mutex_unlock(&mutex);
    return value;
}

int called(const char *call) {
    pthread_mutex_lock(&mutex);
    int code = note_call(call);
    pthread_mutex_unlock(&mutex);
    return code ? fail(code, "%s was set to fail", call) : 0;
}

extern void group_failed(int code);

int fail(int code, const char *format, ...) {
    char text[sizeof last_error];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&mutex);
    strcpy(last_error, text);
    pthread_mutex_unlock(&mutex);
    group_failed(code);
    return code;
}

API const char *ncclGetLastError(struct communicator *communicator) {
    (void)communicator;
    return last_error;
}

API const char *ncclGetErrorString(int code) {
    static const char *const texts[] = {
        "no error", "unhandled cuda error", "unhandled system error", "internal error", "invalid argument",
        "invalid usage", "remote process exited or there was a network error", "NCCL operation in progress", "timeout"};
    return code >= 0 && code <= 8 ? texts[code] : "unknown result code";
}

API int ncclGetVersion(int *version) {
    *version = settings.version;
    return called("ncclGetVersion");
}

int bad_range(const void *base, uint64_t bytes) {
    if (bytes == 0) return 0;
    int (*get_range)(uint64_t *, size_t *, uint64_t) =
        (int (*)(uint64_t *, size_t *, uint64_t))cuda("cuMemGetAddressRange_v2");
    uint64_t start, from = (uint64_t)(uintptr_t)base;
    size_t length;
    if (get_range(&start, &length, from)) return fail(INVALID_ARGUMENT, "%p is not device memory", base);
    if (from < start || from + bytes > start + length)
        return fail(INVALID_ARGUMENT, "%lu bytes from %p leave their allocation", (unsigned long)bytes, base);
    return 0;
}
