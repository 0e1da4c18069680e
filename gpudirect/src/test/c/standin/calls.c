/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "calls.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 96
#define RULES 16

static struct {
    char name[48];
    long count;
} calls[CALLS];
static struct {
    char call[48];
    long countdown;
    bool from_then_on;
    bool second; /* counts from the first failure on, of this library or of the driver */
    int code;
} rules[RULES];
static void *cuda_library;

void forget_calls(void) {
    memset(rules, 0, sizeof rules);
    memset(calls, 0, sizeof calls);
}

static int add_rule(const char *value, bool second) {
    for (int i = 0; i < RULES; i++) {
        if (rules[i].call[0]) continue;
        bool plus = sscanf(value, "%47[^:]:%ld+:%d", rules[i].call, &rules[i].countdown, &rules[i].code) == 3;
        if (!plus && sscanf(value, "%47[^:]:%ld:%d", rules[i].call, &rules[i].countdown, &rules[i].code) != 3) {
            rules[i].call[0] = 0;
            return -1;
        }
        rules[i].from_then_on = plus;
        rules[i].second = second;
        return 0;
    }
    return -1;
}

int set_shared(const char *key, const char *value) {
    if (!strcmp(key, "cuda")) {
        cuda_library = dlopen(value, RTLD_NOW);
        return cuda_library ? 0 : -1;
    }
    if (!strcmp(key, "fail")) return add_rule(value, false);
    if (!strcmp(key, "then")) return add_rule(value, true);
    if (!strcmp(key, "no-failures")) {
        memset(rules, 0, sizeof rules);
        return 0;
    }
    return 1;
}

/* The driver's stand-in remembers it, so that the failures of both have an order. */
static bool has_failed(void) {
    return cuda_library && ((long long (*)(const char *))cuda("standin_get"))("failed") > 0;
}

static void note_failure(void) {
    if (cuda_library) ((int (*)(const char *, const char *))cuda("standin_set"))("failed", "1");
}

void set_from_environment(const char *variable, int (*set)(const char *key, const char *value)) {
    const char *given = getenv(variable);
    if (!given) return;
    char *all = strdup(given), *rest = all;
    for (char *each; (each = strsep(&rest, ","));) {
        char *value = strchr(each, '=');
        if (value) *value++ = 0;
        if (*each && (!value || set(each, value))) {
            fprintf(stderr, "%s: there is no setting %s\n", variable, each);
            abort();
        }
    }
    free(all);
}

int note_call(const char *call) {
    for (int i = 0; i < CALLS; i++) {
        if (!calls[i].name[0]) snprintf(calls[i].name, sizeof calls[i].name, "%s", call);
        if (!strcmp(calls[i].name, call)) {
            calls[i].count++;
            break;
        }
    }
    for (int i = 0; i < RULES; i++) {
        if ((strcmp(rules[i].call, call) && strcmp(rules[i].call, "*")) || rules[i].countdown == 0) continue;
        if (rules[i].second && !has_failed()) continue;
        if (rules[i].countdown > 1) rules[i].countdown--;
        else {
            if (!rules[i].from_then_on) rules[i].countdown = 0;
            note_failure();
            return rules[i].code;
        }
    }
    return 0;
}

long pending_failures(void) {
    long pending = 0;
    for (int i = 0; i < RULES; i++) pending += rules[i].call[0] && rules[i].countdown > 0;
    return pending;
}

long calls_of(const char *call) {
    for (int i = 0; i < CALLS; i++)
        if (!strcmp(calls[i].name, call)) return calls[i].count;
    return 0;
}

void *cuda(const char *symbol) {
    void *function = cuda_library ? dlsym(cuda_library, symbol) : NULL;
    if (!function) {
        fprintf(stderr, "the stand-in finds no %s: set cuda=FILE\n", symbol);
        abort();
    }
    return function;
}
