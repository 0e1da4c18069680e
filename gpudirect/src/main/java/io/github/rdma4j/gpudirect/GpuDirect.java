// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaDevice;
import io.github.rdma4j.cuda.CudaVersion;
import io.github.rdma4j.cuda.DeviceAttribute;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePairConfig;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Combines a GPU and an adapter: registers GPU memory with the adapter over the first permitted path that works on this
 * machine. It needs no close.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class GpuDirect {
    private static final Set<AccessFlag> OF_HOST_MEMORY_ONLY =
            EnumSet.of(AccessFlag.ZERO_BASED, AccessFlag.ON_DEMAND, AccessFlag.HUGETLB);

    private final ProtectionDomain domain;
    private final Registrar registrar;
    private final CudaContext context;
    private final GpuDirectConfig config;
    private final CudaVersion driver;
    private final boolean integrated;
    private final boolean gpuDirect;
    private final boolean exportsDmaBufs;
    private final boolean adapterTakesDmaBufs;
    private final WriteOrdering ordering;
    private final ContextStore store;

    private GpuDirect(ProtectionDomain domain, Registrar registrar, CudaContext context, GpuDirectConfig config) {
        this.domain = domain;
        this.registrar = registrar;
        this.context = context;
        this.config = config;
        CudaDevice device = context.device();
        driver = Cuda.driverVersion();
        integrated = device.has(DeviceAttribute.INTEGRATED);
        gpuDirect = device.has(DeviceAttribute.GPU_DIRECT_RDMA_SUPPORTED);
        exportsDmaBufs = device.has(DeviceAttribute.DMA_BUF_SUPPORTED);
        ordering = WriteOrdering.of(device);
        adapterTakesDmaBufs = registrar.supportsDmaBuf();
        store = ContextStore.of(context);
    }

    /**
     * Combines an adapter and a GPU, with the default order of paths.
     *
     * @param domain of the adapter
     * @param context of the GPU
     * @return both together
     */
    public static GpuDirect on(ProtectionDomain domain, CudaContext context) {
        return on(domain, context, config -> {});
    }

    /**
     * Combines an adapter and a GPU. Their capabilities are queried now.
     *
     * @param domain of the adapter
     * @param context of the GPU
     * @param configuration changes the defaults
     * @return both together
     */
    public static GpuDirect on(ProtectionDomain domain, CudaContext context, Consumer<GpuDirectConfig> configuration) {
        return on(domain, Registrar.of(domain), context, configuration);
    }

    static GpuDirect on(
            ProtectionDomain domain,
            Registrar registrar,
            CudaContext context,
            Consumer<GpuDirectConfig> configuration) {
        GpuDirectConfig config = new GpuDirectConfig();
        configuration.accept(config);
        return new GpuDirect(domain, registrar, context, config);
    }

    /** {@return the adapter's protection domain} */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** {@return the GPU's context} */
    public CudaContext context() {
        return context;
    }

    /**
     * Returns the window through which adapters reach this GPU's memory: its size, how much this process has
     * registered, and how much all processes use. Reads sysfs and queries NVML.
     *
     * @return the current state
     */
    public Bar1Use bar1() {
        return DirectBytes.use(context.device(), config.fileSystemRoot());
    }

    GpuDirectConfig config() {
        return config;
    }

    WriteOrdering writeOrdering() {
        return ordering;
    }

    ContextStore store() {
        return store;
    }

    /**
     * Registers a whole allocation; see {@link #register(DeviceSlice, AccessFlag...)}. Prefer it to registering parts:
     * each registration takes whole pages of the GPU, which are large.
     *
     * @param memory of the context
     * @param access what the adapter and peers may do besides local reading
     * @return the region
     */
    public DeviceRegion register(DeviceMemory memory, AccessFlag... access) {
        return register(memory.slice(), access);
    }

    /**
     * Registers a part of device memory over the first permitted path that works. {@link DeviceRegion#decision()}
     * reports why no better one was taken.
     *
     * <p>Memory of the virtual-memory API may consist of several segments of physical memory, mapped side by side.
     *
     * <p>A channel creates its queue pair for device memory. If your own queue pair receives or reads into the region,
     * create it with {@link QueuePairConfig#scatterToCompletion scatterToCompletion(false)}. Otherwise mlx5 lets the
     * CPU copy small messages to the target, and a CPU access to device memory crashes the JVM.
     *
     * @param memory of the context, 1 byte or more
     * @param access what the adapter and peers may do besides local reading; not {@link AccessFlag#ZERO_BASED},
     *     {@link AccessFlag#ON_DEMAND} or {@link AccessFlag#HUGETLB}
     * @return the region, to be closed before or with the memory
     * @throws GpuPathUnavailableException if no permitted path works
     * @throws IllegalArgumentException if the flags are incompatible, the memory belongs to another context, or the
     *     driver does not know (or no longer knows) this memory
     * @throws IllegalStateException if the memory, the context or the domain is closed
     * @throws io.github.rdma4j.cuda.CudaException if the driver fails for another reason than that it cannot export the
     *     memory
     */
    public DeviceRegion register(DeviceSlice memory, AccessFlag... access) {
        Set<AccessFlag> flags = checkFlags(access);
        MappedRange range = checkMemory(memory);
        DeviceMemory whole = memory.memory();
        PathFacts facts = new PathFacts(
                driver,
                integrated,
                gpuDirect,
                exportsDmaBufs,
                ordering,
                whole.kind(),
                range.gpuDirectCapable(),
                adapterTakesDmaBufs,
                PeerMemoryModule.find(config.fileSystemRoot()).isPresent(),
                flags);
        DirectRegistration registration =
                new DirectRegistration(registrar, memory, config.dmaBufMapping(), this::bar1, access);
        PathDecision decision = PathRules.decide(memory.toString(), config.order(), facts, registration::attempt);
        DeviceRegion region = new DeviceRegion(this, memory, decision, registration, access.clone());
        try {
            whole.addDependent(region);
        } catch (IllegalStateException e) {
            // Another thread closed the memory, the context or the domain meanwhile.
            Undo.after(e, region);
            throw e;
        }
        return region;
    }

    /**
     * Prepares a channel that transfers device and host memory to and from a peer.
     *
     * @return the channel, to be connected with the peer's endpoint
     * @throws IllegalArgumentException if the chunk size exceeds the adapter's largest message
     */
    public PreparedChannel prepareChannel() {
        return prepareChannel(config -> {});
    }

    /**
     * Prepares a channel.
     *
     * @param queuePair configures the queue pair: port, GID, partition key; the channel itself sets its queues, depths,
     *     remote access and scatter to completions
     * @return the channel, to be connected with the peer's endpoint
     * @throws IllegalArgumentException if the chunk size exceeds the adapter's largest message
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public PreparedChannel prepareChannel(Consumer<QueuePairConfig> queuePair) {
        return new PreparedChannel(this, queuePair);
    }

    /**
     * Prepares a channel whose transfers CUDA streams start and wait for.
     *
     * @param proxy the thread that posts them
     * @return the channel, to be connected with the peer's endpoint
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public PreparedStreamChannel prepareStreamChannel(StreamProxy proxy) {
        return prepareStreamChannel(proxy, config -> {});
    }

    /**
     * Prepares a channel whose transfers CUDA streams start and wait for.
     *
     * @param proxy the thread that posts them
     * @param configuration changes the defaults
     * @return the channel, to be connected with the peer's endpoint
     * @throws io.github.rdma4j.verbs.VerbsException if the device refuses
     */
    public PreparedStreamChannel prepareStreamChannel(StreamProxy proxy, Consumer<StreamChannelConfig> configuration) {
        StreamChannelConfig settings = new StreamChannelConfig();
        configuration.accept(settings);
        return new PreparedStreamChannel(this, proxy, settings);
    }

    private static Set<AccessFlag> checkFlags(AccessFlag... access) {
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessFlag flag : access) {
            flags.add(Objects.requireNonNull(flag, "access flag"));
        }
        for (AccessFlag flag : OF_HOST_MEMORY_ONLY) {
            if (flags.contains(flag)) {
                throw new IllegalArgumentException("device memory cannot be registered with " + flag);
            }
        }
        if (!flags.contains(AccessFlag.LOCAL_WRITE)
                && (flags.contains(AccessFlag.REMOTE_WRITE) || flags.contains(AccessFlag.REMOTE_ATOMIC))) {
            throw new IllegalArgumentException(flags + ": remote writes and atomics also need LOCAL_WRITE");
        }
        return flags;
    }

    private MappedRange checkMemory(DeviceSlice memory) {
        if (memory.length() == 0) {
            throw new IllegalArgumentException("0 bytes cannot be registered");
        }
        CudaContext its = memory.memory().context();
        if (its.handle() != context.handle()) {
            throw new IllegalArgumentException(
                    "%s does not belong to %s: create a GpuDirect on its context".formatted(memory, context));
        }
        return MappedRange.of(context, memory);
    }
}
