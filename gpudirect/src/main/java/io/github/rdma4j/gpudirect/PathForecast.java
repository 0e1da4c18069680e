// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.cuda.DeviceMemory;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Facts about a GPU, an adapter and a machine, which predict the path of a registration of plain device memory. Nothing
 * is registered, and the kernel may still refuse the predicted path.
 *
 * @param driver the CUDA version of the driver
 * @param integrated whether the GPU uses the host's memory
 * @param gpuDirect {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED}
 * @param exportsDmaBufs {@code CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED}
 * @param writesOrdering {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WRITES_ORDERING}
 * @param flushOptions {@code CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS}
 * @param computeCapability 10 times the major plus the minor number
 * @param adapterTakesDmaBufs whether the adapter can register dma-bufs
 * @param softwareAdapter whether the adapter is a software device, which can access only host memory
 * @param peerMemoryModule whether a peer-memory module is loaded
 * @since 0.1.0
 */
public record PathForecast(
        CudaVersion driver,
        boolean integrated,
        boolean gpuDirect,
        boolean exportsDmaBufs,
        int writesOrdering,
        int flushOptions,
        int computeCapability,
        boolean adapterTakesDmaBufs,
        boolean softwareAdapter,
        boolean peerMemoryModule) {

    /** {@return the path that {@link GpuDirect#register} would take by default, and why no better one} */
    public PathDecision decision() {
        if (softwareAdapter) {
            return new PathDecision(
                    GpuPath.STAGED,
                    List.of(
                            software(GpuPath.DMA_BUF, PathRefusal.Reason.DMA_BUF_UNSUPPORTED_BY_ADAPTER),
                            software(GpuPath.PEER_MEMORY, PathRefusal.Reason.REGISTRATION_REFUSED)));
        }
        PathFacts facts = new PathFacts(
                driver,
                integrated,
                gpuDirect,
                exportsDmaBufs,
                WriteOrdering.of(writesOrdering, flushOptions, computeCapability),
                DeviceMemory.Kind.ALLOCATED,
                true,
                adapterTakesDmaBufs,
                peerMemoryModule,
                Set.of());
        return PathRules.decide("device memory", GpuPath.USUAL, facts, _ -> Optional.empty());
    }

    /**
     * Finds the file by which a peer-memory module is recognized.
     *
     * @param root the folder that contains {@code sys}
     * @return the file with the module's version; empty if none is loaded
     */
    public static Optional<Path> peerMemoryFile(Path root) {
        return PeerMemoryModule.find(root);
    }

    private static PathRefusal software(GpuPath path, PathRefusal.Reason reason) {
        return new PathRefusal(
                path, reason, "the adapter is a software device: the CPU makes its packets from host memory", "");
    }
}
