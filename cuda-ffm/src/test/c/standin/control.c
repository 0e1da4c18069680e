/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A test sets the machine to simulate and the failures with standin_set, standin_get and standin_reset. The environment
 * variable RDMA4J_STANDIN has the settings that hold from the start. README.md beside this file explains them.
 */
#include "standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RULES 32

struct settings standin_settings;
struct counters standin_counters;

static const char *const NAMES[FN_COUNT] = {
#define F(name, since, symbol) [FN_##symbol] = #name,
#include "functions.def"
#undef F
};

static atomic_long calls_of[FN_COUNT];
static bool missing[FN_COUNT];
static struct {
    bool set;
    int value;
} attributes[MAX_DEVICES][MAX_ATTRIBUTE];

/* A function that is to fail at its n-th call from now on: when called, or when its turn comes in the stream. */
static struct rule {
    enum function function;
    bool any, in_stream, from_then_on;
    bool second; /* counts from the first failure on, of this library or of one that works on it */
    long countdown;
    CUresult code;
} rules[RULES];
static int rule_count;
static atomic_bool armed, failed;
/* One more than the function that does not go on; 0 for none. */
static atomic_int blocked;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t progress = PTHREAD_COND_INITIALIZER;
static pthread_once_t from_environment = PTHREAD_ONCE_INIT;

void standin_lock(void) { pthread_mutex_lock(&mutex); }

void standin_unlock(void *unused) {
    (void)unused;
    pthread_mutex_unlock(&mutex);
}

void standin_wait(void) { pthread_cond_wait(&progress, &mutex); }

void standin_wait_briefly(void) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += 500000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    pthread_cond_timedwait(&progress, &mutex, &end);
}

void standin_sleep(pthread_cond_t *condition) { pthread_cond_wait(condition, &mutex); }

void standin_progress(void) { pthread_cond_broadcast(&progress); }

const char *standin_function_name(enum function function) { return NAMES[function]; }

static void defaults(void) {
    standin_settings = (struct settings){.devices = 1,
                                         .driver_version = 13000,
                                         .memory = (size_t)4 << 30,
                                         .peer_memory = true,
                                         .peers = true,
                                         .dmabuf = DMABUF_AUTO,
                                         .capability = 90};
    memset(attributes, 0, sizeof attributes);
    memset(missing, 0, sizeof missing);
    rule_count = 0;
    atomic_store(&armed, false);
    atomic_store(&failed, false);
}

/* Those that ask the library and not the driver: they answer also when that is not initialised, or has gone. */
static bool needs_no_driver(enum function function) {
    switch (function) {
    case FN_cuInit:
    case FN_cuDriverGetVersion:
    case FN_cuGetErrorName:
    case FN_cuGetErrorString:
    case FN_cuGetProcAddress:
    case FN_cuGetProcAddress_v2: return true;
    default: return false;
    }
}

static bool is_meant(const struct rule *rule, enum function function) {
    return rule->any ? !needs_no_driver(function) : strcmp(NAMES[rule->function], NAMES[function]) == 0;
}

static CUresult matching_rule(enum function function, bool in_stream) {
    CUresult result = CUDA_SUCCESS;
    LOCKED;
    bool had_failed = atomic_load(&failed);
    for (int i = 0; i < rule_count; i++) {
        struct rule *rule = &rules[i];
        if (rule->in_stream != in_stream || !is_meant(rule, function) || (rule->second && !had_failed))
            continue;
        if (rule->countdown > 0)
            rule->countdown--;
        if (rule->countdown == 0 && result == CUDA_SUCCESS) {
            result = rule->code;
            atomic_store(&failed, true);
            if (!rule->from_then_on)
                rule->countdown = -1;
        }
    }
    return result;
}

static void read_environment(void);

CUresult standin_enter(enum function function) {
    pthread_once(&from_environment, read_environment);
    atomic_fetch_add_explicit(&calls_of[function], 1, memory_order_relaxed);
    while (atomic_load_explicit(&blocked, memory_order_relaxed) == (int)function + 1)
        nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL);
    if (atomic_load_explicit(&armed, memory_order_relaxed)) {
        CUresult result = matching_rule(function, false);
        if (result != CUDA_SUCCESS)
            return result;
    }
    if (needs_no_driver(function))
        return CUDA_SUCCESS;
    if (!standin_is_initialised())
        return CUDA_ERROR_NOT_INITIALIZED;
    if (standin_spoils_capture(function))
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return standin_in_callback() ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS;
}

CUresult standin_fault(enum function function) {
    return atomic_load_explicit(&armed, memory_order_relaxed) ? matching_rule(function, true) : CUDA_SUCCESS;
}

bool standin_is_missing(enum function function) { return missing[function]; }

bool standin_attribute_is_set(int device, int attribute, int *value) {
    if (attribute < 0 || attribute >= MAX_ATTRIBUTE || !attributes[device][attribute].set)
        return false;
    *value = attributes[device][attribute].value;
    return true;
}

