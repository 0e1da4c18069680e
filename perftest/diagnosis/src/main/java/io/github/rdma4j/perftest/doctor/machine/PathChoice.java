// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.gpudirect.PathDecision;
import io.github.rdma4j.gpudirect.PathForecast;
import java.util.Optional;

/** Predicts the path by which a GPU's memory would be registered with an adapter, by the rules of registration. */
final class PathChoice {
    private final GpuInventory gpus;
    private final boolean peerMemoryModule;

    PathChoice(MachineFiles files, GpuInventory gpus) {
        this.gpus = gpus;
        this.peerMemoryModule = PathForecast.peerMemoryFile(files.path("")).isPresent();
    }

    /** Returns why the two cannot be used at all; empty if they can. */
    Optional<String> obstacle(CheckedGpu gpu, RdmaDevice adapter) {
        if (gpu.facts().isEmpty()) {
            return Optional.of("the GPU cannot be used: "
                    + gpus.problem().map(Problem::reason).orElse("CUDA does not show it"));
        }
        return adapter.problem().map(problem -> adapter.name() + " cannot be used: " + problem.reason());
    }

    /**
     * Returns the path of a usable GPU and a usable adapter. A value that an older driver does not report counts as no,
     * as in a registration.
     */
    PathDecision of(GpuFacts gpu, RdmaDevice adapter) {
        return new PathForecast(
                        new CudaVersion(gpus.cudaVersion()),
                        gpu.integrated(),
                        gpu.rdma() == Support.YES,
                        gpu.dmaBuf() == Support.YES,
                        Math.max(gpu.writesOrdering(), 0),
                        Math.max(gpu.flushOptions(), 0),
                        gpu.computeCapability(),
                        adapter.facts().orElseThrow().dmaBuf() == Support.YES,
                        adapter.isSoftware(),
                        peerMemoryModule)
                .decision();
    }
}
