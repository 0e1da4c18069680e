/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Kernel launches, and what can be asked and set of a kernel.
 */
#include "standin.h"

#include <string.h>

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    CALL(cuFuncGetAttribute);
    CURRENT(context);
    LOCKED;
    if (!standin_is(FUNCTION, function))
        return CUDA_ERROR_INVALID_HANDLE;
    if (value == NULL || attribute >= CU_FUNC_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = 16; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = standin_settings.capability; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = function->max_dynamic_shared; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    CALL(cuFuncSetAttribute);
    CURRENT(context);
    LOCKED;
    if (!standin_is(FUNCTION, function))
        return CUDA_ERROR_INVALID_HANDLE;
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > 232448)
        return CUDA_ERROR_INVALID_VALUE;
    function->max_dynamic_shared = value;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
    CALL(cuFuncGetParamInfo);
    LOCKED;
    if (!standin_is(FUNCTION, function))
        return CUDA_ERROR_INVALID_HANDLE;
    const struct kernel *kernel = standin_kernel(function->name);
    if (kernel == NULL || offset == NULL || index >= (size_t)kernel->parameters)
        return CUDA_ERROR_INVALID_VALUE;
    size_t at = 0;
    for (size_t i = 0; i <= index; i++) {
        size_t width = kernel->sizes[i];
        at = (at + width - 1) & ~(width - 1);
        *offset = at;
        at += width;
    }
    if (size != NULL)
        *size = kernel->sizes[index];
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared,
                                          int limit) {
    CALL(cuOccupancyMaxPotentialBlockSize);
    CURRENT(context);
    (void)shared_of;
    LOCKED;
    if (!standin_is(FUNCTION, function))
        return CUDA_ERROR_INVALID_HANDLE;
    if (grid == NULL || block == NULL || limit < 0 || shared > (size_t)function->max_dynamic_shared)
        return CUDA_ERROR_INVALID_VALUE;
    *grid = 2 * standin_device_attribute(context->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    *block = limit == 0 || limit > 1024 ? 1024 : limit;
    return CUDA_SUCCESS;
}

/* The arguments, from one pointer each or from a buffer with all of them, each aligned to its size. */
static bool read_parameters(const struct kernel *kernel, void **each, void **extra, uint64_t *parameters) {
    const char *buffer = NULL;
    size_t size = 0, at = 0;
    if (each == NULL) {
        for (; extra != NULL && *extra != NULL; extra += 2) {
            if ((uintptr_t)*extra == 1)
                buffer = extra[1];
            if ((uintptr_t)*extra == 2)
                size = *(size_t *)extra[1];
        }
    }
    for (int i = 0; i < kernel->parameters; i++) {
        size_t width = kernel->sizes[i];
        parameters[i] = 0;
        at = (at + width - 1) & ~(width - 1);
        if (each != NULL ? each[i] == NULL : buffer == NULL || at + width > size)
            return false;
        memcpy(&parameters[i], each != NULL ? each[i] : buffer + at, width);
        at += width;
    }
    return true;
}

static CUresult launch(struct operation *o) {
    CUresult result = o->kernel->run(o->parameters, o->value);
    standin_counters.kernels++;
    return result;
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
                        unsigned int block_y, unsigned int block_z, unsigned int shared, CUstream handle, void **each,
                        void **extra) {
    CALL(cuLaunchKernel);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    if (!standin_is(FUNCTION, function) || function->module->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult result = standin_stream(handle, context, &stream);
    if (result != CUDA_SUCCESS)
        return result;
    if (stream->context != context)
        return CUDA_ERROR_INVALID_HANDLE;
    uint64_t blocks = (uint64_t)grid_x * grid_y * grid_z, threads = (uint64_t)block_x * block_y * block_z;
    if (blocks == 0 || threads == 0 || threads > 1024 || grid_y > 65535 || grid_z > 65535 || block_z > 64 ||
        shared > (unsigned)function->max_dynamic_shared || (each != NULL && extra != NULL))
        return CUDA_ERROR_INVALID_VALUE;
    struct operation o = {.function = FN_cuLaunchKernel, .run = launch, .value = blocks * threads};
    o.kernel = standin_kernel(function->name);
    if (o.kernel == NULL)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (!read_parameters(o.kernel, each, extra, o.parameters))
        return CUDA_ERROR_INVALID_VALUE;
    return standin_enqueue(stream, &o);
}
