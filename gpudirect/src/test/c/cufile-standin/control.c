/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A test sets the machine to simulate and the failures, and reads the calls. README.md explains the settings. A separate
 * program reads them from RDMA4J_CUFILE_STANDIN=cuda=FILE,module=0.
 */
#include "standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings settings;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

extern long standin_files(void), standin_buffers(void), standin_opened(void);
extern void standin_forget(void);
static long streams, batches;

static void defaults(void) {
    settings = (struct settings){.module = 220, .supported = 1 << 4, .compat = 1};
    forget_calls();
}

API void standin_cufile_reset(void) {
    pthread_mutex_lock(&mutex);
    defaults();
    standin_forget();
    streams = batches = 0;
    pthread_mutex_unlock(&mutex);
}

static int set(const char *key, const char *value) {
    int shared = set_shared(key, value);
    if (shared <= 0) return shared;
    long number = atol(value);
    if (!strcmp(key, "open")) settings.open = (int)number;
    else if (!strcmp(key, "module")) settings.module = (int)number;
    else if (!strcmp(key, "supported")) settings.supported = (int)number;
    else if (!strcmp(key, "compat")) settings.compat = (int)number;
    else if (!strcmp(key, "odirect")) settings.odirect = (int)number;
    else if (!strcmp(key, "forget")) settings.forget = (int)number;
    else if (!strcmp(key, "short")) settings.short_io = number;
    else if (!strcmp(key, "block")) snprintf(settings.blocked, sizeof settings.blocked, "%s", value);
    else return -1;
    return 0;
}

__attribute__((constructor)) static void begin(void) {
    defaults();
    set_from_environment("RDMA4J_CUFILE_STANDIN", set);
}

API int standin_cufile_set(const char *key, const char *value) {
    pthread_mutex_lock(&mutex);
    int outcome = set(key, value);
    pthread_mutex_unlock(&mutex);
    return outcome;
}

static long get(const char *counter) {
    if (!strncmp(counter, "calls.", 6)) return calls_of(counter + 6);
    if (!strcmp(counter, "pending")) return pending_failures();
    if (!strcmp(counter, "handles")) return standin_files();
    if (!strcmp(counter, "buffers")) return standin_buffers();
    if (!strcmp(counter, "opened")) return standin_opened();
    if (!strcmp(counter, "streams")) return streams;
    if (!strcmp(counter, "batches")) return batches;
    return -1;
}

API long standin_cufile_get(const char *counter) {
    pthread_mutex_lock(&mutex);
    long value = get(counter);
    pthread_mutex_unlock(&mutex);
    return value;
}

int called(const char *call) {
    pthread_mutex_lock(&mutex);
    int code = note_call(call);
    while (!strcmp(settings.blocked, call)) {
        pthread_mutex_unlock(&mutex);
        usleep(500);
        pthread_mutex_lock(&mutex);
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

void count_streams(int more) {
    pthread_mutex_lock(&mutex);
    streams += more;
    pthread_mutex_unlock(&mutex);
}

void count_batches(int more) {
    pthread_mutex_lock(&mutex);
    batches += more;
    pthread_mutex_unlock(&mutex);
}

result ok(void) { return (result){0, 0}; }

result failed(int code) { return (result){code, 0}; }