static int function_named(const char *name) {
    for (int i = 0; i < FN_COUNT; i++)
        if (strcmp(NAMES[i], name) == 0)
            return i;
    return -1;
}

enum when { IN_CALL, IN_STREAM, SECOND };

static bool add_rule(const char *name, long countdown, bool from_then_on, int code, enum when when) {
    int function = function_named(name);
    bool any = strcmp(name, "*") == 0;
    if ((function < 0 && !any) || rule_count == RULES || countdown < 1)
        return false;
    rules[rule_count++] = (struct rule){.function = any ? 0 : (enum function)function,
                                        .any = any,
                                        .in_stream = when == IN_STREAM,
                                        .second = when == SECOND,
                                        .from_then_on = from_then_on,
                                        .countdown = countdown,
                                        .code = (CUresult)code};
    atomic_store(&armed, true);
    return true;
}

/* NAME:N:CODE or NAME:N+:CODE */
static bool parse_rule(const char *text, enum when when) {
    char name[64];
    long countdown;
    int code, used = 0;
    if (sscanf(text, "%63[^:]:%ld:%d%n", name, &countdown, &code, &used) == 3 && text[used] == 0)
        return add_rule(name, countdown, false, code, when);
    if (sscanf(text, "%63[^:]:%ld+:%d%n", name, &countdown, &code, &used) == 3 && text[used] == 0)
        return add_rule(name, countdown, true, code, when);
    return false;
}

static bool parse_size(const char *text, size_t *size) {
    char *end;
    *size = strtoull(text, &end, 10);
    switch (*end) {
    case 'K': *size <<= 10, end++; break;
    case 'M': *size <<= 20, end++; break;
    case 'G': *size <<= 30, end++; break;
    }
    return end != text && *end == 0;
}

static bool set_missing(const char *name) {
    bool found = false;
    for (int i = 0; i < FN_COUNT; i++)
        if (strcmp(NAMES[i], name) == 0)
            found = missing[i] = true;
    return found;
}

/* attribute.NUMBER for all devices, attribute.NUMBER.DEVICE for one */
static bool set_attribute(const char *key, int value) {
    int attribute, device = -1, used = 0;
    if (sscanf(key, "attribute.%d%n", &attribute, &used) != 1 || attribute < 1 || attribute >= MAX_ATTRIBUTE)
        return false;
    if (key[used] != 0 && (sscanf(key + used, ".%d", &device) != 1 || device < 0 || device >= MAX_DEVICES))
        return false;
    for (int i = device < 0 ? 0 : device; i <= (device < 0 ? MAX_DEVICES - 1 : device); i++) {
        attributes[i][attribute].set = true;
        attributes[i][attribute].value = value;
    }
    return true;
}

/* pci.DEVICE=0000:17:00.0 */
static bool set_pci(const char *key, const char *value) {
    int device;
    unsigned domain, bus, slot;
    if (sscanf(key, "pci.%d", &device) != 1 || device < 0 || device >= MAX_DEVICES ||
        sscanf(value, "%x:%x:%x.0", &domain, &bus, &slot) != 3)
        return false;
    attributes[device][CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID].value = (int)domain;
    attributes[device][CU_DEVICE_ATTRIBUTE_PCI_BUS_ID].value = (int)bus;
    attributes[device][CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID].value = (int)slot;
    attributes[device][CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID].set = true;
    attributes[device][CU_DEVICE_ATTRIBUTE_PCI_BUS_ID].set = true;
    attributes[device][CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID].set = true;
    return true;
}

static bool set_dmabuf(const char *value) {
    static const char *const WAYS[] = {"0", "auto", "udmabuf", "memfd"};
    for (int i = 0; i < 4; i++)
        if (strcmp(value, WAYS[i]) == 0) {
            standin_settings.dmabuf = i;
            return true;
        }
    return false;
}

