// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_pd;
import io.github.rdma4j.verbs.device.DataDirectSupport;
import io.github.rdma4j.verbs.internal.ControlGroupMemory;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.MemoryInformation;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.PageSize;
import io.github.rdma4j.verbs.internal.device.DataDirect;
import io.github.rdma4j.verbs.internal.explain.RegistrationFailures;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * A protection domain ({@code struct ibv_pd}). A queue pair can only use memory that is registered in its own
 * protection domain.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public sealed class ProtectionDomain extends Resource permits ParentDomain, ImportedProtectionDomain {

    private final DeviceContext context;
    /** The open windows of the tree of domains, in the domain at its root. Guarded by the tree's lock. */
    private final Set<MemoryWindow> windows = new LinkedHashSet<>();

    private final MemorySegment domain;

    ProtectionDomain(DeviceContext context) {
        super(context);
        this.context = context;
        this.domain = ExportedVerb.ALLOC_PD.pointer(context.segment());
        if (domain.address() == 0) {
            throw Failures.of("ibv_alloc_pd(" + context.device().name() + ")", NativeCalls.lastErrno());
        }
    }

    /** For domains that stand for another domain, or belong to another process. */
    ProtectionDomain(DeviceContext context, MemorySegment domain, Resource... parents) {
        super(parents);
        this.context = context;
        this.domain = domain;
    }

    /** {@return the device that the domain belongs to} */
    public DeviceContext context() {
        return context;
    }

    /**
     * Returns the kernel's handle of the domain, by which a process that has imported the device can import the domain.
     *
     * @return the handle, valid together with {@link DeviceContext#commandDescriptor()}
     */
    public int kernelHandle() {
        return locked(() -> ibv_pd.handle(domain.reinterpret(ibv_pd.sizeof())));
    }

    /**
     * Allocates a parent domain of this domain (ibv_alloc_parent_domain(3)). It has the same protection, and adds a
     * thread domain or an allocator for the resources created in it.
     *
     * @param configuration sets them
     * @return the parent domain, to be closed before or with this domain
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, has none
     * @throws VerbsException if the device refuses
     */
    public ParentDomain allocateParentDomain(Consumer<ParentDomainConfig> configuration) {
        ParentDomainConfig config = new ParentDomainConfig();
        configuration.accept(config);
        return createChild(() -> ParentDomain.allocate(this, config));
    }

    /**
     * Imports a memory region of another process (ibv_import_mr(3)), into a domain of an imported device. Closing it
     * here only ends the import (ibv_unimport_mr(3)). The region has no segment: the two processes arrange whether and
     * where its memory is mapped in this process.
     *
     * @param kernelHandle the other process's {@link MemoryRegion#kernelHandle()}
     * @param address the other process's {@link MemoryRegion#address()}, which also names the first byte in this
     *     process's work requests
     * @param access the rights that it was registered with, for the checks of the posting methods
     * @return the region, to be closed before or with this domain
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, cannot import
     * @throws VerbsException if there is no such region
     */
    public MemoryRegion importMemoryRegion(int kernelHandle, long address, AccessFlag... access) {
        return createChild(() -> MemoryRegion.importHandle(this, kernelHandle, address, access));
    }

    /**
     * Creates a receive work queue (ibv_create_wq(3)).
     *
     * @param completionQueue the queue in which its receives complete, of the same device context
     * @param configuration sets what differs from the defaults
     * @return the queue, in the state RESET; to be closed before or with this domain
     * @throws IllegalArgumentException if a value is out of the device's range; the message has both numbers
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, has none
     * @throws VerbsException if the device refuses
     */
    public WorkQueue createWorkQueue(CompletionQueue completionQueue, Consumer<WorkQueueConfig> configuration) {
        WorkQueueConfig config = new WorkQueueConfig();
        configuration.accept(config);
        config.check(context.device().name(), context.limits());
        if (completionQueue.context() != context) {
            throw new IllegalArgumentException(completionQueue + " is not of the same device context as " + this);
        }
        return createChild(() -> new WorkQueue(this, completionQueue, config));
    }

    /** Returns the underlying domain: this one, or the domain that a parent domain was allocated from. */
    ProtectionDomain root() {
        return this;
    }

    /** Returns whether resources of the two domains can be used together. */
    boolean isSameAs(ProtectionDomain other) {
        return root() == other.root();
    }

    /**
     * Registers memory with the adapter (ibv_reg_mr(3)). The pages are pinned; the adapter may read them, and do what
     * the flags allow. The region keeps the segment reachable, so an automatic arena does not free it.
     *
     * <p>Closing the segment's arena closes the region first, so the adapter does not write to memory that has been
     * freed. Outstanding requests then fail, as after a close of the region, and new requests throw an
     * {@link IllegalStateException}. There is one exception: {@link Arena#ofConfined()} frees its first allocation a
     * few microseconds before the region is closed, and a peer's write in that time can hit memory that has been
     * reused. {@link Arena#ofShared()} and {@link #allocateMemory} do not have this gap.
     *
     * @param segment native memory of any size above 0, also above 2 GiB
     * @param access the rights, besides local reading; remote writing and atomics need {@link AccessFlag#LOCAL_WRITE}
     * @return the region, to be closed before or with this domain
     * @throws IllegalArgumentException if the segment is empty, on the heap, or read-only with a writing flag, or the
     *     flags do not go together
     * @throws WrongThreadException if the segment's arena is confined to another thread
     * @throws IllegalStateException if the segment's arena is closed
     * @throws VerbsException if the kernel refuses; if locked memory runs out, the message gives the limit and how to
     *     raise it
     */
    public MemoryRegion registerMemory(MemorySegment segment, AccessFlag... access) {
        return registerMemory(segment, segment.address(), access);
    }

    /**
     * Registers memory at a chosen address (ibv_reg_mr_iova(3)): work requests name its first byte by that address. See
     * also {@link #registerMemory(MemorySegment, AccessFlag...)}.
     *
     * @param segment native memory of any size above 0
     * @param iova the address of the first byte in work requests; with the same offset within a page as the segment
     * @param access the rights, besides local reading
     * @return the region, to be closed before or with this domain
     * @throws IllegalArgumentException if an argument is invalid
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion registerMemory(MemorySegment segment, long iova, AccessFlag... access) {
        int flags = AccessFlag.mask(access);
        MemoryRegistration.checkMemory(segment, flags);
        return createChild(() -> MemoryRegion.ofUserMemory(
                this, segment, () -> MemoryRegistration.ofHostMemory(this, segment, iova, null, flags)));
    }

    /**
     * Registers host memory, bare addresses or a dma-buf, with all options (ibv_reg_mr_ex(3)). The newer verb is called
     * only for a {@link DmaHandle}, so everything else works with every rdma-core.
     *
     * @param configuration sets what to register; the memory is required
     * @return the region, to be closed before or with this domain
     * @throws IllegalArgumentException if the values contradict each other
     * @throws UnsupportedVerbException if the library is too old for an option, or the device does not support it
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion registerMemory(Consumer<RegistrationConfig> configuration) {
        RegistrationConfig config = new RegistrationConfig();
        configuration.accept(config);
        config.check(this);
        Resource[] others = config.dmaHandle() == null ? new Resource[0] : new Resource[] {config.dmaHandle()};
        MemorySegment segment = config.segment();
        if (segment == null) {
            return createChild(() -> new MemoryRegion(this, MemoryRegistration.of(this, config), null, others));
        }
        MemoryRegistration.checkMemory(segment, config.access());
        return createChild(
                () -> MemoryRegion.ofUserMemory(this, segment, () -> MemoryRegistration.of(this, config), others));
    }

    /**
     * Registers the whole address space of the process, including future mappings, with on-demand paging (implicit ODP,
     * ibv_reg_mr(3)). Nothing is pinned, and {@link MemoryRegion#slice(MemorySegment)} makes any native segment usable.
     *
     * @param access the rights, besides local reading; {@link AccessFlag#ON_DEMAND} is implied
     * @return the region, to be closed before or with this domain
     * @throws IllegalArgumentException if the flags contradict each other
     * @throws UnsupportedVerbException if the device has no implicit on-demand paging
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion registerAddressSpace(AccessFlag... access) {
        return createChild(
                () -> new MemoryRegion(this, MemoryRegistration.ofAddressSpace(this, AccessFlag.mask(access)), null));
    }

    /**
     * Allocates a null memory region (ibv_alloc_null_mr(3)). The adapter reads zeros from it and drops writes to it, at
     * any address and of any length. Use it for parts of a message that are not needed.
     *
     * @return the region, to be closed before or with this domain
     * @throws UnsupportedVerbException if the device has none
     * @throws VerbsException if it fails
     */
    public MemoryRegion allocateNullMemoryRegion() {
        return createChild(() -> new MemoryRegion(this, MemoryRegistration.ofNothing(this), null));
    }

    /**
     * Registers a part of a dma-buf, which is memory of another device such as a GPU (ibv_reg_dmabuf_mr(3)). Queue
     * pairs that receive or read into it need {@link QueuePairConfig#scatterToCompletion scatterToCompletion(false)}.
     *
     * @param fileDescriptor the dma-buf; it may be closed once this returns
     * @param offset the first byte, from the start of the dma-buf
     * @param length in bytes, above 0
     * @param iova the address of the first byte in work requests; with the same offset within a page as the first byte
     * @param access of {@link AccessFlag#LOCAL_WRITE}, {@link AccessFlag#REMOTE_WRITE}, {@link AccessFlag#REMOTE_READ},
     *     {@link AccessFlag#REMOTE_ATOMIC} and {@link AccessFlag#RELAXED_ORDERING}
     * @return the region, which has no segment, to be closed before or with this domain
     * @throws IllegalArgumentException if an argument is invalid
     * @throws UnsupportedVerbException if the device or its driver does not support it, and before rdma-core 34;
     *     {@link #supportsDmaBuf()} checks this
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion registerDmaBuf(int fileDescriptor, long offset, long length, long iova, AccessFlag... access) {
        return createChild(() -> new MemoryRegion(
                this,
                MemoryRegistration.ofDmaBuf(
                        this, fileDescriptor, offset, length, iova, null, false, AccessFlag.mask(access)),
                null));
    }

    /**
     * Returns whether the device and its driver can register dma-bufs. Tests it with an invalid file descriptor: they
     * can if the error is EBADF.
     *
     * @return false if they do not support it, and before rdma-core 34
     */
    public boolean supportsDmaBuf() {
        return locked(() -> MemoryRegistration.dmaBufSupported(this));
    }

    /**
     * Returns whether the adapter has a Data Direct engine, for {@link RegistrationConfig#dataDirect()}
     * (mlx5dv_get_data_direct_sysfs_path(3)).
     *
     * @return the engine's PCI function, or why there is none: another adapter, or a libmlx5 or a kernel that is too
     *     old
     */
    public DataDirectSupport dataDirect() {
        return locked(() -> DataDirect.of(context().driver(), context().segment()));
    }

    /**
     * Registers a part of the device's own memory (ibv_reg_dm_mr(3)). The region has no segment; in work requests its
     * addresses start at 0. Queue pairs that receive or read into it need
     * {@link QueuePairConfig#scatterToCompletion scatterToCompletion(false)}.
     *
     * @param memory of the same device context
     * @param offset the first byte, from the start of the device memory
     * @param length in bytes, above 0
     * @param access the rights, besides local reading; {@link AccessFlag#ZERO_BASED} is implied
     * @return the region, to be closed before or with this domain and the device memory
     * @throws IllegalArgumentException if an argument is invalid
     * @throws IndexOutOfBoundsException if the part does not lie within the device memory
     * @throws VerbsException if the kernel refuses
     */
    public MemoryRegion registerAdapterMemory(AdapterMemory memory, long offset, long length, AccessFlag... access) {
        if (memory.context() != context) {
            throw new IllegalArgumentException(memory + " belongs to another device context");
        }
        Objects.checkFromIndexSize(offset, length, memory.length());
        return createChild(() -> new MemoryRegion(
                this,
                MemoryRegistration.ofAdapterMemory(this, memory, offset, length, AccessFlag.mask(access)),
                null,
                memory));
    }

    /**
     * Allocates memory through the adapter's driver (ibv_alloc_buf(3), rdma-core 64).
     *
     * @param size in bytes, above 0
     * @return the buffer, to be closed before or with this domain
     * @throws UnsupportedVerbException if the library is too old
     * @throws VerbsException if it fails
     */
    public ProviderBuffer allocateBuffer(long size) {
        if (size < 1) {
            throw new IllegalArgumentException("a buffer of " + size + " bytes");
        }
        return createChild(() -> new ProviderBuffer(this, size));
    }

    /**
     * Advises the adapter about the use of memory with on-demand paging (ibv_advise_mr(3)), to avoid page faults later.
     *
     * @param advice the intended use
     * @param wait whether to return only when it is done ({@code IBV_ADVISE_MR_FLAG_FLUSH})
     * @param slices of regions of this domain that were registered with {@link AccessFlag#ON_DEMAND}; at least one
     * @throws IllegalArgumentException if a region is of another domain, was registered without
     *     {@link AccessFlag#ON_DEMAND}, or has no write access and the advice is to prefetch for writing
     * @throws UnsupportedVerbException if the device does not support this advice
     * @throws VerbsException if it fails
     */
    public void adviseMemory(MemoryAdvice advice, boolean wait, MemorySlice... slices) {
        locked(() -> {
            MemoryRegistration.advise(this, advice, wait, slices);
            return null;
        });
    }

    /**
     * Allocates memory and registers it. The region owns the memory, and frees it when it is closed. Any thread may use
     * the memory.
     *
     * @param size in bytes, above 0
     * @param access the rights, as for {@link #registerMemory}
     * @return the region, zeroed and aligned to a page, to be closed before or with this domain
     * @throws IllegalArgumentException if the size is not positive, or the flags contradict each other
     * @throws VerbsException if there is not enough memory, or the kernel refuses
     */
    public MemoryRegion allocateMemory(long size, AccessFlag... access) {
        if (size < 1) {
            throw new IllegalArgumentException("a region of " + size + " bytes");
        }
        int flags = AccessFlag.mask(access);
        if (!AccessFlag.ON_DEMAND.in(flags)) {
            RegistrationFailures.requireMemory(size, MemoryInformation.machine(), ControlGroupMemory.limit());
        }
        return createChild(() -> {
            Arena arena = Arena.ofShared();
            try {
                MemorySegment memory = RegistrationFailures.allocate(arena, size, PageSize.BYTES);
                return new MemoryRegion(
                        this, MemoryRegistration.ofHostMemory(this, memory, memory.address(), null, flags), arena);
            } catch (Throwable e) {
                arena.close();
                throw e;
            }
        });
    }

    /**
     * Allocates a memory window (ibv_alloc_mw(3)): a remote key for a part of a region that can be granted and revoked
     * quickly.
     *
     * @param type how it is bound
     * @return the window, bound to nothing, to be closed before or with this domain
     * @throws UnsupportedVerbException if the device has no windows, or none of this type
     * @throws VerbsException if the device has none left
     */
    public MemoryWindow allocateMemoryWindow(MemoryWindowType type) {
        return createChild(() -> {
            MemoryWindow window = new MemoryWindow(this, Objects.requireNonNull(type, "type"));
            root().windows.add(window);
            return window;
        });
    }

    /**
     * Closes the windows that are bound to a region or a queue pair that is about to be closed. Adapters refuse to
     * deregister memory with a window, and SoftRoCE waits 50 s for the windows of a queue pair.
     */
    void closeWindowsBoundTo(Resource resource) {
        windows().filter(window -> window.isBoundTo(resource)).toList().forEach(MemoryWindow::close);
    }

    /**
     * Returns all windows of this domain and of its parent domains. The cost does not depend on the number of regions.
     */
    Stream<MemoryWindow> windows() {
        List<MemoryWindow> open = new ArrayList<>();
        underTreeLock(() -> open.addAll(root().windows));
        return open.stream();
    }

    /** Removes a closed window; called with the tree's lock held. */
    void forget(MemoryWindow window) {
        root().windows.remove(window);
    }

    /**
     * Creates a shared receive queue (ibv_create_srq(3), ibv_create_srq_ex(3)).
     *
     * @param configuration sets what differs from the defaults
     * @return the queue, to be closed before or with this domain
     * @throws IllegalArgumentException if a value is out of the device's range; the message has both numbers
     * @throws UnsupportedVerbException if the device has no such queues
     * @throws VerbsException if the device has none left
     */
    public SharedReceiveQueue createSharedReceiveQueue(Consumer<SharedReceiveQueueConfig> configuration) {
        SharedReceiveQueueConfig config = new SharedReceiveQueueConfig();
        configuration.accept(config);
        config.check(context);
        return createChild(() -> new SharedReceiveQueue(this, config));
    }

    /**
     * Creates a queue pair and moves it to INIT (ibv_create_qp(3), ibv_modify_qp(3)): it has a number, and accepts
     * receives.
     *
     * @param type the type of service
     * @param configuration sets what differs from the defaults; the completion queue is required
     * @return the queue pair, waiting for its peer's endpoint
     * @throws IllegalArgumentException if a value is out of the device's range; the message has both numbers. Or if it
     *     receives by a hash: see {@link QueuePairConfig#receiveHash}
     * @throws VerbsException if the device refuses
     */
    public PreparedQueuePair prepareQueuePair(QueuePairType type, Consumer<QueuePairConfig> configuration) {
        QueuePairConfig config = configured(type, configuration);
        if (config.receiveTable() != null) {
            throw new IllegalArgumentException(
                    "a queue pair that receives by a hash has nothing to prepare, and on most adapters no states:"
                            + " ProtectionDomain.createQueuePair makes it");
        }
        QueuePair queuePair = createChild(() -> new QueuePair(this, config));
        return QueuePairCreation.complete(queuePair, () -> new PreparedQueuePair(queuePair, config));
    }

    /**
     * Creates a queue pair and leaves it in RESET (ibv_create_qp(3)), for programs that call {@link QueuePair#modify}
     * themselves, for instance with the attributes from a connection manager. A request that is posted before the queue
     * pair is ready to send is refused or completes with an error, depending on the device. {@link #prepareQueuePair}
     * is easier to use.
     *
     * @param type the type of service
     * @param configuration sets what differs from the defaults; the completion queue is required. Port, GID, partition,
     *     packet sequence number and remote access belong to later states, and are not used
     * @return the queue pair, in state RESET
     * @throws IllegalArgumentException if a value is out of the device's range; the message has both numbers
     * @throws VerbsException if the device refuses
     */
    public QueuePair createQueuePair(QueuePairType type, Consumer<QueuePairConfig> configuration) {
        QueuePairConfig config = configured(type, configuration);
        return createChild(() -> new QueuePair(this, config));
    }

    /**
     * Creates an SRD queue pair of an Elastic Fabric Adapter and moves it to RTS (efadv_create_qp_ex(3),
     * ibv_modify_qp(3)): it can send to and receive from any peer. Its operations are those that
     * {@link DeviceContext#queryEfa} reports.
     *
     * @param configuration sets what differs from the defaults; the completion queue is required
     * @return the queue pair, to be closed before or with this domain
     * @throws IllegalArgumentException if a value is out of the device's range; the message has both numbers
     * @throws UnsupportedVerbException if the device is not an EFA, or does not support a setting
     * @throws NativeLibraryException if libefa cannot be loaded
     * @throws VerbsException if the device refuses
     */
    public SrdQueuePair createSrdQueuePair(Consumer<SrdQueuePairConfig> configuration) {
        SrdQueuePairConfig config = new SrdQueuePairConfig();
        configuration.accept(config);
        return SrdQueuePair.create(this, config);
    }

    private QueuePairConfig configured(QueuePairType type, Consumer<QueuePairConfig> configuration) {
        QueuePairConfig config = new QueuePairConfig(type);
        configuration.accept(config);
        config.check(this);
        return config;
    }

    /**
     * Creates an address handle, which names the destination of datagrams (ibv_create_ah(3)). On RoCE this resolves the
     * destination's address, which can take a second or more if the destination does not answer.
     *
     * @param attributes the path to the destination
     * @return the address handle, to be closed before or with this domain
     * @throws IllegalArgumentException if there is no such port
     * @throws VerbsException if the path is invalid, such as one to LID 0 on InfiniBand; the message gives the cause
     */
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        return createChild(() -> AddressHandle.create(this, attributes));
    }

    /**
     * Creates an address handle for the sender of a datagram (ibv_create_ah_from_wc(3)).
     *
     * @param port the port that the datagram came through, from 1
     * @param completion of the receive
     * @param header the first {@value WorkCompletion#GLOBAL_ROUTE_HEADER_BYTES} bytes of the buffer, as for
     *     {@link AddressHandleAttributes#ofSender}
     * @return the address handle, to be closed before or with this domain
     * @throws IllegalArgumentException if the receive failed, the header is too short, or there is no such port
     * @throws VerbsException if the header names no GID of that port, or the path is invalid
     */
    public AddressHandle createAddressHandle(int port, WorkCompletion completion, MemorySegment header) {
        return createChild(() -> AddressHandle.create(this, port, completion, header));
    }

    MemorySegment segment() {
        return domain;
    }

    @Override
    public long handle() {
        requireOpen();
        return domain.address();
    }

    @Override
    void release() {
        Failures.check("ibv_dealloc_pd(" + context.device().name() + ")", ExportedVerb.DEALLOC_PD.number(domain));
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "protection domain of " + context.device().name();
    }
}
