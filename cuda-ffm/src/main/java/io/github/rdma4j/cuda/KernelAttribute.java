// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.bindings.CudaHeaders;

/**
 * An attribute of a kernel ({@code CUfunction_attribute}).
 *
 * @since 0.1.0
 */
public enum KernelAttribute {
    /** Most threads in a block, given the kernel's registers and shared memory. */
    MAX_THREADS_PER_BLOCK(CudaHeaders.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK()),
    /** Static shared memory of a block in bytes. */
    SHARED_SIZE_BYTES(CudaHeaders.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES()),
    /** Constant memory in bytes. */
    CONST_SIZE_BYTES(CudaHeaders.CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES()),
    /** Local memory of a thread in bytes. */
    LOCAL_SIZE_BYTES(CudaHeaders.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES()),
    /** Registers of a thread. */
    NUM_REGS(CudaHeaders.CU_FUNC_ATTRIBUTE_NUM_REGS()),
    /** The version of PTX that it was compiled from: 10 times the major plus the minor number. */
    PTX_VERSION(CudaHeaders.CU_FUNC_ATTRIBUTE_PTX_VERSION()),
    /** The compute capability that it was compiled for: 10 times the major plus the minor number. */
    BINARY_VERSION(CudaHeaders.CU_FUNC_ATTRIBUTE_BINARY_VERSION()),
    /** Most dynamic shared memory of a block in bytes; {@link CudaKernel#allowSharedMemory} raises it. */
    MAX_DYNAMIC_SHARED_SIZE_BYTES(CudaHeaders.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES());

    private final int code;

    KernelAttribute(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
