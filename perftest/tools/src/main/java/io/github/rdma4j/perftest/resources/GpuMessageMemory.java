// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.DeviceRegion;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.PathDecision;
import io.github.rdma4j.gpudirect.PathRefusal;
import io.github.rdma4j.perftest.gpu.Gpu;
import io.github.rdma4j.perftest.memory.RunBuffer;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.result.GpuInfo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A buffer on a GPU. On a direct path the adapter accesses it. On the staged path the adapter accesses a mirror in host
 * memory. Data that a peer writes without this side's program is copied to the GPU when the run is over. Messages that
 * this side's program handles go through a {@link StagingArea}.
 */
public final class GpuMessageMemory implements MessageMemory {
    /** The buffer is filled by copies of this many bytes. */
    private static final int CHUNK = 1 << 20;

    private static final int PAGE = 4096;

    private static final String STAGED = "each message is copied to or from pinned host memory";

    private final Gpu gpu;
    private final DeviceMemory memory;
    private final DeviceRegion region;
    private final MemoryRegion adapters;
    private final Arena arena = Arena.ofShared();
    private final long bytes;
    /** Null before the first use. */
    private MemorySegment contents;
    /** Null before the first use. */
    private HostMemory words;

    /**
     * Allocates and registers the buffer, filled with zeros.
     *
     * @throws io.github.rdma4j.gpudirect.GpuPathUnavailableException when the machine does not support the chosen path
     */
    GpuMessageMemory(Gpu gpu, ProtectionDomain domain, long bytes, AccessFlag... access) {
        this.gpu = gpu;
        this.bytes = bytes;
        this.memory = gpu.allocate(bytes);
        DeviceRegion registered = null;
        try {
            memory.fill(0, memory.size(), (byte) 0);
            registered = gpu.register(domain, memory, access);
            region = registered;
            adapters = registered.memoryRegion();
            mirror();
        } catch (RuntimeException failure) {
            try {
                close(registered);
            } catch (RuntimeException inClose) {
                failure.addSuppressed(inClose);
            }
            throw failure;
        }
    }

    /**
     * Returns the path that a run would take, by registering memory.
     *
     * @throws io.github.rdma4j.gpudirect.GpuPathUnavailableException when the machine does not support the chosen path
     */
    public static GpuInfo pathOf(RunDevice device, RunParameters parameters) {
        try (ProtectionDomain domain = device.context().allocateProtectionDomain();
                GpuMessageMemory memory =
                        new GpuMessageMemory(device.gpu(), domain, 1, RunQueuePairs.memoryAccess(device, parameters))) {
            return memory.info();
        }
    }

    /** Has the mirror begin as the device memory does. */
    private void mirror() {
        if (isStaged()) {
            region.publish(0, memory.size(), gpu.toHost());
            Gpu.await(gpu.toHost());
        }
    }

    /** The GPU whose memory it is. */
    public Gpu gpu() {
        return gpu;
    }

    /** The memory itself. */
    public DeviceMemory device() {
        return memory;
    }

    /** Returns the path to the buffer, and why there is no better one. */
    GpuInfo info() {
        PathDecision decision = region.decision();
        return new GpuInfo(
                gpu.name(),
                gpu.options().type().words(),
                word(decision.path()),
                decision.path().isDirect() ? "" : STAGED,
                decision.refusals().stream().map(GpuMessageMemory::refused).toList());
    }

    private static String word(GpuPath path) {
        return switch (path) {
            case DATA_DIRECT -> "datadirect";
            case DMA_BUF -> "dmabuf";
            case PEER_MEMORY -> "peermem";
            case STAGED -> "staged";
        };
    }

    private static GpuInfo.Refused refused(PathRefusal refusal) {
        return new GpuInfo.Refused(
                word(refusal.path()),
                refusal.explanation() + (refusal.remedy().isEmpty() ? "" : " (" + refusal.remedy() + ")"));
    }

    /** Returns whether the adapter does not reach it. */
    public boolean isStaged() {
        return region.path() == GpuPath.STAGED;
    }

    /** Returns the mirror that the adapter accesses; only where {@link #isStaged()}. */
    public MemorySegment staged() {
        return adapters.segment();
    }

    /** A little pinned memory, for copies of single bytes. */
    public MemorySegment words() {
        if (words == null) {
            words = gpu.pin(PAGE);
        }
        return words.segment();
    }

    @Override
    public MemorySlice slice(long offset, long length) {
        return adapters.slice(offset, length);
    }

    @Override
    public long remoteAddress(long offset) {
        return region.remoteMemory().address() + offset;
    }

    @Override
    public int remoteKey(long offset) {
        return adapters.remoteKey();
    }

    @Override
    public MemorySegment contents() {
        if (contents == null) {
            contents = arena.allocate(bytes, 64);
        }
        return contents;
    }

    @Override
    public void fill(byte[] content) {
        byte[] pattern = content == null ? RunBuffer.noise(bytes) : content;
        try (Arena chunk = Arena.ofConfined()) {
            long whole = Math.min(
                    Math.max(1, CHUNK / pattern.length) * (long) pattern.length, Math.max(bytes, pattern.length));
            MemorySegment source = chunk.allocate(whole);
            RunBuffer.repeat(pattern, source);
            for (long at = 0; at < bytes; at += whole) {
                memory.copyFrom(at, source.asSlice(0, Math.min(whole, bytes - at)));
            }
        }
        mirror();
    }

    @Override
    public void publish() {
        if (contents != null) {
            push(0, bytes);
        }
        mirror();
    }

    /** Copies a part of {@link #contents()} to the device. */
    public void push(long offset, long length) {
        memory.copyFrom(offset, contents().asSlice(offset, length));
    }

    /** Copies a part of the device's memory to {@link #contents()}. */
    public void pull(long offset, long length) {
        memory.copyTo(offset, contents().asSlice(offset, length));
    }

    @Override
    public void absorb(long[] written) {
        for (int i = 0; i < written.length; i += 2) {
            region.absorb(written[i], written[i + 1], gpu.toDevice());
        }
        Gpu.await(gpu.toDevice());
        if (contents != null) {
            pull(0, bytes);
        }
    }

    @Override
    public void close() {
        close(region);
    }

    private void close(DeviceRegion registered) {
        if (words != null) {
            words.close();
        }
        if (registered != null) {
            registered.close();
        }
        memory.close();
        arena.close();
    }
}
