// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.verbs.AccessFlag;
import java.util.Set;

/**
 * Everything that is known before an attempt. {@link PathRules} needs nothing else.
 *
 * @param driver the CUDA version of the driver
 * @param integrated whether the GPU uses the host's memory
 * @param gpuDirect whether the device supports GPUDirect RDMA
 * @param exportsDmaBufs whether the device's memory can be exported
 * @param ordering of the adapter's writes
 * @param kind of the memory
 * @param memoryCapable whether the allocation was made with the GPUDirect RDMA flag
 * @param adapterTakesDmaBufs whether the adapter can register dma-bufs
 * @param peerMemoryModule whether a peer-memory module is loaded
 * @param access the requested flags
 */
record PathFacts(
        CudaVersion driver,
        boolean integrated,
        boolean gpuDirect,
        boolean exportsDmaBufs,
        WriteOrdering ordering,
        DeviceMemory.Kind kind,
        boolean memoryCapable,
        boolean adapterTakesDmaBufs,
        boolean peerMemoryModule,
        Set<AccessFlag> access) {}
