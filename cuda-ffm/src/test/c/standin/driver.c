/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The driver as such: start, version, errors by name, functions by name and version.
 */
#include "standin.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static atomic_bool initialised;

bool standin_is_initialised(void) { return atomic_load_explicit(&initialised, memory_order_relaxed); }

void standin_uninitialise(void) { atomic_store(&initialised, false); }

CUresult cuInit(unsigned int flags) {
    CALL(cuInit);
    if (flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (standin_settings.init != CUDA_SUCCESS)
        return standin_settings.init;
    if (standin_settings.devices == 0)
        return CUDA_ERROR_NO_DEVICE;
    atomic_store(&initialised, true);
    return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version) {
    CALL(cuDriverGetVersion);
    if (version == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *version = standin_settings.driver_version;
    return CUDA_SUCCESS;
}

static const struct error {
    CUresult code;
    const char *name;
} ERRORS[] = {
#define E(name, number) {name, #name},
#include "errors.def"
#undef E
};
#define ERROR_COUNT (sizeof ERRORS / sizeof *ERRORS)

static const struct error *error_of(CUresult code) {
    for (size_t i = 0; i < ERROR_COUNT; i++)
        if (ERRORS[i].code == code)
            return &ERRORS[i];
    return NULL;
}

CUresult cuGetErrorName(CUresult code, const char **name) {
    CALL(cuGetErrorName);
    const struct error *error = error_of(code);
    if (name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *name = error == NULL ? NULL : error->name;
    return error == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

/* The name in small letters: the driver has sentences of its own. */
CUresult cuGetErrorString(CUresult code, const char **text) {
    static char texts[ERROR_COUNT][64];
    CALL(cuGetErrorString);
    const struct error *error = error_of(code);
    if (text == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    *text = NULL;
    if (error == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    char *own = texts[error - ERRORS];
    LOCKED;
    if (own[0] == 0) {
        const char *from = strncmp(error->name, "CUDA_ERROR_", 11) == 0 ? error->name + 11 : "no error";
        for (int i = 0; from[i] != 0 && i < 63; i++)
            own[i] = from[i] == '_' ? ' ' : (char)tolower(from[i]);
    }
    *text = own;
    return CUDA_SUCCESS;
}

static const struct entry {
    const char *name;
    int since;
    void *address;
} ENTRIES[FN_COUNT] = {
#define F(name, since, symbol) {#name, since, (void *)symbol},
#include "functions.def"
#undef F
};

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
    CALL(cuGetProcAddress_v2);
    if (name == NULL || function == NULL || flags > 2 || version > standin_settings.driver_version)
        return CUDA_ERROR_INVALID_VALUE;
    const struct entry *found = NULL;
    bool known = false;
    for (int i = 0; i < FN_COUNT; i++) {
        const struct entry *entry = &ENTRIES[i];
        if (strcmp(entry->name, name) != 0 || entry->since > standin_settings.driver_version || standin_is_missing(i))
            continue;
        known = true;
        if (entry->since <= version)
            found = entry;
    }
    *function = found == NULL ? NULL : found->address;
    if (status != NULL)
        *status = found != NULL ? CU_GET_PROC_ADDRESS_SUCCESS
                  : known       ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return CUDA_SUCCESS;
}

/* The form of 11.3, which had no status: what is not found is an error. */
CUresult cuGetProcAddress(const char *name, void **function, int version, cuuint64_t flags) {
    CUresult result = cuGetProcAddress_v2(name, function, version, flags, NULL);
    return result == CUDA_SUCCESS && *function == NULL ? CUDA_ERROR_NOT_FOUND : result;
}
