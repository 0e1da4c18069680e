// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What tests ask a stand-in for.
#include <stdlib.h>

#include "standin.h"

// How many objects there are, and were when their context was closed.
int standin_objects(void) {
    lock_objects();
    int count = left_behind;
    for (int i = 1; i < MAX_OBJECTS; i++) {
        count += objects[i].kind != NOTHING;
    }
    unlock_objects();
    return count;
}

// Gives a setting another value while the program runs, while none of the stand-in's threads reads one.
void standin_set(const char *name, const char *value) {
    lock_objects();
    lock_manager();
    setenv(name, value, 1);
    unlock_manager();
    unlock_objects();
}
