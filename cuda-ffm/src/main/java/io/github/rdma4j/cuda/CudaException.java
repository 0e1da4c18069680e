// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.base.Remedies;
import io.github.rdma4j.cuda.internal.LostContexts;

/**
 * Thrown when a call of the CUDA driver fails. The message contains the call with its arguments, the name of the
 * result, the driver's description and, if the cause is known, the remedy. The failure may be an error of work that was
 * queued earlier, which the driver reports to a later call.
 *
 * @serial exclude
 * @since 0.1.0
 */
public class CudaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final String resultName;
    private final int result;
    private final String remedy;

    /**
     * A call failed.
     *
     * @param call with its arguments, such as {@code cuMemAlloc(size=4096)}
     * @param resultName such as {@code CUDA_ERROR_INVALID_VALUE}
     * @param result the number of the {@code CUresult}
     * @param text the driver's text for the result
     * @param explanation more about the cause, or an empty string
     * @param remedy what to do about it, or an empty string
     */
    public CudaException(String call, String resultName, int result, String text, String explanation, String remedy) {
        super(Remedies.append(
                call + " failed: " + resultName + " (" + text + ")" + (explanation.isEmpty() ? "" : ": " + explanation),
                remedy));
        this.call = call;
        this.resultName = resultName;
        this.result = result;
        this.remedy = remedy;
    }

    /** {@return the call that failed, with its arguments} */
    public String call() {
        return call;
    }

    /** {@return the result by name, such as {@code CUDA_ERROR_INVALID_VALUE}} */
    public String resultName() {
        return resultName;
    }

    /** {@return the number of the {@code CUresult}} */
    public int result() {
        return result;
    }

    /** {@return what to do about it; an empty string if no remedy is known} */
    public String remedy() {
        return remedy;
    }

    /**
     * Returns whether the context is lost. Work of a lost context does not continue and does not access memory, and
     * queued work never completes. A context is lost after an illegal address or another fault of a kernel, after a
     * kernel that took too long or an uncorrectable error of memory or links, and when it is destroyed or the driver
     * shuts down. For most of these errors, cuda.h requires that the process ends: a new context does not help.
     * {@link #remedy()} says what to do.
     *
     * <p>False does not mean that the context is intact. {@code CUDA_ERROR_UNKNOWN} and {@code CUDA_ERROR_NO_DEVICE}
     * also return false, because the driver does not define in which state they leave the work.
     *
     * @return whether the context is lost
     */
    public boolean isContextLost() {
        return LostContexts.isLost(result, call);
    }
}
