// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.internal.NativeAccess;
import io.github.rdma4j.gpudirect.internal.UdevDatabase;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.gpudirect.storage.StorageRefusal.Reason;
import io.github.rdma4j.gpudirect.storage.internal.CuFileCalls;
import io.github.rdma4j.gpudirect.storage.internal.FileCalls;
import io.github.rdma4j.gpudirect.storage.internal.LinuxFileCalls;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Opens files for transfers to and from GPU memory. If cuFile is installed, it is opened (cuFileDriverOpen), and each
 * file uses GPUDirect Storage or cuFile's compatibility mode. Otherwise, or if cuFile refuses a file, transfers use
 * pinned host memory. {@link GpuFile#decision()} reports the path and the reasons.
 *
 * <p>Closing it closes its files and batches. Closing its context also closes it.
 *
 * <p>Thread safety: all methods may be called from any thread.
 *
 * @since 0.1.0
 */
public final class GpuStorage implements AutoCloseable {
    private static final Set<OpenOption> KNOWN = Set.of(
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.CREATE,
            StandardOpenOption.CREATE_NEW,
            StandardOpenOption.TRUNCATE_EXISTING);

    private final CudaContext context;
    private final StorageConfig config;
    private final FileCalls fileCalls;
    private final CuFileDriver driver;
    private final CuFileUnavailableException unavailability;
    private final LanePool lanes;
    private final Workers workers;
    private final StreamStore streams;
    private final Map<DeviceMemory, MemoryUse> memories = new IdentityHashMap<>();
    private final Set<AutoCloseable> open = new LinkedHashSet<>();
    private boolean closing;
    private boolean closed;

    private GpuStorage(
            CudaContext context,
            StorageConfig config,
            FileCalls fileCalls,
            CuFileDriver driver,
            CuFileUnavailableException unavailability) {
        this.context = context;
        this.config = config;
        this.fileCalls = fileCalls;
        this.driver = driver;
        this.unavailability = unavailability;
        this.lanes = new LanePool(context, config);
        this.workers = new Workers(config.threads());
        this.streams = new StreamStore(this);
    }

    /**
     * Opens a storage with the defaults of {@link StorageConfig}.
     *
     * @param context of the GPU
     * @return the storage
     * @throws IllegalCallerException if the JVM denies this module native access; the message contains the remedy
     */
    public static GpuStorage on(CudaContext context) {
        return on(context, config -> {});
    }

    /**
     * Opens a storage.
     *
     * @param context of the GPU
     * @param settings sets the configuration
     * @return the storage
     * @throws IllegalCallerException if the JVM denies this module native access; the message contains the remedy
     */
    public static GpuStorage on(CudaContext context, Consumer<StorageConfig> settings) {
        NativeAccess.require();
        return on(context, settings, new LinuxFileCalls());
    }

    static GpuStorage on(CudaContext context, Consumer<StorageConfig> settings, FileCalls fileCalls) {
        StorageConfig config = new StorageConfig();
        settings.accept(config);
        CuFileDriver driver = null;
        CuFileUnavailableException unavailability = null;
        if (config.allowed().contains(StoragePath.GPU_DIRECT)
                || config.allowed().contains(StoragePath.COMPATIBLE)) {
            try {
                context.makeCurrentForCall();
                driver = CuFileDriver.open();
            } catch (CuFileUnavailableException e) {
                unavailability = e;
            }
        }
        GpuStorage made = new GpuStorage(context, config, fileCalls, driver, unavailability);
        try {
            context.addDependent(made);
        } catch (RuntimeException e) {
            Undo.after(e, made);
            throw e;
        }
        return made;
    }

    /** {@return the context whose memory it reads and writes} */
    public CudaContext context() {
        return context;
    }

    /** {@return cuFile; empty if it is not used} */
    public Optional<CuFileDriver> driver() {
        return Optional.ofNullable(driver);
    }

    /** {@return why cuFile is not used; empty if it is used or not permitted} */
    public Optional<CuFileUnavailableException> unavailability() {
        return Optional.ofNullable(unavailability);
    }

    /**
     * Opens a file.
     *
     * @param path of a regular file, or a block device, in the default file system
     * @param options READ, WRITE, CREATE, CREATE_NEW and TRUNCATE_EXISTING of {@link StandardOpenOption}; with no
     *     options, READ. All except READ only have an effect together with WRITE
     * @return the file
     * @throws IllegalArgumentException if the path does not belong to the default file system (a path inside a ZIP
     *     file, for example), or for any other option
     * @throws StorageException if it cannot be opened; a pipe is refused
     * @throws StoragePathUnavailableException if no permitted path works. An existing file is not changed, but a new
     *     file may have been created
     */
    public GpuFile open(Path path, OpenOption... options) {
        if (path.getFileSystem() != FileSystems.getDefault()) {
            throw new IllegalArgumentException(
                    "%s is a path of %s, whose files no adapter and no GPU can reach: copy it to a file of its own"
                            .formatted(path, path.getFileSystem()));
        }
        for (OpenOption option : options) {
            Objects.requireNonNull(option, "option");
        }
        Set<OpenOption> given = Set.of(options);
        for (OpenOption option : given) {
            if (!KNOWN.contains(option)) {
                throw new IllegalArgumentException("option %s: one of %s".formatted(option, KNOWN));
            }
        }
        boolean writable = given.contains(StandardOpenOption.WRITE);
        boolean readable = given.contains(StandardOpenOption.READ) || !writable;
        requireOpen();
        OpenFile io = OpenFile.open(fileCalls, path, flags(given, readable, writable), config.directIo());
        GpuFile file = new GpuFile(this, io, readable, writable);
        try {
            choose(file, io);
            add(file);
            // Only now, so that a file that cannot be opened keeps its contents.
            if (writable && given.contains(StandardOpenOption.TRUNCATE_EXISTING)) {
                io.empty();
            }
        } catch (RuntimeException | Error e) {
            Undo.after(e, file);
            throw e;
        }
        return file;
    }

    private static int flags(Set<OpenOption> given, boolean readable, boolean writable) {
        int flags = !writable ? FileCalls.READ_ONLY : readable ? FileCalls.READ_WRITE : FileCalls.WRITE_ONLY;
        if (!writable) {
            return flags;
        }
        if (given.contains(StandardOpenOption.CREATE_NEW)) {
            flags |= FileCalls.CREATE | FileCalls.EXCLUSIVE;
        } else if (given.contains(StandardOpenOption.CREATE)) {
            flags |= FileCalls.CREATE;
        }
        return flags;
    }

    private void choose(GpuFile file, OpenFile io) {
        List<StorageRefusal> refusals = new ArrayList<>();
        CuFileProperties properties = driver == null ? null : properties();
        CuFileAccess access = null;
        for (StoragePath path : StoragePath.values()) {
            if (!config.allowed().contains(path)) {
                continue;
            }
            if (path == StoragePath.STAGED) {
                file.use(new StagedFileAccess(this, file, io), new StorageDecision(path, refusals));
                return;
            }
            Optional<StorageRefusal> refusal = properties == null
                    ? Optional.of(withoutCuFile(path))
                    : StorageRules.refusal(path, properties, fileSystem(io.path()), io.goesDirect());
            if (refusal.isEmpty()) {
                try {
                    access = CuFileAccess.register(this, file, io);
                    file.use(access, new StorageDecision(path, refusals));
                    return;
                } catch (CuFileException e) {
                    refusal = Optional.of(refused(path, e, io.path()));
                }
            }
            refusals.add(refusal.get());
        }
        throw new StoragePathUnavailableException(file.toString(), refusals);
    }

    private CuFileProperties properties() {
        context.makeCurrentForCall();
        return driver.properties();
    }

    /**
     * Explains a refusal. If cuFile cannot find out the volume of a file, it reports that the file is not registered.
     * In later calls, the same status has its usual meaning.
     */
    private static StorageRefusal refused(StoragePath path, CuFileException e, Path file) {
        String explanation = e.status().explanation();
        String remedy = e.remedy();
        if (e.status() == CuFileStatus.HANDLE_NOT_REGISTERED) {
            explanation = "it has no data about the volume that the file is on (%s)".formatted(volume(file));
            remedy = UdevDatabase.REMEDY + "; cufile.log in the working folder shows what cuFile has looked for";
        }
        return new StorageRefusal(
                path,
                Reason.FILE_REFUSED,
                "cuFile refuses the file, %s: %s".formatted(e.codeName(), explanation),
                remedy);
    }

    private static String volume(Path file) {
        try {
            String device = UdevDatabase.deviceOf(file);
            return UdevDatabase.missing(Path.of("/"), device).orElse("device %s, which udev knows".formatted(device));
        } catch (IOException e) {
            return "nor could its device be found: " + e;
        }
    }

    private StorageRefusal withoutCuFile(StoragePath path) {
        boolean refused = unavailability.reason() == CuFileUnavailableException.Reason.DRIVER_REFUSED;
        return new StorageRefusal(
                path,
                refused ? Reason.DRIVER_REFUSED : Reason.LIBRARY_ABSENT,
                unavailability.explanation(),
                unavailability.remedy());
    }

    private static String fileSystem(Path path) {
        try {
            return Files.getFileStore(path).type();
        } catch (IOException e) {
            return "unknown";
        }
    }

    /**
     * Registers memory with cuFile that is often read and written, so that it is pinned only once (cuFileBufRegister).
     * On the staged path, this does nothing, and {@link RegisteredMemory#isRegistered()} is false.
     *
     * @param memory of the storage's context
     * @return the registration; close it before or with the memory
     * @throws CuFileException if cuFile refuses
     * @throws IllegalStateException if the memory is already registered
     */
    public RegisteredMemory register(DeviceMemory memory) {
        requireOpen();
        if (memory.context() != context) {
            throw new IllegalArgumentException(
                    "%s is of %s, and the storage of %s".formatted(memory, memory.context(), context));
        }
        if (driver == null) {
            return new RegisteredMemory(this, memory, null);
        }
        MemoryUse use = use(memory);
        try {
            use.register(driver.calls());
            return new RegisteredMemory(this, memory, use);
        } finally {
            use.exit();
        }
    }

    /**
     * Creates a batch of transfers that are submitted together (cuFileBatchIOSetUp).
     *
     * @param capacity the most pending transfers, 1 to 65536; cuFile may support fewer
     * @return the batch; all its files must use cuFile, or all the staged path
     */
    public GpuFileBatch batch(int capacity) {
        requireOpen();
        GpuFileBatch batch = new GpuFileBatch(this, capacity);
        add(batch);
        return batch;
    }

    /** Registers the use of memory whose address is passed to cuFile; {@link MemoryUse#exit} must follow. */
    MemoryUse use(DeviceMemory memory) {
        synchronized (memories) {
            MemoryUse known = memories.get(memory);
            if (known != null && known.enter()) {
                return known;
            }
        }
        MemoryUse made = new MemoryUse(this, memory);
        // Not under the lock: a close of the memory holds another lock while it waits for its dependents, which take
        // this one.
        memory.addDependent(made);
        synchronized (memories) {
            MemoryUse first = memories.get(memory);
            if (first == null || !first.enter()) {
                memories.put(memory, made);
                made.enter();
                return made;
            }
            memory.removeDependent(made);
            return first;
        }
    }

    void forget(MemoryUse use) {
        synchronized (memories) {
            memories.remove(use.memory(), use);
        }
    }

    /**
     * Runs a step that releases something in cuFile, with the context current if possible. There is no second attempt.
     *
     * @throws RuntimeException if the context could not be made current, or the step fails
     */
    void giveBack(Runnable step) {
        Closing steps = new Closing();
        steps.run(context::makeCurrentForCall);
        steps.run(step::run);
        steps.finish();
    }

    /** Checks which transfers have ended, for a close that waits for them: no other thread may check. */
    void poll() {
        streams.poll();
        List<AutoCloseable> all;
        synchronized (open) {
            all = List.copyOf(open);
        }
        for (AutoCloseable each : all) {
            if (each instanceof GpuFileBatch batch) {
                batch.poll();
            }
        }
    }

    private void add(AutoCloseable resource) {
        synchronized (open) {
            if (closing) {
                throw new IllegalStateException(this + " is closed");
            }
            open.add(resource);
        }
    }

    void forget(AutoCloseable resource) {
        synchronized (open) {
            open.remove(resource);
        }
    }

    StorageConfig config() {
        return config;
    }

    LanePool lanes() {
        return lanes;
    }

    Workers workers() {
        return workers;
    }

    StreamStore streams() {
        return streams;
    }

    CuFileCalls cuFileCalls() {
        return driver.calls();
    }

    /** {@return whether files can be opened} */
    public boolean isOpen() {
        synchronized (open) {
            return !closing;
        }
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /**
     * Closes batches and files, which wait for their transfers, and frees pinned memory. A second call does nothing.
     *
     * @throws io.github.rdma4j.cuda.CudaCloseTimeoutException if transfers have not ended in time. No file can be
     *     opened then, and the storage can be closed again
     */
    @Override
    public void close() {
        synchronized (open) {
            closing = true;
            if (closed) {
                return;
            }
        }
        // If a file cannot be closed, its exception ends this method, and nothing that the file uses is freed.
        for (AutoCloseable each : youngestFirst()) {
            closeOne(each);
        }
        synchronized (open) {
            if (closed) {
                return;
            }
            closed = true;
        }
        Closing steps = new Closing();
        closeMemories(steps);
        streams.close(steps);
        lanes.close(steps);
        steps.run(workers::close);
        if (driver != null) {
            steps.run(() -> giveBack(driver::close));
        }
        context.removeDependent(this);
        steps.finish();
    }

    private List<AutoCloseable> youngestFirst() {
        synchronized (open) {
            return new ArrayList<>(open).reversed();
        }
    }

    private static void closeOne(AutoCloseable resource) {
        switch (resource) {
            case GpuFile file -> file.close();
            case GpuFileBatch batch -> batch.close();
            default -> throw new AssertionError(resource);
        }
    }

    private void closeMemories(Closing steps) {
        List<MemoryUse> all;
        synchronized (memories) {
            all = List.copyOf(memories.values());
        }
        for (MemoryUse use : all) {
            use.memory().removeDependent(use);
            steps.close(use);
        }
    }

    /** {@return the context, and whether it uses cuFile or the staged path} */
    @Override
    public String toString() {
        return "storage on " + context + (driver == null ? ", staged" : ", " + driver.library());
    }
}
