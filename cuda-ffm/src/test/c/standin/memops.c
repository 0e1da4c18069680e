/* SPDX-FileCopyrightText: 2026 the rdma4j authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stream memory operations: a stream that waits for a value in memory, whoever writes it, and one that writes a value; one by
 * one, in batches, and in nodes of graphs.
 */
#include "standin.h"

#include <time.h>

static bool holds64(uint64_t seen, uint64_t value, unsigned flags) {
    switch (flags & 3) {
    case CU_STREAM_WAIT_VALUE_GEQ: return (int64_t)(seen - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ: return seen == value;
    case CU_STREAM_WAIT_VALUE_AND: return (seen & value) != 0;
    default: return ~(seen | value) != 0;
    }
}

static bool holds32(uint32_t seen, uint32_t value, unsigned flags) {
    switch (flags & 3) {
    case CU_STREAM_WAIT_VALUE_GEQ: return (int32_t)(seen - value) >= 0;
    case CU_STREAM_WAIT_VALUE_EQ: return seen == value;
    case CU_STREAM_WAIT_VALUE_AND: return (seen & value) != 0;
    default: return (uint32_t) ~(seen | value) != 0;
    }
}

static CUresult wait_for(struct operation *o) {
    for (long ns = 20000; !standin_gives_up(o); ns = ns < 200000 ? 2 * ns : ns) {
        {
            LOCKED;
            char *at = standin_reach(o->to, o->length);
            if (at == NULL)
                return CUDA_ERROR_ILLEGAL_ADDRESS;
            if (o->length == 4 ? holds32(__atomic_load_n((uint32_t *)at, __ATOMIC_ACQUIRE), (uint32_t)o->value, o->flags)
                               : holds64(__atomic_load_n((uint64_t *)at, __ATOMIC_ACQUIRE), o->value, o->flags))
                return CUDA_SUCCESS;
        }
        nanosleep(&(struct timespec){0, ns}, NULL);
    }
    return CUDA_SUCCESS;
}

static CUresult write(struct operation *o) {
    LOCKED;
    char *at = standin_reach(o->to, o->length);
    if (at == NULL)
        return CUDA_ERROR_ILLEGAL_ADDRESS;
    if (o->length == 4)
        __atomic_store_n((uint32_t *)at, (uint32_t)o->value, __ATOMIC_RELEASE);
    else
        __atomic_store_n((uint64_t *)at, o->value, __ATOMIC_RELEASE);
    return CUDA_SUCCESS;
}

/* The other two operations of a batch: memory of the host needs neither. */
static CUresult flush(struct operation *o) {
    (void)o;
    standin_counters.stream_flushes++;
    return CUDA_SUCCESS;
}

static CUresult fence(struct operation *o) {
    (void)o;
    atomic_thread_fence(memory_order_seq_cst);
    return CUDA_SUCCESS;
}

/* Locked. */
static CUresult check(const struct operation *o, int device) {
    if (o->run == flush)
        return o->flags != 0 ? CUDA_ERROR_INVALID_VALUE
               : standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES) ? CUDA_SUCCESS
                                                                                               : CUDA_ERROR_NOT_SUPPORTED;
    if (o->run == fence)
        return o->flags > CU_STREAM_MEMORY_BARRIER_TYPE_GPU ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    if (o->length == 8 && !standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS))
        return CUDA_ERROR_NOT_SUPPORTED;
    if (o->run == wait_for) {
        if ((o->flags & ~(unsigned)(CU_STREAM_WAIT_VALUE_FLUSH | 3)) != 0)
            return CUDA_ERROR_INVALID_VALUE;
        if (((o->flags & 3) == CU_STREAM_WAIT_VALUE_NOR &&
             !standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR)) ||
            ((o->flags & CU_STREAM_WAIT_VALUE_FLUSH) != 0 &&
             !standin_device_attribute(device, CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES)))
            return CUDA_ERROR_NOT_SUPPORTED;
    } else if (o->flags != CU_STREAM_WRITE_VALUE_DEFAULT) { /* NO_MEMORY_BARRIER is of the calls before v2 */
        return CUDA_ERROR_INVALID_VALUE;
    }
    return o->to % o->length != 0 || standin_reach(o->to, o->length) == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

