// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.PathRefusal.Reason;
import io.github.rdma4j.verbs.AccessFlag;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Decides on a path from facts alone: docs/findings.md lists the rules in a table. */
final class PathRules {
    /** The first version with cuMemGetHandleForAddressRange. */
    private static final int FIRST_WITH_DMA_BUF = 11070;

    private static final Set<AccessFlag> DMA_BUF_FLAGS = EnumSet.of(
            AccessFlag.LOCAL_WRITE,
            AccessFlag.REMOTE_WRITE,
            AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC,
            AccessFlag.RELAXED_ORDERING);

    private PathRules() {}

    /**
     * Returns the first path of the order that no fact rules out and whose attempt succeeds.
     *
     * @param memory in words
     * @param attempt attempts a path, and returns the reason if it fails
     * @throws GpuPathUnavailableException if no path works
     */
    static PathDecision decide(
            String memory, List<GpuPath> order, PathFacts facts, Function<GpuPath, Optional<PathRefusal>> attempt) {
        List<PathRefusal> refusals = new ArrayList<>();
        for (GpuPath path : order) {
            Optional<PathRefusal> refusal = refusal(path, facts).or(() -> attempt.apply(path));
            if (refusal.isEmpty()) {
                return new PathDecision(path, refusals);
            }
            refusals.add(refusal.get());
        }
        throw new GpuPathUnavailableException(memory, refusals);
    }

    /** Returns the reason why the facts rule out a path. */
    static Optional<PathRefusal> refusal(GpuPath path, PathFacts facts) {
        if (!path.isDirect()) {
            return Optional.empty();
        }
        return ofDevice(path, facts)
                .or(() -> ofMemory(path, facts))
                .or(() -> path == GpuPath.PEER_MEMORY ? ofPeerMemory(facts) : ofDmaBuf(path, facts));
    }

    private static Optional<PathRefusal> ofDevice(GpuPath path, PathFacts facts) {
        if (facts.integrated()) {
            return refuse(
                    path,
                    Reason.INTEGRATED_GPU,
                    "the GPU is integrated and uses the host's memory",
                    "allocate and register pinned host memory: it is the GPU's memory here");
        }
        if (facts.ordering() == WriteOrdering.UNORDERED) {
            return refuse(
                    path,
                    Reason.WRITES_UNORDERED,
                    "the GPU neither orders the adapter's writes nor lets the host flush them, so a kernel could"
                            + " read old data",
                    "");
        }
        return Optional.empty();
    }

    private static Optional<PathRefusal> ofMemory(GpuPath path, PathFacts facts) {
        if (facts.kind() == DeviceMemory.Kind.MANAGED) {
            return refuse(
                    path,
                    Reason.MANAGED_MEMORY,
                    "managed memory migrates between host and device, so an adapter cannot pin it",
                    "allocate with CudaContext.allocate");
        }
        // Driver 580 exports pool memory as a dma-buf, although the manual mentions only other kinds: the attempt
        // decides.
        if (facts.kind() == DeviceMemory.Kind.POOL && path == GpuPath.PEER_MEMORY) {
            return refuse(
                    path,
                    Reason.POOL_MEMORY,
                    "peer-memory modules do not support memory of a pool (cuMemAllocAsync)",
                    "allocate with CudaContext.allocate; frameworks have a setting for it");
        }
        if (facts.kind() == DeviceMemory.Kind.VIRTUAL && !facts.memoryCapable()) {
            return refuse(
                    path,
                    Reason.MEMORY_NOT_CAPABLE,
                    "the memory was made with cuMemCreate without gpuDirectRDMACapable",
                    "set that flag, or allocate with CudaContext.allocateGpuDirect");
        }
        return Optional.empty();
    }

    private static Optional<PathRefusal> ofDmaBuf(GpuPath path, PathFacts facts) {
        if (facts.driver().number() < FIRST_WITH_DMA_BUF) {
            return refuse(
                    path,
                    Reason.DRIVER_TOO_OLD,
                    "the driver supports CUDA %s, but exporting dma-bufs needs CUDA %s"
                            .formatted(facts.driver(), new CudaVersion(FIRST_WITH_DMA_BUF)),
                    "install driver 515 or later, with the open kernel modules");
        }
        if (!facts.exportsDmaBufs()) {
            return refuse(
                    path,
                    Reason.DMA_BUF_UNSUPPORTED_BY_GPU,
                    "the driver cannot export this GPU's memory (CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0)",
                    "install the open kernel modules of driver 515 or later, on Linux 5.12 or later; GeForce cards may"
                            + " not have it at all");
        }
        if (!facts.adapterTakesDmaBufs()) {
            return refuse(
                    path,
                    Reason.DMA_BUF_UNSUPPORTED_BY_ADAPTER,
                    "the adapter's driver or libibverbs cannot register dma-bufs (queried with file descriptor -1)",
                    "use an adapter whose driver can (mlx5, irdma, efa, bnxt_re), Linux 5.12 and rdma-core 34 or later");
        }
        Set<AccessFlag> unknown = EnumSet.noneOf(AccessFlag.class);
        unknown.addAll(facts.access());
        unknown.removeAll(DMA_BUF_FLAGS);
        if (!unknown.isEmpty()) {
            return refuse(
                    path,
                    Reason.ACCESS_FLAGS,
                    "a dma-buf cannot be registered with " + unknown,
                    "register without " + unknown);
        }
        return Optional.empty();
    }

    private static Optional<PathRefusal> ofPeerMemory(PathFacts facts) {
        GpuPath path = GpuPath.PEER_MEMORY;
        if (!facts.gpuDirect()) {
            return refuse(
                    path,
                    Reason.GPU_DIRECT_UNSUPPORTED,
                    "the GPU does not offer GPUDirect RDMA (CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED is 0)",
                    "use a data-centre or RTX professional GPU");
        }
        if (!facts.peerMemoryModule()) {
            return refuse(
                    path,
                    Reason.PEER_MEMORY_MODULE_ABSENT,
                    "no peer-memory module is loaded (none of " + String.join(", ", PeerMemoryModule.FILES) + ")",
                    "run modprobe nvidia_peermem, which needs the ib_core of MLNX_OFED or DOCA-OFED");
        }
        return Optional.empty();
    }

    private static Optional<PathRefusal> refuse(GpuPath path, Reason reason, String explanation, String remedy) {
        return Optional.of(new PathRefusal(path, reason, explanation, remedy));
    }
}
