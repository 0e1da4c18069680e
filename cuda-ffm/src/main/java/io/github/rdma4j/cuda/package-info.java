// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * The CUDA driver API: devices, contexts, memory, streams, events and kernels.
 *
 * <p>{@link io.github.rdma4j.cuda.Cuda} is the way in. It says whether CUDA can be used here, and why not; nothing is
 * loaded before it is asked. A {@link io.github.rdma4j.cuda.CudaDevice} gives a
 * {@link io.github.rdma4j.cuda.CudaContext}, which makes all the rest and closes it.
 *
 * <p><b>Contexts and threads.</b> CUDA calls belong to the context that is current on the calling thread. Nobody needs
 * to think of it here: each method makes its own object's context current, and leaves it so.
 *
 * <p><b>Errors.</b> What the driver refuses is a {@link io.github.rdma4j.cuda.CudaException} with the call, the result
 * by name, the driver's words and, where one is known, the remedy. CUDA reports errors of work that was queued before
 * at some later call: the call that is named may not be the one at fault.
 *
 * <p><b>Waiting</b> takes a time limit. Copies that return when they are done, and calls that allocate or free, wait
 * inside the driver, which has no limit.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200.
 */
package io.github.rdma4j.cuda;
