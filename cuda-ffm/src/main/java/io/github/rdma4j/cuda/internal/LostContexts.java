// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import static java.util.Map.entry;

import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.util.Map;

/**
 * The results after which no work of a context continues, and the remedies: cuda.h requires for nearly all of them that
 * the process ends. Does not call the driver, so that an exception can be queried anywhere.
 */
public final class LostContexts {
    private static final String END =
            "the context and its memory are lost, and a new context does not help: end the process and start it again";
    private static final String KERNEL_FAULT = END + "; for the cause run the program under compute-sanitizer";
    private static final String HARDWARE_FAULT =
            END + "; the kernel's log (Xid) says whether the GPU must be reset before that";

    private static final Map<Integer, String> REMEDIES = Map.ofEntries(
            entry(CudaHeaders.CUDA_ERROR_ILLEGAL_ADDRESS(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_HARDWARE_STACK_ERROR(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_ILLEGAL_INSTRUCTION(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_MISALIGNED_ADDRESS(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_INVALID_ADDRESS_SPACE(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_INVALID_PC(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_LAUNCH_FAILED(), KERNEL_FAULT),
            entry(CudaHeaders.CUDA_ERROR_TENSOR_MEMORY_LEAK(), KERNEL_FAULT),
            entry(
                    CudaHeaders.CUDA_ERROR_LAUNCH_TIMEOUT(),
                    END + "; the GPU also drives a display, and ends long kernels: launch shorter ones"),
            entry(CudaHeaders.CUDA_ERROR_ECC_UNCORRECTABLE(), HARDWARE_FAULT),
            entry(CudaHeaders.CUDA_ERROR_NVLINK_UNCORRECTABLE(), HARDWARE_FAULT),
            entry(CudaHeaders.CUDA_ERROR_CONTAINED(), HARDWARE_FAULT),
            entry(
                    CudaHeaders.CUDA_ERROR_EXTERNAL_DEVICE(),
                    END + "; a device outside CUDA, whose signal a stream waited for, has reported an error"),
            entry(
                    CudaHeaders.CUDA_ERROR_MPS_CLIENT_TERMINATED(),
                    "the CUDA multi-process service has ended this client: end the process and start it again"),
            // For this result, cuda.h requires a new context, not a new process.
            entry(
                    CudaHeaders.CUDA_ERROR_ASSERT(),
                    "an assert() of a kernel failed (see standard error); the context and its memory are lost:"
                            + " close it and create a new one"),
            entry(
                    CudaHeaders.CUDA_ERROR_CONTEXT_IS_DESTROYED(),
                    "other code has destroyed the context of this object: create a new one"),
            entry(
                    CudaHeaders.CUDA_ERROR_DEINITIALIZED(),
                    "the driver is shutting down with the process: close all objects before the program ends"));

    private LostContexts() {}

    /**
     * Returns whether a failed call means that its context is lost.
     *
     * @param result what the call returned
     * @param call with its arguments
     * @return whether no work of the context continues
     */
    public static boolean isLost(int result, String call) {
        return isLost(result)
                // Other calls return this for a wrong argument; this one has only the context as an argument.
                || result == CudaHeaders.CUDA_ERROR_INVALID_CONTEXT() && call.startsWith("cuCtxSetCurrent(");
    }

    /**
     * Returns whether a result means for any call that a context is lost: the context of its object, or the current
     * context of the thread.
     *
     * @param result what a call returned
     * @return whether it does
     */
    public static boolean isLost(int result) {
        return REMEDIES.containsKey(result);
    }

    /** Returns the remedy; null for a result that does not mean that the context is lost. */
    static String remedy(int result) {
        return REMEDIES.get(result);
    }
}