/* Locked. */
static bool set(const char *key, const char *value) {
    struct settings *s = &standin_settings;
    int number = atoi(value);
    if (strcmp(key, "devices") == 0)
        return (s->devices = number) >= 0 && number <= MAX_DEVICES;
    if (strcmp(key, "driver") == 0)
        return (s->driver_version = number) > 0;
    if (strcmp(key, "init") == 0)
        return (s->init = (CUresult)number) >= 0;
    if (strcmp(key, "memory") == 0)
        return parse_size(value, &s->memory);
    if (strcmp(key, "capability") == 0)
        return (s->capability = number) > 0;
    if (strcmp(key, "copy-delay-us") == 0)
        return (s->copy_delay_us = number) >= 0;
    if (strcmp(key, "copy-delay-us-per-mib") == 0)
        return (s->copy_delay_us_per_mib = number) >= 0;
    if (strcmp(key, "hold") == 0) {
        atomic_store(&s->hold, number != 0);
        return true;
    }
    if (strcmp(key, "block") == 0) {
        atomic_store(&blocked, *value ? function_named(value) + 1 : 0);
        return !*value || atomic_load(&blocked) > 0;
    }
    if (strcmp(key, "at-once") == 0) {
        s->at_once = number != 0;
        return true;
    }
    if (strcmp(key, "peermem") == 0) {
        s->peer_memory = number != 0;
        standin_protect_all();
        return true;
    }
    if (strcmp(key, "peers") == 0) {
        s->peers = number != 0;
        return true;
    }
    if (strcmp(key, "dmabuf") == 0)
        return set_dmabuf(value);
    if (strcmp(key, "missing") == 0)
        return set_missing(value);
    if (strcmp(key, "deny") == 0)
        return add_rule(value, 1, true, CUDA_ERROR_NOT_SUPPORTED, IN_CALL);
    if (strcmp(key, "fail") == 0)
        return parse_rule(value, IN_CALL);
    if (strcmp(key, "then") == 0)
        return parse_rule(value, SECOND);
    if (strcmp(key, "fault") == 0)
        return parse_rule(value, IN_STREAM);
    if (strcmp(key, "failed") == 0) {
        atomic_store(&failed, number != 0);
        return true;
    }
    if (strcmp(key, "no-failures") == 0) {
        rule_count = 0;
        atomic_store(&armed, false);
        atomic_store(&failed, false);
        return true;
    }
    if (strncmp(key, "attribute.", 10) == 0)
        return set_attribute(key, number);
    if (strncmp(key, "pci.", 4) == 0)
        return set_pci(key, value);
    return false;
}

static void read_environment(void) {
    const char *given = getenv("RDMA4J_STANDIN");
    LOCKED;
    defaults();
    if (given == NULL)
        return;
    char *text = strdup(given), *rest = text, *item;
    while ((item = strsep(&rest, ",")) != NULL) {
        char *value = strchr(item, '=');
        if (value != NULL)
            *value++ = 0;
        if (*item != 0 && !set(item, value == NULL ? "1" : value)) {
            fprintf(stderr, "the stand-in for libcuda: RDMA4J_STANDIN has %s=%s, which it does not know\n", item,
                    value == NULL ? "" : value);
            abort();
        }
    }
    free(text);
}

/* 0, or -1 when there is no such setting or it cannot have this value. */
EXPORT int standin_set(const char *key, const char *value) {
    pthread_once(&from_environment, read_environment);
    LOCKED;
    return set(key, value) ? 0 : -1;
}

/* A counter's value, or -1 when there is no such counter. */
EXPORT long long standin_get(const char *name) {
    static const struct {
        const char *name;
        atomic_long *counter;
    } COUNTERS[] = {
#define C(name, field) {name, &standin_counters.field}
        C("bytes.htod", bytes_htod),
        C("bytes.dtoh", bytes_dtoh),
        C("bytes.dtod", bytes_dtod),
        C("bytes.peer", bytes_peer),
        C("copies.pageable", copies_pageable),
        C("kernels", kernels),
        C("callbacks", callbacks),
        C("flushes", flushes),
        C("flushes.stream", stream_flushes),
        C("exports", exports),
        C("exports.pcie", exports_pcie),
        C("allocations", allocations),
        C("allocations.host", host_allocations),
        C("registrations", registrations),
        C("reservations", reservations),
        C("handles", handles),
        C("used", used),
        C("streams", streams),
        C("events", events),
        C("contexts", contexts),
        C("modules", modules),
        C("graphs", graphs),
        C("threads", threads),
#undef C
    };
    for (size_t i = 0; i < sizeof COUNTERS / sizeof *COUNTERS; i++)
        if (strcmp(name, COUNTERS[i].name) == 0)
            return atomic_load(COUNTERS[i].counter);
    if (strcmp(name, "failed") == 0)
        return atomic_load(&failed);
    if (strcmp(name, "pending") == 0) {
        LOCKED;
        long long pending = 0;
        for (int i = 0; i < rule_count; i++)
            pending += rules[i].countdown > 0;
        return pending;
    }
    bool all = strcmp(name, "calls") == 0;
    if (!all && strncmp(name, "calls.", 6) != 0)
        return -1;
    long long sum = -1;
    for (int i = 0; i < FN_COUNT; i++)
        if (all || strcmp(name + 6, NAMES[i]) == 0)
            sum = (sum < 0 ? 0 : sum) + atomic_load(&calls_of[i]);
    return sum;
}

/* As if the driver had just been loaded: nothing is open or allocated, the environment has the settings, counters are 0.
 * Only cuInit, if it was called, need not be called again. */
EXPORT void standin_reset(void) {
    pthread_once(&from_environment, read_environment);
    {
        LOCKED;
        rule_count = 0;
        atomic_store(&armed, false);
        atomic_store(&standin_settings.hold, false);
        atomic_store(&blocked, 0);
        standin_destroy_contexts();
        standin_free_all(NULL);
        standin_virtual_reset();
        standin_graphs_reset();
    }
    read_environment();
    LOCKED;
    memset(&standin_counters, 0, sizeof standin_counters);
    memset(calls_of, 0, sizeof calls_of);
}
