/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Modules. PTX is read as far as its version, target, kernels' names and global variables; the kernels of kernels.c can be
 * launched, others have a handle only.
 */
#include "standin.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void log_error(const char *message, unsigned count, const CUjit_option *options, void **values) {
    char *buffer = NULL;
    size_t size = 0, *written = NULL;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            buffer = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            size = (uint32_t)(uintptr_t)values[i];
            written = (size_t *)&values[i];
        }
    }
    if (buffer != NULL && size > 0) {
        int length = snprintf(buffer, size, "stand-in: %s\n", message);
        *written = (size_t)length < size ? (size_t)length + 1 : size;
    }
}

/* Whether the PTX is what a driver of this version and a device of this kind take. */
static CUresult judge(const char *text, const char **complaint) {
    int major, minor, target, depth = 0;
    const char *version = strstr(text, ".version"), *architecture = strstr(text, ".target");
    if (version == NULL || sscanf(version, ".version %d.%d", &major, &minor) != 2) {
        *complaint = "there is no .version directive";
        return CUDA_ERROR_INVALID_PTX;
    }
    if (architecture == NULL || sscanf(architecture, ".target sm_%d", &target) != 1) {
        *complaint = "there is no .target directive";
        return CUDA_ERROR_INVALID_PTX;
    }
    for (const char *c = text; *c != 0 && depth >= 0; c++)
        depth += (*c == '{') - (*c == '}');
    if (depth != 0) {
        *complaint = "braces do not match";
        return CUDA_ERROR_INVALID_PTX;
    }
    /* CUDA 11 brought PTX 7, 12 brought 8, 13 brought 9. */
    if (major > standin_settings.driver_version / 1000 - 4) {
        *complaint = "the PTX is of a newer version than the driver";
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }
    if (target > standin_settings.capability) {
        *complaint = "the PTX is for a newer device";
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
}

static size_t width_of(const char *type) {
    int bits = 0;
    return sscanf(type, ".%*[a-z]%d", &bits) == 1 ? (size_t)bits / 8 : 0;
}

/* .global [.align N] .TYPE NAME[COUNT]; — its memory, zeroed. */
static CUresult make_global(CUmodule module, const char *declaration) {
    char type[16], name[128];
    int alignment, used = 0;
    const char *rest = declaration + strlen(".global");
    if (sscanf(rest, " .align %d%n", &alignment, &used) == 1)
        rest += used;
    if (sscanf(rest, " %15s %127[A-Za-z0-9_$]%n", type, name, &used) != 2)
        return CUDA_ERROR_INVALID_PTX;
    size_t count = rest[used] == '[' ? strtoull(rest + used + 1, NULL, 10) : 1, size = width_of(type) * count;
    struct global *global = calloc(1, sizeof *global);
    if (global == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    CUresult result = standin_allocate(module->context, size, DEVICE_MEMORY, &global->address);
    if (result != CUDA_SUCCESS) {
        free(global);
        return result;
    }
    memset(standin_reach(global->address, size), 0, size);
    strcpy(global->name, name);
    global->size = size;
    global->next = module->globals;
    module->globals = global;
    return CUDA_SUCCESS;
}

static void unload(CUmodule module) {
    for (struct global *g; (g = module->globals) != NULL;) {
        module->globals = g->next;
        struct range *range = standin_find(g->address);
        if (range != NULL)
            standin_free(range);
        free(g);
    }
    for (CUfunction f = standin_next(FUNCTION, NULL), next; f != NULL; f = next) {
        next = standin_next(FUNCTION, f);
        if (f->module == module)
            standin_delete(FUNCTION, f);
    }
    free(module->text);
    standin_delete(MODULE, module);
    standin_counters.modules--;
}

void standin_unload_all(CUcontext context) {
    for (CUmodule m = standin_next(MODULE, NULL), next; m != NULL; m = next) {
        next = standin_next(MODULE, m);
        if (m->context == context)
            unload(m);
    }
}

CUresult cuModuleLoadDataEx(CUmodule *result, const void *image, unsigned int count, CUjit_option *options, void **values) {
    CALL(cuModuleLoadDataEx);
    CURRENT(context);
    const char *complaint = "", *text = image;
    if (result == NULL || image == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    if (memcmp(image, "\177ELF", 4) == 0)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (!isprint((unsigned char)*text) && !isspace((unsigned char)*text))
        return CUDA_ERROR_INVALID_IMAGE;
    CUresult judged = judge(text, &complaint);
    if (judged != CUDA_SUCCESS) {
        log_error(complaint, count, options, values);
        return judged;
    }
    LOCKED;
    CUmodule module = standin_new(MODULE);
    if (module == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    module->context = context;
    module->text = strdup(text);
    standin_counters.modules++;
    for (const char *g = text; (g = strstr(g, ".global ")) != NULL; g++) {
        /* In an instruction (ld.global) it is no declaration. */
        if (g > text && !isspace((unsigned char)g[-1]))
            continue;
        CUresult made = make_global(module, g);
        if (made != CUDA_SUCCESS) {
            unload(module);
            return made;
        }
    }
    *result = module;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    CALL(cuModuleUnload);
    CURRENT(context);
    LOCKED;
    if (!standin_is(MODULE, module))
        return CUDA_ERROR_INVALID_HANDLE;
    standin_drain_context(context);
    if (standin_is(MODULE, module))
        unload(module);
    return CUDA_SUCCESS;
}

/* Whether the text has this word behind ".entry ". */
static bool has_kernel(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *e = text; (e = strstr(e, ".entry")) != NULL;) {
        e += strlen(".entry");
        while (isspace((unsigned char)*e))
            e++;
        if (strncmp(e, name, length) == 0 && !isalnum((unsigned char)e[length]) && e[length] != '_' && e[length] != '$')
            return true;
    }
    return false;
}

CUresult cuModuleGetFunction(CUfunction *result, CUmodule module, const char *name) {
    CALL(cuModuleGetFunction);
    CURRENT(context);
    if (result == NULL || name == NULL || *name == 0)
        return CUDA_ERROR_INVALID_VALUE;
    LOCKED;
    if (!standin_is(MODULE, module))
        return CUDA_ERROR_INVALID_HANDLE;
    if (strlen(name) > 127 || !has_kernel(module->text, name))
        return CUDA_ERROR_NOT_FOUND;
    for (CUfunction f = standin_next(FUNCTION, NULL); f != NULL; f = standin_next(FUNCTION, f))
        if (f->module == module && strcmp(f->name, name) == 0) {
            *result = f;
            return CUDA_SUCCESS;
        }
    CUfunction function = standin_new(FUNCTION);
    if (function == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    function->module = module;
    function->max_dynamic_shared = 49152;
    strcpy(function->name, name);
    *result = function;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule module, const char *name) {
    CALL(cuModuleGetGlobal_v2);
    CURRENT(context);
    LOCKED;
    if (!standin_is(MODULE, module))
        return CUDA_ERROR_INVALID_HANDLE;
    if (name == NULL)
        return CUDA_ERROR_INVALID_VALUE;
    for (struct global *g = module->globals; g != NULL; g = g->next)
        if (strcmp(g->name, name) == 0) {
            if (address != NULL)
                *address = g->address;
            if (size != NULL)
                *size = g->size;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}
