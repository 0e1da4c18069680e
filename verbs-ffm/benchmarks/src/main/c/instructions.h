// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// Reads what a guest of scripts/softroce --count has executed so far, as Instructions.java does.
#include <inttypes.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct instructions {
    double user, kernel;
};

typedef void counted(void *context);

// The emulator writes a record at this call.
static void instructions_mark(void) {
    sched_get_priority_max(0);
}

// The record of the next mark.
static struct instructions instructions_next(FILE *counts) {
    char line[256];
    bool mark = false;
    uint64_t user = 0, kernel;
    while (fgets(line, sizeof line, counts)) {
        if (!strncmp(line, "mark ", 5)) mark = true;
        else if (!strncmp(line, "writes ", 7)) mark = false;
        else if (mark && sscanf(line, "user %" SCNu64, &user) == 1) continue;
        else if (mark && sscanf(line, "kernel %" SCNu64, &kernel) == 1) return (struct instructions){user, kernel};
    }
    fputs("the emulator has not counted this moment\n", stderr);
    exit(1);
}

// Sets a first mark: the stretch between the next two then has no records of its own.
static FILE *instructions_open(void) {
    const char *name = getenv("RDMA4J_COUNT");
    FILE *counts = name ? fopen(name, "r") : NULL;
    if (!counts) {
        fputs("RDMA4J_COUNT: nothing counts here (scripts/bench verbs --sums)\n", stderr);
        exit(1);
    }
    instructions_mark();
    instructions_next(counts);
    return counts;
}

// What an action executes, the least of several runs; what it takes to read the counts is not part of it.
static struct instructions instructions_least(FILE *counts, int runs, counted *action, void *context) {
    struct instructions least = {1e18, 1e18};
    for (int run = 0; run < runs; run++) {
        instructions_mark();
        action(context);
        instructions_mark();
        struct instructions before = instructions_next(counts), after = instructions_next(counts);
        if (after.user - before.user < least.user) least.user = after.user - before.user;
        if (after.kernel - before.kernel < least.kernel) least.kernel = after.kernel - before.kernel;
    }
    return least;
}
