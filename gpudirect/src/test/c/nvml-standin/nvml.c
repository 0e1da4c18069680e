/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Four functions of NVML, for one GPU. The text of their binary interface is ours; README.md has the settings.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

#define API __attribute__((visibility("default")))

enum { UNINITIALIZED = 1, INVALID_ARGUMENT = 2, NOT_FOUND = 6 };

struct window {
    unsigned long long total, free, used;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char gpu[32];
static struct window window;
/* Initialised once in a process, and a reset does not take it back: a program opens the library once. */
static int initialised;

API void standin_nvml_reset(void) {
    pthread_mutex_lock(&mutex);
    forget_calls();
    gpu[0] = 0;
    window = (struct window){0, 0, 0};
    pthread_mutex_unlock(&mutex);
}

static int set(const char *key, const char *value) {
    int shared = set_shared(key, value);
    if (shared <= 0) return shared;
    if (!strcmp(key, "gpu")) snprintf(gpu, sizeof gpu, "%s", value);
    else if (!strcmp(key, "total")) window.total = strtoull(value, NULL, 10);
    else if (!strcmp(key, "used")) window.used = strtoull(value, NULL, 10);
    else return -1;
    window.free = window.total - window.used;
    return 0;
}

API int standin_nvml_set(const char *key, const char *value) {
    pthread_mutex_lock(&mutex);
    int outcome = set(key, value);
    pthread_mutex_unlock(&mutex);
    return outcome;
}

API long standin_nvml_get(const char *counter) {
    pthread_mutex_lock(&mutex);
    long value = strncmp(counter, "calls.", 6) ? -1 : calls_of(counter + 6);
    pthread_mutex_unlock(&mutex);
    return value;
}

API int nvmlInit_v2(void) {
    pthread_mutex_lock(&mutex);
    int code = note_call("nvmlInit_v2");
    if (!code) initialised = 1;
    pthread_mutex_unlock(&mutex);
    return code;
}

API int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device) {
    pthread_mutex_lock(&mutex);
    int code = note_call("nvmlDeviceGetHandleByPciBusId_v2");
    if (!code && !initialised) code = UNINITIALIZED;
    if (!code && strcmp(address, gpu)) code = NOT_FOUND;
    if (!code) *device = &window;
    pthread_mutex_unlock(&mutex);
    return code;
}

API int nvmlDeviceGetBAR1MemoryInfo(void *device, struct window *answer) {
    pthread_mutex_lock(&mutex);
    int code = note_call("nvmlDeviceGetBAR1MemoryInfo");
    if (!code && (device != &window || !answer)) code = INVALID_ARGUMENT;
    if (!code) *answer = window;
    pthread_mutex_unlock(&mutex);
    return code;
}

API const char *nvmlErrorString(int code) {
    switch (code) {
        case 3: return "Not Supported";
        case NOT_FOUND: return "Not Found";
        case 18: return "Driver/library version mismatch";
        default: return "Unknown Error";
    }
}
