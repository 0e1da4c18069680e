// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.device.DeviceAttributes;
import io.github.rdma4j.verbs.device.EfaDeviceAttributes;
import io.github.rdma4j.verbs.device.ExtendedDeviceAttributes;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import io.github.rdma4j.verbs.internal.ExportedVerb;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.ImportCalls;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.NativeMemory;
import io.github.rdma4j.verbs.internal.ProviderFunctions;
import io.github.rdma4j.verbs.internal.device.DeviceQueries;
import io.github.rdma4j.verbs.internal.device.EfaQueries;
import io.github.rdma4j.verbs.internal.explain.KernelDevices;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * An open device ({@code struct ibv_context}, ibv_open_device(3)): the root of all other resources.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class DeviceContext extends Resource implements EventSource {
    /**
     * Keeps open contexts reachable. Otherwise a tree that the program dropped without closing it would be collected,
     * and with it memory of automatic arenas that the adapter still writes to. A leak is better than that.
     */
    private static final Set<DeviceContext> OPEN = ConcurrentHashMap.newKeySet();

    private final Device device;
    private final MemorySegment context;
    private final DeviceQueries queries;
    private volatile DeviceAttributes limits;
    private final int commandDescriptor;
    private final int eventDescriptor;
    private final boolean owned;
    private final AsyncEvents asyncEvents;
    /** By the arenas of registered memory; guarded by the tree's lock. */
    private final Map<MemorySegment.Scope, ArenaWatch> arenas = new WeakHashMap<>();

    private final DeviceDriver driver;

    /** An owned context is closed with this object; a context of another library is not. */
    private DeviceContext(Device device, MemorySegment context, boolean owned) {
        this.device = device;
        this.context = context.reinterpret(ibv_context.sizeof());
        this.queries = new DeviceQueries(device.name(), this.context);
        this.owned = owned;
        this.commandDescriptor = ibv_context.cmd_fd(segment());
        this.eventDescriptor = ibv_context.async_fd(segment());
        this.driver = DeviceDriver.of(device.sysfsPath());
        this.asyncEvents = new AsyncEvents(this, segment());
        OPEN.add(this);
    }

    /**
     * Opens a device by name.
     *
     * @param name such as {@code mlx5_0}
     * @return the open device
     * @throws NoSuchDeviceException if there is no such device; the message lists the devices that are there
     * @throws NativeLibraryException if libibverbs is missing
     * @throws VerbsException if it cannot be opened, for instance because a permission is missing
     */
    public static DeviceContext open(String name) {
        Objects.requireNonNull(name, "the name of the device to open: Device.list() has them");
        return new DeviceContext(Device.find(name), Device.openNative(name), true);
    }

    /**
     * Opens a device.
     *
     * @param device from {@link Device#list()}
     * @return the open device
     * @throws NoSuchDeviceException if it is no longer there
     * @throws VerbsException if it cannot be opened, for instance because a permission is missing
     */
    public static DeviceContext open(Device device) {
        return open(Objects.requireNonNull(device, "the device to open: Device.list() has them")
                .name());
    }

    /**
     * Wraps a context that another library, such as rdma_cm or UCX, has opened and owns. {@link #close()} closes what
     * was created through this object, and leaves the native context open.
     *
     * @param ibvContext the address of the {@code struct ibv_context}; the owner must keep it open until this object is
     *     closed. It cannot be checked: a wrong address crashes the JVM
     * @return the context
     * @throws IllegalArgumentException if the address is 0
     * @throws NativeLibraryException if libibverbs is missing
     */
    public static DeviceContext ofNative(long ibvContext) {
        if (ibvContext == 0) {
            throw new IllegalArgumentException("the address of the ibv_context is 0");
        }
        MemorySegment context = MemorySegment.ofAddress(ibvContext).reinterpret(ibv_context.sizeof());
        return new DeviceContext(Device.ofNative(context), context, false);
    }

    /**
     * Imports a device that another process has open (ibv_import_device(3)). Its objects can then also be imported, see
     * {@link #importProtectionDomain}. The two processes share all objects of the device and must agree which of them
     * closes each object: an object that one process destroys is gone for the other.
     *
     * <p>To get the descriptor, the other process sends its process id and its {@link #commandDescriptor()} by any
     * means, and this process calls {@link FileDescriptorCopy#ofProcess}.
     *
     * @param commandDescriptor a copy of the other's command descriptor; the context takes it over. After a failure it
     *     is either closed or still owned by the argument, depending on libibverbs
     * @return the context
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, cannot import
     * @throws VerbsException if the descriptor is not one of an RDMA device, or the import fails
     */
    public static DeviceContext importFrom(FileDescriptorCopy commandDescriptor) {
        NativeLibraries.requireVerbs();
        int number = commandDescriptor.number();
        Optional<Path> file = commandDescriptor.file();
        MemorySegment context = ImportCalls.importDevice(number);
        if (context.address() == 0) {
            int errno = NativeCalls.lastErrno();
            // A driver that fails has closed the descriptor; libibverbs, which refuses earlier, has not. The errno does
            // not distinguish the two: the kernel also returns EINVAL for a descriptor without a context.
            if (file.isEmpty() || !commandDescriptor.file().equals(file)) {
                commandDescriptor.giveAway();
            }
            throw Failures.of("ibv_import_device(cmd_fd=%d)".formatted(number), errno);
        }
        commandDescriptor.giveAway();
        MemorySegment fields = context.reinterpret(ibv_context.sizeof());
        return new DeviceContext(Device.ofNative(fields), fields, true);
    }

    /**
     * Returns the file descriptor through which this context talks to the kernel ({@code cmd_fd}), for another process
     * to copy. This context still owns it.
     *
     * @return the descriptor's number in this process
     */
    public int commandDescriptor() {
        requireOpen();
        return commandDescriptor;
    }

    /**
     * Queries the limits and capabilities of an Elastic Fabric Adapter (efadv_query_device(3)).
     *
     * @return the attributes
     * @throws UnsupportedVerbException if the device is not an EFA
     * @throws NativeLibraryException if libefa cannot be loaded
     * @throws VerbsException if the query fails
     */
    public EfaDeviceAttributes queryEfa() {
        return locked(() -> EfaQueries.device(device.name(), driver(), segment()));
    }

    /**
     * Allocates a protection domain (ibv_alloc_pd(3)).
     *
     * @return the protection domain, to be closed before or with this context
     * @throws VerbsException if the device has none left
     */
    public ProtectionDomain allocateProtectionDomain() {
        return createChild(() -> new ProtectionDomain(this));
    }

    /**
     * Imports a protection domain of another process (ibv_import_pd(3)). Closing it here only ends the import
     * (ibv_unimport_pd(3)).
     *
     * @param kernelHandle the other process's {@link ProtectionDomain#kernelHandle()}
     * @return the protection domain, to be closed before or with this context
     * @throws UnsupportedVerbException if the driver cannot import, and before rdma-core 35
     * @throws VerbsException if there is no such domain
     */
    public ProtectionDomain importProtectionDomain(int kernelHandle) {
        return createChild(() -> new ImportedProtectionDomain(this, kernelHandle));
    }

    /**
     * Allocates a thread domain (ibv_alloc_td(3)), for {@link ProtectionDomain#allocateParentDomain}.
     *
     * @return the thread domain, to be closed before or with this context
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, has none
     * @throws VerbsException if the device refuses
     */
    public ThreadDomain allocateThreadDomain() {
        return createChild(() -> new ThreadDomain(this));
    }

    /**
     * Creates a table of receive work queues (ibv_create_rwq_ind_table(3)), among which a queue pair distributes
     * packets.
     *
     * @param queues the queues by entry; their number is a power of two, and a queue can appear several times
     * @return the table, to be closed before its queues and this context, or with them
     * @throws IllegalArgumentException if their number is not a power of two or greater than the device's limit, or one
     *     is of another device context
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, has none
     * @throws VerbsException if the device refuses
     */
    public ReceiveWorkQueueTable createReceiveWorkQueueTable(List<WorkQueue> queues) {
        queues.forEach(queue -> Objects.requireNonNull(queue, "queue"));
        List<WorkQueue> entries = List.copyOf(queues);
        ReceiveWorkQueueTable.check(this, entries);
        return createChild(() -> new ReceiveWorkQueueTable(this, entries));
    }

    /**
     * Opens a domain of extended reliable connections that is private to this process (ibv_open_xrcd(3)).
     *
     * @return the domain, to be closed before or with this context
     * @throws UnsupportedVerbException if the device, such as SoftRoCE, has none
     * @throws VerbsException if the device refuses
     */
    public XrcDomain openXrcDomain() {
        return createChild(() -> XrcDomain.open(this));
    }

    /**
     * Opens a domain of extended reliable connections that is identified by a file (ibv_open_xrcd(3)). Other processes
     * open the same domain by the same file.
     *
     * @param file any file of the default file system; it is created if the mode says so, and is not read or written
     * @param mode whether the domain may or must exist
     * @return the domain, to be closed before or with this context
     * @throws IllegalArgumentException if the path does not belong to the default file system
     * @throws UnsupportedVerbException if the device, such as SoftRoCE, has none
     * @throws VerbsException if the file cannot be opened, or the mode does not allow that the domain exists, or that
     *     it does not
     */
    public XrcDomain openXrcDomain(Path file, XrcDomain.OpenMode mode) {
        Objects.requireNonNull(file, "file");
        Objects.requireNonNull(mode, "mode");
        if (file.getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException(
                    "%s is a path of %s, and other processes find a domain by a file of the default file system"
                            .formatted(file, file.getFileSystem()));
        }
        return createChild(() -> XrcDomain.open(this, file, mode));
    }

    /**
     * Creates a completion queue without a channel, for programs that poll (ibv_create_cq(3)).
     *
     * @param minEntries the minimum capacity, from 1 to the device's
     *     {@link DeviceAttributes#maxCompletionQueueEntries()}
     * @return the completion queue, to be closed before or with this context
     * @throws IllegalArgumentException if the number is out of range; the message has both numbers
     * @throws VerbsException if the device has none left
     */
    public CompletionQueue createCompletionQueue(int minEntries) {
        return createCompletionQueue(minEntries, config -> {});
    }

    /**
     * Creates a completion queue (ibv_create_cq(3)).
     *
     * @param minEntries the minimum capacity, from 1 to the device's
     *     {@link DeviceAttributes#maxCompletionQueueEntries()}
     * @param configuration sets what differs from the defaults
     * @return the completion queue, to be closed before or with this context
     * @throws IllegalArgumentException if a value is out of range; the message has both numbers
     * @throws VerbsException if the device has none left
     */
    public CompletionQueue createCompletionQueue(int minEntries, Consumer<CompletionQueueConfig> configuration) {
        CompletionQueueConfig config = new CompletionQueueConfig();
        configuration.accept(config);
        config.check(this, minEntries);
        return createChild(() -> CompletionQueue.create(this, minEntries, config));
    }

    /**
     * Creates an extended completion queue, whose completions are read in place (ibv_create_cq_ex(3)).
     *
     * @param minEntries the minimum capacity, from 1 to the device's
     *     {@link DeviceAttributes#maxCompletionQueueEntries()}
     * @param configuration sets what differs from the defaults
     * @return the completion queue, to be closed before or with this context
     * @throws IllegalArgumentException if a value is out of range; the message has both numbers
     * @throws UnsupportedVerbException if the device does not offer extended queues, or not with these fields and flags
     * @throws VerbsException if the device has none left
     */
    public ExtendedCompletionQueue createExtendedCompletionQueue(
            int minEntries, Consumer<ExtendedCompletionQueueConfig> configuration) {
        ExtendedCompletionQueueConfig config = new ExtendedCompletionQueueConfig();
        configuration.accept(config);
        config.check(this, minEntries);
        return createChild(() -> ExtendedCompletionQueue.create(this, minEntries, config));
    }

    /**
     * Creates a completion channel, for programs that sleep until there is something to poll
     * (ibv_create_comp_channel(3)).
     *
     * @return the channel, to be closed before or with this context
     * @throws VerbsException if the process has no file descriptor left
     */
    public CompletionChannel createCompletionChannel() {
        return createChild(() -> new CompletionChannel(this));
    }

    /** {@return how many completion vectors there are ({@code num_comp_vectors}), at least 1} */
    public int completionVectorCount() {
        return locked(() -> ibv_context.num_comp_vectors(segment()));
    }

    /**
     * Waits for an asynchronous event, and takes and acknowledges it (ibv_get_async_event(3), ibv_ack_async_event(3)).
     * Events that are not taken stay in the kernel, so a program may ignore them.
     *
     * @param timeout how long to wait; zero or less returns at once
     * @return the event, or empty after the timeout
     * @throws IllegalStateException if this context is closed, before or during the wait
     * @throws WaitInterruptedException if the thread is interrupted while it waits
     * @throws VerbsException if the device has failed
     */
    public Optional<AsyncEvent> nextAsyncEvent(Duration timeout) {
        return asyncEvents.next(timeout);
    }

    /**
     * Returns the descriptor that is readable when there is an asynchronous event.
     *
     * @return the descriptor; it belongs to this context
     * @throws IllegalStateException if this context is closed
     */
    @Override
    public int fileDescriptor() {
        requireOpen();
        return eventDescriptor;
    }

    /**
     * Allocates memory on the device (ibv_alloc_dm(3)).
     *
     * @param length in bytes, above 0
     * @param logAlignment the alignment as a power of two; 0 if it does not matter, 3 for atomics
     * @return the memory, to be closed before or with this context
     * @throws UnsupportedVerbException if the device has none
     * @throws VerbsException if it does not have that much left
     */
    public AdapterMemory allocateAdapterMemory(long length, int logAlignment) {
        return createChild(() -> AdapterMemory.allocate(this, length, logAlignment));
    }

    /**
     * Imports device memory that another process allocated in a device context that both share (ibv_import_dm(3)).
     * Closing it here only ends the import.
     *
     * @param kernelHandle the other process's {@link AdapterMemory#kernelHandle()}
     * @param length the other process's {@link AdapterMemory#length()}. The kernel does not report it: copies beyond
     *     the real length can crash the JVM
     * @return the memory, to be closed before or with this context
     * @throws IllegalArgumentException if the length is not positive
     * @throws UnsupportedVerbException if the driver cannot import, and before rdma-core 35
     * @throws VerbsException if it fails
     */
    public AdapterMemory importAdapterMemory(int kernelHandle, long length) {
        if (length < 1) {
            throw new IllegalArgumentException("device memory of " + length + " bytes");
        }
        return createChild(() -> AdapterMemory.importHandle(this, kernelHandle, length));
    }

    /**
     * Returns the limits of the device's completion counters (ibv_query_comp_cntr_caps(3), rdma-core 65).
     *
     * @return the capabilities
     * @throws UnsupportedVerbException if the library is older, or the device has no such counters
     */
    public CompletionCounter.Capabilities completionCounterCapabilities() {
        return locked(() -> CompletionCounter.capabilities(this));
    }

    /**
     * Creates a completion counter (ibv_create_comp_cntr(3), rdma-core 65).
     *
     * @param type what to count
     * @return the counter, to be closed before or with this context
     * @throws UnsupportedVerbException if the library is older, or the device has no such counters
     */
    public CompletionCounter createCompletionCounter(CompletionCounter.Type type) {
        return createChild(() -> new CompletionCounter(this, type));
    }

    /**
     * Allocates a DMA handle, which holds hints for transfers on the PCI bus (ibv_alloc_dmah(3), rdma-core 59).
     *
     * @param configuration sets the hints
     * @return the handle, to be closed before or with this context
     * @throws UnsupportedVerbException if the library is too old, or the device does not support it
     * @throws VerbsException if it fails
     */
    public DmaHandle allocateDmaHandle(Consumer<DmaHandleConfig> configuration) {
        DmaHandleConfig config = new DmaHandleConfig();
        configuration.accept(config);
        return createChild(() -> new DmaHandle(this, config));
    }

    /** Read again each time: tools that observe or disturb calls replace functions there. */
    ProviderFunctions functions() {
        return ProviderFunctions.of(segment());
    }

    MemorySegment armFunction() {
        return NativeMemory.pointer(ibv_context.ops(segment()), ibv_context_ops.req_notify_cq$offset());
    }

    /** Returns which functions of the driver may be called, and how. */
    DeviceDriver driver() {
        return driver;
    }

    @Override
    public long handle() {
        requireOpen();
        return segment().address();
    }

    /** Makes sure that the regions in this memory are closed before the memory is freed; called with the lock held. */
    ArenaWatch watchArenaOf(MemorySegment memory) {
        ArenaWatch watch = arenas.computeIfAbsent(memory.scope(), scope -> new ArenaWatch(this));
        watch.cover(memory);
        return watch;
    }

    @Override
    void release() {
        asyncEvents.close();
        // It returns -1, which is not an errno.
        if (owned && ExportedVerb.CLOSE_DEVICE.number(segment()) != 0) {
            throw new VerbsException(
                    "ibv_close_device(" + device().name() + ")",
                    0,
                    "the library does not say why",
                    "close it again, and search the kernel log for the cause");
        }
    }

    @Override
    void afterRelease() {
        OPEN.remove(this);
    }

    @Override
    void reopen() {
        asyncEvents.reopen();
    }

    /** {@return the device's name} */
    @Override
    public String toString() {
        return "device " + device().name();
    }

    MemorySegment segment() {
        return context;
    }

    /** {@return the device that this context was opened on} */
    public Device device() {
        return device;
    }

    /**
     * Queries the identity and the limits of the device (ibv_query_device(3)).
     *
     * @return the attributes as they are now
     * @throws VerbsException if the query fails
     */
    public DeviceAttributes attributes() {
        return locked(queries::attributes);
    }

    /**
     * Returns the limits of the device. They are queried once, because they do not change while the device is open.
     *
     * @throws IllegalStateException if this context is closed
     */
    DeviceAttributes limits() {
        requireOpen();
        DeviceAttributes known = limits;
        if (known == null) {
            known = attributes();
            limits = known;
        }
        return known;
    }

    /**
     * Queries the extended attributes of the device (ibv_query_device_ex(3)). If the driver does not support the query,
     * all attributes except the basic ones are 0, false or empty.
     *
     * @return the attributes as they are now
     * @throws VerbsException if the query fails
     */
    public ExtendedDeviceAttributes extendedAttributes() {
        return locked(queries::extendedAttributes);
    }

    /**
     * Queries a port and its state (ibv_query_port(3)).
     *
     * @param port from 1
     * @return the attributes as they are now
     * @throws IllegalArgumentException if the device has no such port
     * @throws VerbsException if the query fails
     */
    public PortAttributes port(int port) {
        return locked(() -> queries.port(port));
    }

    /**
     * Queries the real rate of a port (ibv_query_port_speed(3)), which on a bonded or virtual port differs from
     * {@link PortAttributes#rateGigabitsPerSecond()}.
     *
     * @param port from 1
     * @return in Mbit/s, in steps of 100
     * @throws IllegalArgumentException if the device has no such port
     * @throws UnsupportedVerbException if libibverbs is older than rdma-core 62, or the driver does not report it
     * @throws VerbsException if the query fails
     */
    public long portSpeedMegabits(int port) {
        return locked(() -> queries.portSpeed(port));
    }

    /**
     * Queries an entry of a port's partition key table (ibv_query_pkey(3)).
     *
     * @param port from 1
     * @param index from 0, below {@link PortAttributes#partitionTableLength()}
     * @return the partition key, 16 bits; the highest bit is set for a full member, and 0 means that the entry is empty
     * @throws IllegalArgumentException if the device has no such port, or the table no such entry
     * @throws VerbsException if the query fails
     */
    public int partitionKey(int port, int index) {
        return locked(() -> queries.partitionKey(port, index));
    }

    /**
     * Returns the index of a partition key in a port's table (ibv_get_pkey_index(3)), for use with queue pairs.
     *
     * @param port from 1
     * @param key the partition key, 16 bits, membership bit included
     * @return the index of its first entry, from 0
     * @throws IllegalArgumentException if the device has no such port, or the table no such key
     */
    public int partitionKeyIndex(int port, int key) {
        return locked(() -> queries.partitionKeyIndex(port, key));
    }

    /**
     * Reads the device's clock, which completion timestamps are taken from (ibv_query_rt_values_ex(3),
     * {@code raw_clock}).
     *
     * @return ticks of {@link ExtendedDeviceAttributes#coreClockKilohertz()} since an arbitrary moment
     * @throws UnsupportedVerbException if the driver, such as SoftRoCE's, does not report it
     * @throws VerbsException if the query fails
     */
    public long queryRawClock() {
        return locked(queries::rawClock);
    }

    /**
     * Returns the entries of a port's GID table that are in use (ibv_query_gid_table(3)).
     *
     * @param port from 1
     * @return the entries by index; empty entries are left out
     * @throws IllegalArgumentException if the device has no such port
     * @throws VerbsException if the query fails
     */
    public List<GidEntry> gidTable(int port) {
        port(port);
        return gidTable().stream().filter(entry -> entry.port() == port).toList();
    }

    /**
     * Returns the GID table entries of all ports that are in use (ibv_query_gid_table(3)).
     *
     * @return the entries; empty entries are left out
     * @throws VerbsException if the query fails
     */
    public List<GidEntry> gidTable() {
        return locked(queries::gidTable);
    }

    /**
     * Selects the GID to use if the user names none. On RoCE, version 2 comes before version 1; within a version, an
     * IPv4-mapped address comes before a global IPv6 address, and that before a link-local address. In a container that
     * shares the device, only GIDs of its own network interfaces count. On InfiniBand it is the port's own GID.
     *
     * @param port from 1
     * @return the entry
     * @throws VerbsException if the port has none
     */
    public GidEntry selectGid(int port) {
        return GidEntry.preferred(KernelDevices.gidsHere(device.sysfsPath(), gidTable(port)))
                .orElseThrow(() -> new VerbsException(
                        "choosing a GID of %s, port %d".formatted(device.name(), port),
                        0,
                        "the port's GID table is empty",
                        "bring its network interface up and give it an IP address"));
    }

    /**
     * Returns the entry at an index of a port's GID table (ibv_query_gid_ex(3)).
     *
     * @param port from 1
     * @param index the index, which tools call {@code -x} or {@code sgid_index}
     * @return the entry
     * @throws IllegalArgumentException if there is none; the message lists the entries in use
     * @throws VerbsException if the query fails
     */
    public GidEntry gid(int port, int index) {
        return locked(() -> queries.gid(port, index)
                .orElseThrow(() -> new IllegalArgumentException("device %s, port %d has no GID at index %d; in use: %s"
                        .formatted(
                                device.name(),
                                port,
                                index,
                                gidTable(port).stream().map(GidEntry::index).toList()))));
    }

    /**
     * Returns the GID at an index of a port's GID table, without its type and interface (ibv_query_gid(3)).
     *
     * @param port from 1
     * @param index from 0, below {@link PortAttributes#gidTableLength()}
     * @return the GID; {@link Gid#ZERO} if the entry is empty
     * @throws IllegalArgumentException if the device has no such port, or the table no such entry
     * @throws VerbsException if the query fails
     */
    public Gid gidAddress(int port, int index) {
        return locked(() -> queries.gidAddress(port, index));
    }
}
