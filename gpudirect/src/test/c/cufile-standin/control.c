/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How a test tells the stand-in what machine to be and what to fail at, and what was called. README.md says what the
 * settings mean.
 */
#include "standin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 64
#define RULES 16

struct settings settings;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static struct {
    char name[48];
    long count;
} calls[CALLS];
static struct {
    char call[48];
    long countdown;
    bool from_then_on;
    int code;
} rules[RULES];
static void *cuda_library;

extern long standin_files(void), standin_buffers(void), standin_opened(void);
extern void standin_forget(void);
static long streams, batches;

static void defaults(void) {
    settings = (struct settings){.module = 220, .supported = 1 << 4, .compat = 1};
    memset(rules, 0, sizeof rules);
    memset(calls, 0, sizeof calls);
}

__attribute__((constructor)) static void begin(void) { defaults(); }

API void standin_cufile_reset(void) {
    pthread_mutex_lock(&mutex);
    defaults();
    standin_forget();
    streams = batches = 0;
    pthread_mutex_unlock(&mutex);
}

static int add_rule(const char *value) {
    for (int i = 0; i < RULES; i++) {
        if (rules[i].call[0]) continue;
        char plus = 0;
        if (sscanf(value, "%47[^:]:%ld+:%d", rules[i].call, &rules[i].countdown, &rules[i].code) == 3) {
            plus = 1;
        } else if (sscanf(value, "%47[^:]:%ld:%d", rules[i].call, &rules[i].countdown, &rules[i].code) != 3) {
            rules[i].call[0] = 0;
            return -1;
        }
        rules[i].from_then_on = plus;
        return 0;
    }
    return -1;
}

static int set(const char *key, const char *value) {
    if (!strcmp(key, "cuda")) {
        cuda_library = dlopen(value, RTLD_NOW);
        return cuda_library ? 0 : -1;
    }
    if (!strcmp(key, "fail")) return add_rule(value);
    if (!strcmp(key, "no-failures")) {
        memset(rules, 0, sizeof rules);
        return 0;
    }
    long number = atol(value);
    if (!strcmp(key, "open")) settings.open = (int)number;
    else if (!strcmp(key, "module")) settings.module = (int)number;
    else if (!strcmp(key, "supported")) settings.supported = (int)number;
    else if (!strcmp(key, "compat")) settings.compat = (int)number;
    else if (!strcmp(key, "odirect")) settings.odirect = (int)number;
    else if (!strcmp(key, "forget")) settings.forget = (int)number;
    else if (!strcmp(key, "short")) settings.short_io = number;
    else if (!strcmp(key, "delay-us")) settings.delay_us = number;
    else return -1;
    return 0;
}

API int standin_cufile_set(const char *key, const char *value) {
    pthread_mutex_lock(&mutex);
    int outcome = set(key, value);
    pthread_mutex_unlock(&mutex);
    return outcome;
}

static long get(const char *counter) {
    if (!strncmp(counter, "calls.", 6)) {
        for (int i = 0; i < CALLS; i++)
            if (!strcmp(calls[i].name, counter + 6)) return calls[i].count;
        return 0;
    }
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

static int called_locked(const char *call) {
    for (int i = 0; i < CALLS; i++) {
        if (!calls[i].name[0]) strncpy(calls[i].name, call, sizeof calls[i].name - 1);
        if (!strcmp(calls[i].name, call)) {
            calls[i].count++;
            break;
        }
    }
    for (int i = 0; i < RULES; i++) {
        if (strcmp(rules[i].call, call) || rules[i].countdown == 0) continue;
        if (rules[i].countdown > 1) rules[i].countdown--;
        else {
            if (!rules[i].from_then_on) rules[i].countdown = 0;
            return rules[i].code;
        }
    }
    return 0;
}

int called(const char *call) {
    pthread_mutex_lock(&mutex);
    int code = called_locked(call);
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

void *cuda(const char *symbol) {
    void *function = cuda_library ? dlsym(cuda_library, symbol) : NULL;
    if (!function) {
        fprintf(stderr, "the stand-in for libcufile finds no %s: set cuda=FILE\n", symbol);
        abort();
    }
    return function;
}

result ok(void) { return (result){0, 0}; }

result failed(int code) { return (result){code, 0}; }
