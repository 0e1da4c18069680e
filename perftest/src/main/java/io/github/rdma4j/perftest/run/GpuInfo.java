// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathDecision;
import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.perftest.gpu.Gpu;
import java.util.List;

/**
 * The GPU whose memory is measured, and how the adapter reaches it.
 *
 * @param gpu number, name and PCI address
 * @param memory the kind of memory
 * @param path as on the command line; {@code odp} for memory that is paged on demand
 * @param note what the path means for the figures, or an empty string
 * @param refused why each better path was not taken, in the order in which they were tried
 */
public record GpuInfo(String gpu, String memory, String path, String note, List<Refused> refused) {
    /**
     * A path that was not taken.
     *
     * @param path as on the command line
     * @param why in words
     */
    public record Refused(String path, String why) {}

    private static final String STAGED = "each message is copied to or from pinned host memory";

    /** Copies the list. */
    public GpuInfo {
        refused = List.copyOf(refused);
    }

    /** Of memory that was registered. */
    static GpuInfo of(Gpu gpu, PathDecision decision) {
        return new GpuInfo(
                gpu.name(),
                gpu.options().type().words(),
                word(decision.path()),
                decision.path().isDirect() ? "" : STAGED,
                decision.refusals().stream().map(GpuInfo::refused).toList());
    }

    /** Of memory that the adapter and the GPU fault in. */
    static GpuInfo onDemand(Gpu gpu) {
        return new GpuInfo(
                gpu.name(), gpu.options().type().words(), "odp", "pages are where they were used last", List.of());
    }

    private static String word(GpuPath path) {
        return switch (path) {
            case DMA_BUF -> "dmabuf";
            case PEER_MEMORY -> "peermem";
            case STAGED -> "staged";
        };
    }

    private static Refused refused(PathRefusal refusal) {
        return new Refused(
                word(refusal.path()),
                refusal.explanation() + (refusal.remedy().isEmpty() ? "" : " (" + refusal.remedy() + ")"));
    }
}
