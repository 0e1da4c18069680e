// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.verbs.AccessFlag;
import java.util.Set;

/**
 * All that is known before anything is tried; {@link PathRules} needs nothing else.
 *
 * @param driver the version of CUDA that the driver offers
 * @param integrated whether the GPU uses the host's memory
 * @param gpuDirect whether the device offers GPUDirect RDMA
 * @param exportsDmaBufs whether the device's memory can be exported
 * @param ordering of the adapter's writes
 * @param kind of the memory
 * @param memoryCapable whether the allocation was made for other devices
 * @param adapterTakesDmaBufs whether the adapter can register dma-bufs
 * @param peerMemoryModule whether such a module is loaded
 * @param access the flags that were asked for
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
