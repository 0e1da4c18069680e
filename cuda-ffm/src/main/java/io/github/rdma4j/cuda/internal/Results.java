// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.OutOfDeviceMemoryException;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import io.github.rdma4j.cuda.bindings.PFN_cuGetErrorName_v6000;
import io.github.rdma4j.cuda.bindings.PFN_cuGetErrorString_v6000;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Map;

/** Names of results, and the exceptions for them. */
public final class Results {
    /** {@code CUDA_SUCCESS}, as a constant for the hot path. */
    public static final int SUCCESS = 0;

    private static final MethodHandle GET_NAME =
            Driver.function("cuGetErrorName", 6000, PFN_cuGetErrorName_v6000.descriptor());
    private static final MethodHandle GET_TEXT =
            Driver.function("cuGetErrorString", 6000, PFN_cuGetErrorString_v6000.descriptor());

    private static final Map<Integer, String> REMEDIES = Map.ofEntries(
            Map.entry(
                    CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY(),
                    "free memory of this process, or check in nvidia-smi which processes use the rest"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_INVALID_CONTEXT(),
                    "other code has destroyed the context of this object: create a new one"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_NO_DEVICE(),
                    "the GPU is gone: check whether nvidia-smi still lists it, and the kernel's log for messages of"
                            + " NVRM"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH(),
                    "the driver was changed under the running program: restart it, and the machine if that is not"
                            + " enough"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_JIT_COMPILER_NOT_FOUND(),
                    "install the driver's libnvidia-ptxjitcompiler, or load a cubin for this GPU"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES(),
                    "launch smaller blocks, or compile the kernel with fewer registers"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_DEVICE_UNAVAILABLE(),
                    "the GPU is gone or belongs to another process alone (compute mode EXCLUSIVE_PROCESS): see"
                            + " nvidia-smi"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_UNKNOWN(),
                    "see the kernel's log for messages of NVRM (Xid): the GPU may have fallen off the bus"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED(),
                    "use the existing registration; registrations cannot overlap"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED(),
                    "other code has unregistered the memory of this object"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_NO_BINARY_FOR_GPU(),
                    "compile the code for this GPU, or load PTX instead of a cubin"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_UNSUPPORTED_PTX_VERSION(),
                    "the PTX is newer than the driver: lower its .version, or install a newer driver"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_PEER_ACCESS_UNSUPPORTED(),
                    "copy through the host, or from context to context"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED(),
                    "call it before or after the capture; if only another stream is captured,"
                            + " CaptureMode.RELAXED permits it"),
            Map.entry(
                    CudaHeaders.CUDA_ERROR_NOT_PERMITTED(),
                    "the driver does not allow it here: see the documentation of this method"));

    private Results() {}

    /**
     * Throws if a call failed.
     *
     * @param result the result of the call
     * @param call the call with its arguments
     */
    public static void check(int result, String call) {
        if (result != SUCCESS) {
            throw failure(result, call);
        }
    }

    /**
     * Throws if a frequent call failed: the text of the call is composed only then.
     *
     * @param result the result of the call
     * @param format of the call
     * @param argument of the format
     */
    public static void check(int result, String format, long argument) {
        if (result != SUCCESS) {
            throw failure(result, format.formatted(argument));
        }
    }

    /**
     * Returns the exception for a failed call.
     *
     * @param result the result of the call, not success
     * @param call the call with its arguments
     * @return the exception to throw
     */
    public static CudaException failure(int result, String call) {
        return failure(result, call, "");
    }

    /**
     * Returns the exception for a failed call, with an explanation.
     *
     * @param result the result of the call, not success
     * @param call the call with its arguments
     * @param explanation more about the cause, or an empty string
     * @return the exception to throw
     */
    public static CudaException failure(int result, String call, String explanation) {
        return failure(result, call, explanation, remedy(result, call));
    }

    private static String remedy(int result, String call) {
        String ofLoss = LostContexts.remedy(result);
        // For calls with more arguments than the context, the result can refer to another argument.
        boolean isGuess = result == CudaHeaders.CUDA_ERROR_INVALID_CONTEXT() && !LostContexts.isLost(result, call);
        return ofLoss != null ? ofLoss : isGuess ? "" : REMEDIES.getOrDefault(result, "");
    }

    /**
     * Returns the exception for a failed call, with an explanation and a remedy.
     *
     * @param result the result of the call, not success
     * @param call the call with its arguments
     * @param explanation more about the cause, or an empty string
     * @param remedy what to do about it, or an empty string
     * @return the exception to throw
     */
    public static CudaException failure(int result, String call, String explanation, String remedy) {
        if (result == CudaHeaders.CUDA_ERROR_OUT_OF_MEMORY()) {
            return new OutOfDeviceMemoryException(call, name(result), result, text(result), explanation, remedy);
        }
        return new CudaException(call, name(result), result, text(result), explanation, remedy);
    }

    /**
     * Returns the name of a result.
     *
     * @param result of a call
     * @return such as {@code CUDA_ERROR_OUT_OF_MEMORY}
     */
    public static String name(int result) {
        return string(GET_NAME, result, "CUresult " + result);
    }

    /**
     * Returns the driver's text for a result.
     *
     * @param result of a call
     * @return such as {@code out of memory}
     */
    public static String text(int result) {
        return string(GET_TEXT, result, "no text in this driver");
    }

    private static String string(MethodHandle function, int result, String unknown) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment pointer = arena.allocate(ValueLayout.ADDRESS);
            if ((int) function.invokeExact(result, pointer.address()) != SUCCESS) {
                return unknown;
            }
            MemorySegment text = pointer.get(ValueLayout.ADDRESS, 0);
            return text.address() == 0 ? unknown : text.reinterpret(1024).getString(0);
        } catch (Throwable e) {
            throw Driver.unexpected(e);
        }
    }
}
