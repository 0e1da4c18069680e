// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import io.github.rdma4j.cuda.internal.LostContexts;

/**
 * A call that the CUDA driver refused: which one, with its arguments, the result by name and in the driver's words, and
 * the remedy where the cause is known. Work that was queued earlier may be what failed: the driver tells it to whoever
 * calls next.
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
     * A call that failed.
     *
     * @param call with its arguments, such as {@code cuMemAlloc(size=4096)}
     * @param resultName such as {@code CUDA_ERROR_INVALID_VALUE}
     * @param result the number of the {@code CUresult}
     * @param text the driver's words for it
     * @param explanation what else is known of the cause, or an empty string
     * @param remedy what can be done about it, or an empty string
     */
    public CudaException(String call, String resultName, int result, String text, String explanation, String remedy) {
        super(call + " failed: " + resultName + " (" + text + ")"
                + (explanation.isEmpty() ? "" : ": " + explanation)
                + (remedy.isEmpty() ? "" : ". Remedy: " + remedy));
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

    /** {@return what can be done about it; an empty string where nothing is known} */
    public String remedy() {
        return remedy;
    }

    /**
     * Whether it says that the context is lost: no work of this context goes on any more, so none of it touches memory
     * any more, and what was queued and not done is never done. It is so after an illegal address and other faults of a
     * kernel, a kernel that took too long, uncorrectable errors of memory and links, and for a context that was
     * destroyed or whose driver shuts down. For most of them cuda.h says that the process must end: a new context does
     * not help. {@link #remedy()} says which case it is.
     *
     * <p>False says nothing: the work may go on. That is so for {@code CUDA_ERROR_UNKNOWN} and
     * {@code CUDA_ERROR_NO_DEVICE}, too, of which nobody says in which state they leave the work.
     *
     * @return whether the context is lost
     */
    public boolean isContextLost() {
        return LostContexts.isLost(result, call);
    }
}
