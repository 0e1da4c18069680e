// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
/**
 * NCCL: collective operations on several GPUs. A {@link io.github.rdma4j.gpudirect.nccl.NcclCommunicator} is one rank;
 * its collectives, sends and receives are put into {@link io.github.rdma4j.cuda.CudaStream streams}. Ranks find each
 * other by a {@link io.github.rdma4j.gpudirect.nccl.NcclUniqueId}. NCCL is opened on first use. A function that the
 * installed version lacks throws an exception that says so.
 *
 * @experimental It has been run on two GPUs, an NVIDIA H100 and an H200, but with one rank at a time.
 */
package io.github.rdma4j.gpudirect.nccl;
