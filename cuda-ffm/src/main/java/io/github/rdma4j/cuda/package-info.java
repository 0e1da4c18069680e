// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The CUDA driver API: devices, contexts, memory, streams, events and kernels.
 *
 * <p>{@link io.github.rdma4j.cuda.Cuda} is the entry point. It reports whether CUDA can be used, and why not. Nothing
 * is loaded before its first call. A {@link io.github.rdma4j.cuda.CudaDevice} returns a
 * {@link io.github.rdma4j.cuda.CudaContext}, which creates all other objects and closes them.
 *
 * <p><b>Contexts and threads.</b> CUDA calls belong to the context that is current on the calling thread. The methods
 * here make the context of their object current and leave it current.
 *
 * <p><b>Errors.</b> If the driver refuses a call, the method throws a {@link io.github.rdma4j.cuda.CudaException} with
 * the call, the name of the result, the driver's description and, if it is known, the remedy. CUDA reports errors of
 * queued work at some later call, so the named call may not be the cause.
 *
 * <b>Waiting</b> methods have a timeout. Synchronous copies, and calls that allocate or free, wait inside the driver
 * without a timeout.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200.
 */
package io.github.rdma4j.cuda;
