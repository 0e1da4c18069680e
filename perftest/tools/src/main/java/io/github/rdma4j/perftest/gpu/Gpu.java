// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gpu;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.cuda.CudaException;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.CudaUnavailableException;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DmaBuf;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.cuda.OutOfDeviceMemoryException;
import io.github.rdma4j.gpudirect.DeviceRegion;
import io.github.rdma4j.gpudirect.GpuDirect;
import io.github.rdma4j.gpudirect.GpuDirectConfig;
import io.github.rdma4j.gpudirect.GpuPath;
import io.github.rdma4j.gpudirect.GpuPathUnavailableException;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.memory.RunBuffer;
import io.github.rdma4j.perftest.options.GpuMemoryType;
import io.github.rdma4j.perftest.options.GpuOptions;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;

/** The GPU of a test: its primary context, and a stream for copies each way. */
public final class Gpu implements AutoCloseable {
    /** As in the C tools: the granularity that an adapter's page tables may need. */
    private static final long ALIGNMENT = 64 << 10;

    /**
     * The folder that contains {@code sys}, in which peer-memory modules are searched; in a container it may differ
     * from the root.
     */
    private static final String ROOT_PROPERTY = "io.github.rdma4j.gpudirect.root";

    /** A copy of a buffer takes less time, or will not end. */
    private static final Duration LONGEST_COPY = Duration.ofSeconds(60);

    private final GpuOptions options;
    private final CudaContext context;
    private final CudaStream toHost;
    private final CudaStream toDevice;

    private Gpu(GpuOptions options, CudaContext context) {
        this.options = options;
        this.context = context;
        try {
            toHost = context.createStream();
            toDevice = context.createStream();
        } catch (RuntimeException failure) {
            context.close();
            throw failure;
        }
    }

    /**
     * Finds the GPU and retains its primary context.
     *
     * @throws IllegalParameterException when there is no such GPU; the message lists the existing GPUs
     * @throws PerftestException when CUDA cannot be used
     */
    public static Gpu open(GpuOptions options) {
        String option = options.ordinal() != null ? "--use_cuda" : "--use_cuda_bus_id";
        try {
            return new Gpu(options, find(options, option).retainPrimaryContext());
        } catch (CudaUnavailableException | CudaException failure) {
            throw new PerftestException(option + ": " + failure.getMessage(), "", failure);
        }
    }

    private static CudaDevice find(GpuOptions options, String option) {
        try {
            return options.ordinal() != null
                    ? Cuda.device(options.ordinal())
                    : Cuda.deviceByPciAddress(options.pciAddress());
        } catch (IllegalArgumentException failure) {
            throw new IllegalParameterException(option + ": "
                    + (options.ordinal() != null ? options.ordinal() : "'" + options.pciAddress() + "'")
                    + " is not allowed; there is "
                    + Cuda.devices().stream().map(CudaDevice::toString).collect(Collectors.joining("; ")));
        }
    }

    /**
     * Converts a failure of the GPU into an exception with a message for the user. Returns any other failure unchanged.
     */
    public static RuntimeException explain(RuntimeException failure) {
        return failure instanceof CudaException || failure instanceof GpuPathUnavailableException
                ? new PerftestException("GPU memory: " + failure.getMessage(), "", failure)
                : failure;
    }

    /** Returns the options. */
    public GpuOptions options() {
        return options;
    }

    /** Number, name and PCI address. */
    public String name() {
        return context.device().toString();
    }

    /** Returns the stream for copies to the host. */
    public CudaStream toHost() {
        return toHost;
    }

    /** Returns the stream for copies from the host. */
    public CudaStream toDevice() {
        return toDevice;
    }

    /** Returns the context of memory and events. */
    public CudaContext context() {
        return context;
    }

    /** Allocates memory of the kind in the options. */
    public DeviceMemory allocate(long bytes) {
        long rounded = Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT;
        try {
            return options.type() == GpuMemoryType.MANAGED
                    ? context.allocateManaged(rounded)
                    : context.allocate(rounded);
        } catch (OutOfDeviceMemoryException failure) {
            throw new PerftestException(
                    "GPU memory: " + failure.getMessage(),
                    "use smaller messages (-s) or fewer queue pairs (-q)",
                    failure);
        }
    }

    /** Allocates managed memory, which the processor can also access. */
    public RunBuffer managedBuffer(long bytes) {
        DeviceMemory memory = allocate(bytes);
        return RunBuffer.at(memory.deviceAddress(), bytes, memory::close);
    }

    /** Pinned host memory. */
    public HostMemory pin(long bytes) {
        try {
            return context.allocateHost(bytes);
        } catch (OutOfDeviceMemoryException failure) {
            throw new PerftestException(
                    "GPU memory, staged: " + failure.getMessage(),
                    "use smaller messages (-s), fewer queue pairs (-q) or a smaller depth (-t, -r)",
                    failure);
        }
    }

    /** Registers memory by the path in the options. */
    public DeviceRegion register(ProtectionDomain domain, DeviceMemory memory, AccessFlag... access) {
        return GpuDirect.on(domain, context, this::configure).register(memory, access);
    }

    private void configure(GpuDirectConfig config) {
        switch (options.path()) {
            case AUTO -> config.order(GpuPath.DMA_BUF, GpuPath.PEER_MEMORY, GpuPath.STAGED);
            case DMABUF -> config.only(GpuPath.DMA_BUF);
            case DATADIRECT -> config.only(GpuPath.DATA_DIRECT);
            case PEERMEM -> config.only(GpuPath.PEER_MEMORY);
            case STAGED -> config.only(GpuPath.STAGED);
        }
        if (options.pcieMapping()) {
            config.dmaBufMapping(DmaBuf.Mapping.PCIE);
        }
        String root = System.getProperty(ROOT_PROPERTY);
        if (root != null) {
            config.fileSystemRoot(Path.of(root));
        }
    }

    /** Waits until all work queued on a stream is done. */
    public static void await(CudaStream stream) {
        if (!stream.await(LONGEST_COPY)) {
            throw new PerftestException(
                    "GPU memory: a copy is not done after " + LONGEST_COPY.toSeconds() + " s",
                    "see whether the GPU still answers: nvidia-smi, dmesg");
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
