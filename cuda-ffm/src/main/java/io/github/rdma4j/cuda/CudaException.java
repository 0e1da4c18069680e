// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

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
}
