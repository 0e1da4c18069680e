// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.internal;

import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.cuda.CudaUnavailableException.Reason;
import io.github.rdma4j.cuda.bindings.CudaHeaders;
import java.util.Map;

/** Explains a failure of {@code cuInit}, or of the first call after it. */
public final class InitialisationFailures {
    private static final String SEE_THE_LOG =
            "check the kernel's log for messages of NVRM, and whether nvidia-smi works";

    private static final String MPS = "check that nvidia-cuda-mps-control runs for this user, and that"
            + " CUDA_MPS_PIPE_DIRECTORY names its folder, also in a container";
    /** The names of MPS's results, which the driver cannot be asked for before it has initialized. */
    private static final Map<Integer, String> MPS_RESULTS = Map.of(
            CudaHeaders.CUDA_ERROR_MPS_CONNECTION_FAILED(), "CUDA_ERROR_MPS_CONNECTION_FAILED",
            CudaHeaders.CUDA_ERROR_MPS_RPC_FAILURE(), "CUDA_ERROR_MPS_RPC_FAILURE",
            CudaHeaders.CUDA_ERROR_MPS_SERVER_NOT_READY(), "CUDA_ERROR_MPS_SERVER_NOT_READY",
            CudaHeaders.CUDA_ERROR_MPS_MAX_CLIENTS_REACHED(), "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED",
            CudaHeaders.CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED(), "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED");

    private InitialisationFailures() {}

    /** Uses only the number: the functions that name results are not available yet. */
    static CudaUnavailableException of(String call, int result) {
        CudaUnavailableException known = known(call, result);
        if (known != null) {
            return known;
        }
        String cause = "the driver did not initialise";
        return result == CudaHeaders.CUDA_ERROR_UNKNOWN()
                ? failed(
                        call,
                        "CUDA_ERROR_UNKNOWN",
                        cause,
                        "see that /dev/nvidia-uvm is there ('nvidia-modprobe -u' makes it) and that this process may open"
                                + " it; then " + SEE_THE_LOG)
                : failed(call, "result " + result, cause, SEE_THE_LOG);
    }

    /**
     * Returns the exception for a driver that has initialized but does not list its devices. If a service is stopped or
     * a device is missing, {@code cuInit} fails on some machines, and this call on others.
     *
     * @param refusal of the call that queries the devices
     * @return the exception to throw, whose cause is the refusal
     */
    public static CudaUnavailableException of(CudaException refusal) {
        CudaUnavailableException failure = known(refusal.call(), refusal.result());
        if (failure == null) {
            failure = failed(
                    refusal.call(),
                    refusal.resultName(),
                    "the driver has started, but does not list its devices",
                    refusal.remedy().isEmpty() ? SEE_THE_LOG : refusal.remedy());
        }
        failure.initCause(refusal);
        return failure;
    }

    /** Returns null for a result without a special meaning here. */
    private static CudaUnavailableException known(String call, int result) {
        if (result == CudaHeaders.CUDA_ERROR_NO_DEVICE()) {
            return new CudaUnavailableException(
                    Reason.NO_DEVICE,
                    call
                            + " returned CUDA_ERROR_NO_DEVICE: the driver is installed, but this process may not use any GPU",
                    "check whether nvidia-smi lists the GPU, whether CUDA_VISIBLE_DEVICES hides it, and whether this"
                            + " user may open /dev/nvidia*, which a container must be given");
        }
        if (result == CudaHeaders.CUDA_ERROR_STUB_LIBRARY()) {
            return new CudaUnavailableException(
                    Reason.NO_DRIVER,
                    call
                            + " returned CUDA_ERROR_STUB_LIBRARY: this libcuda.so.1 is the CUDA toolkit's stub to link"
                            + " against",
                    "take the folder lib64/stubs out of LD_LIBRARY_PATH, and install NVIDIA's driver");
        }
        if (result == CudaHeaders.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH()) {
            return failed(
                    call,
                    "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
                    "libcuda.so.1 and the loaded kernel module have different versions",
                    "restart the machine, or reload the module, after the update of the driver");
        }
        if (result == CudaHeaders.CUDA_ERROR_SYSTEM_NOT_READY()) {
            return failed(
                    call,
                    "CUDA_ERROR_SYSTEM_NOT_READY",
                    "a service that the GPUs need is not running",
                    "start nvidia-fabricmanager on machines with NVSwitch");
        }
        if (result == CudaHeaders.CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE()) {
            return failed(
                    call,
                    "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE",
                    "the forward-compatibility libcuda does not support this GPU",
                    "take the cuda-compat folder out of LD_LIBRARY_PATH");
        }
        if (MPS_RESULTS.containsKey(result)) {
            return failed(call, MPS_RESULTS.get(result), "NVIDIA's multi-process service (MPS) refused it", MPS);
        }
        return null;
    }

    private static CudaUnavailableException failed(String call, String result, String cause, String remedy) {
        return new CudaUnavailableException(
                Reason.INITIALISATION_FAILED, call + " returned " + result + ": " + cause, remedy);
    }
}
