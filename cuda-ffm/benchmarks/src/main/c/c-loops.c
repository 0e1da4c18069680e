// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
//
// What a C program does, for comparison: it calls the driver through a pointer, as one that found the function by
// cuGetProcAddress does. One call runs a whole loop, so that C is measured by the same clock as Java.
#include <stdint.h>

typedef int (*of_object)(void *);
typedef int (*of_two)(int, int);

int64_t c_of_object(of_object function, void *object, int64_t loops) {
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        result |= function(object);
    }
    return result;
}

// Makes a context current first, as the Java method does.
int64_t c_flush(of_object make_current, void *context, of_two flush, int64_t target, int64_t scope, int64_t loops) {
    int64_t result = 0;
    for (int64_t i = 0; i < loops; i++) {
        result |= make_current(context);
        result |= flush(target, scope);
    }
    return result;
}