static CUresult enqueue(struct operation *o, CUstream handle) {
    CURRENT(context);
    LOCKED;
    CUstream stream;
    CUresult result = standin_stream(handle, context, &stream);
    if (result == CUDA_SUCCESS)
        result = check(o, stream->context->device);
    return result == CUDA_SUCCESS ? standin_enqueue(stream, o) : result;
}

static struct operation of_value(CUresult (*run)(struct operation *), const struct standin_value_operation *p, size_t length) {
    return (struct operation){.run = run,
                              .to = p->address,
                              .length = length,
                              .value = length == 4 ? p->value : p->value64,
                              .flags = p->flags};
}

static bool convert(const CUstreamBatchMemOpParams *p, struct operation *o) {
    switch (p->operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32: *o = of_value(wait_for, &p->waitValue, 4); return true;
    case CU_STREAM_MEM_OP_WAIT_VALUE_64: *o = of_value(wait_for, &p->waitValue, 8); return true;
    case CU_STREAM_MEM_OP_WRITE_VALUE_32: *o = of_value(write, &p->writeValue, 4); return true;
    case CU_STREAM_MEM_OP_WRITE_VALUE_64: *o = of_value(write, &p->writeValue, 8); return true;
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
        *o = (struct operation){.run = flush, .flags = p->flushRemoteWrites.flags};
        return true;
    case CU_STREAM_MEM_OP_BARRIER: *o = (struct operation){.run = fence, .flags = p->memoryBarrier.flags}; return true;
    default: return false;
    }
}

CUresult standin_batch(const CUstreamBatchMemOpParams *array, unsigned count, unsigned flags, int device, enum function function,
                       struct operation *operations) {
    if (count == 0 || count > MAX_BATCH || array == NULL || flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = CUDA_SUCCESS;
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++) {
        result = convert(&array[i], &operations[i]) ? check(&operations[i], device) : CUDA_ERROR_INVALID_VALUE;
        operations[i].function = function;
    }
    return result;
}

/* All of them or none. */
CUresult cuStreamBatchMemOp_v2(CUstream handle, unsigned int count, CUstreamBatchMemOpParams *array, unsigned int flags) {
    CALL(cuStreamBatchMemOp_v2);
    CURRENT(context);
    LOCKED;
    CUstream stream;
    struct operation operations[MAX_BATCH];
    CUresult result = standin_stream(handle, context, &stream);
    if (result == CUDA_SUCCESS)
        result = standin_batch(array, count, flags, stream->context->device, FN_cuStreamBatchMemOp_v2, operations);
    for (unsigned i = 0; i < count && result == CUDA_SUCCESS; i++)
        result = standin_enqueue(stream, &operations[i]);
    return result;
}

#define OPERATION(symbol, does, address, bytes, word, how)                                                                        \
    &(struct operation) { .function = FN_##symbol, .run = does, .to = address, .length = bytes, .value = word, .flags = how }

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
    CALL(cuStreamWaitValue32_v2);
    return enqueue(OPERATION(cuStreamWaitValue32_v2, wait_for, address, 4, value, flags), stream);
}

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags) {
    CALL(cuStreamWaitValue64_v2);
    return enqueue(OPERATION(cuStreamWaitValue64_v2, wait_for, address, 8, value, flags), stream);
}

CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
    CALL(cuStreamWriteValue32_v2);
    return enqueue(OPERATION(cuStreamWriteValue32_v2, write, address, 4, value, flags), stream);
}

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address, cuuint64_t value, unsigned int flags) {
    CALL(cuStreamWriteValue64_v2);
    return enqueue(OPERATION(cuStreamWriteValue64_v2, write, address, 8, value, flags), stream);
}
