// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.gpudirect.storage.GpuFile;
import io.github.rdma4j.gpudirect.storage.GpuStorage;
import io.github.rdma4j.gpudirect.storage.StoragePathUnavailableException;
import io.github.rdma4j.gpudirect.storage.StorageRefusal;
import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.findings.KeptReport;
import io.github.rdma4j.perftest.result.RunState;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** Measures each direction, size and number of threads, with all paths in turn. */
final class GdsBandwidth {
    /** The state of a report without results. */
    static final String NOTHING = "no method could be measured";

    private final Instant started = Instant.now();
    private final GdsOptions options;
    private final KeptReport<GdsReport> kept;
    /** Both are read by the thread of a signal. */
    private final Map<GdsMethod, String> decisions = Collections.synchronizedMap(new LinkedHashMap<>());

    private final List<GdsResult> results = Collections.synchronizedList(new ArrayList<>());

    private GdsBandwidth(GdsOptions options, KeptReport<GdsReport> kept) {
        this.options = options;
        this.kept = kept;
    }

    /**
     * Measures.
     *
     * @param kept shows the results so far when a signal ends the JVM
     */
    static GdsReport run(GdsOptions options, KeptReport<GdsReport> kept) {
        return new GdsBandwidth(options, kept).run();
    }

    private GdsReport run() {
        Path file = options.file();
        boolean made = !Files.exists(file);
        requireFile(file, made);
        // The next run would take a remaining file for the user's own, and would not write to it.
        try (InterruptHook _ = new InterruptHook(() -> interrupted(made))) {
            if (made) {
                make(file);
            }
            try (CudaContext context = Cuda.device(options.gpu()).createContext()) {
                long size = Files.size(file);
                if (size == 0) {
                    throw new PerftestException(file + " is empty", "name another file, or one that is not there");
                }
                Environment environment = Environment.ofMachine();
                String fileSystem = Files.getFileStore(file).type();
                String gpu = context.device().toString();
                kept.begin(() ->
                        results.isEmpty() ? Optional.empty() : Optional.of(report(environment, size, fileSystem, gpu)));
                measure(context, size, made);
                GdsReport report = report(environment, size, fileSystem, gpu);
                return results.isEmpty() ? report.ended(RunState.FAILED, NOTHING) : report;
            } finally {
                if (made) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException e) {
            throw new PerftestException(
                    "the file cannot be used: " + e, "see whether its folder is there, and its rights");
        }
    }

    private static void requireFile(Path file, boolean made) {
        String remedy = "name a file, or one that is not there";
        if (made && Files.isSymbolicLink(file)) {
            throw new PerftestException(file + " is a link to what is not there", remedy);
        }
        if (!made && !Files.isRegularFile(file)) {
            throw new PerftestException(file + " is no regular file", remedy);
        }
    }

    /**
     * Print before the file is deleted: the measurement fails without it, and its failure would be reported instead of
     * the signal.
     */
    private void interrupted(boolean made) {
        try {
            kept.broken(report -> report.ended(RunState.INTERRUPTED, InterruptHook.REASON));
        } finally {
            if (made) {
                options.file().toFile().delete();
            }
        }
    }

    private GdsReport report(Environment environment, long size, String fileSystem, String gpu) {
        Map<GdsMethod, String> decided;
        synchronized (decisions) {
            decided = new LinkedHashMap<>(decisions);
        }
        return new GdsReport(
                started,
                Duration.between(started, Instant.now()).toMillis() / 1e3,
                environment,
                options.file().toString(),
                size,
                fileSystem,
                gpu,
                decided,
                List.copyOf(results),
                RunState.COMPLETE,
                null);
    }

    /** Writes the whole file, because a write into holes has another speed than a write to existing blocks. */
    private void make(Path file) throws IOException {
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
        // Fails if another program has created the name meanwhile.
        FileChannel opened = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
        try (FileChannel channel = opened) {
            for (long left = options.fileSize(); left > 0; ) {
                some.clear().limit((int) Math.min(left, some.capacity()));
                left -= channel.write(some);
            }
            channel.force(true);
        } catch (IOException e) {
            Files.deleteIfExists(file);
            throw e;
        }
    }

    /** An open path, and the factory of targets of a size. */
    private record OpenMethod(GdsMethod method, IntFunction<GdsTarget> targets) {}

    private void measure(CudaContext context, long fileSize, boolean writable) throws IOException {
        OpenOption[] access = writable
                ? new OpenOption[] {StandardOpenOption.READ, StandardOpenOption.WRITE}
                : new OpenOption[] {StandardOpenOption.READ};
        Deque<Closeable> opened = new ArrayDeque<>();
        try {
            List<OpenMethod> methods = new ArrayList<>();
            for (GdsMethod method : options.methods()) {
                open(context, method, access, opened)
                        .ifPresent(targets -> methods.add(new OpenMethod(method, targets)));
            }
            for (boolean write : writable ? new boolean[] {true, false} : new boolean[] {false}) {
                for (int size : options.sizes()) {
                    for (int threads : options.threads()) {
                        byTurns(methods, fileSize, write, size, threads);
                    }
                }
            }
        } finally {
            while (!opened.isEmpty()) {
                opened.pop().close();
            }
        }
    }

    /** Each round has a pass of each path, because the speed of the storage varies from minute to minute. */
    private void byTurns(List<OpenMethod> methods, long fileSize, boolean write, int size, int threads) {
        Deque<GdsPasses> begun = new ArrayDeque<>();
        try {
            for (OpenMethod each : methods) {
                begun.add(GdsPasses.begin(
                        options.file(),
                        fileSize,
                        each.method(),
                        write,
                        size,
                        threads,
                        () -> each.targets().apply(size)));
            }
            for (int i = 0; i < options.passes(); i++) {
                begun.forEach(GdsPasses::pass);
            }
            begun.forEach(each -> results.add(each.finish()));
        } finally {
            begun.forEach(GdsPasses::close);
        }
    }

    /**
     * Opens a path, or reports why it is left out.
     *
     * @param opened collects the resources that must be closed, the last one first
     */
    private Optional<IntFunction<GdsTarget>> open(
            CudaContext context, GdsMethod method, OpenOption[] access, Deque<Closeable> opened) throws IOException {
        return switch (method) {
            case HOST -> {
                FileChannel channel = FileChannel.open(options.file(), access);
                opened.push(channel);
                decisions.put(method, "host memory, through the page cache");
                yield Optional.of(size -> new HostTarget(channel, size));
            }
            case DIRECT -> openDirect(access, opened);
            default -> openPath(context, method, access, opened);
        };
    }

    private Optional<IntFunction<GdsTarget>> openPath(
            CudaContext context, GdsMethod method, OpenOption[] access, Deque<Closeable> opened) {
        GpuStorage storage =
                GpuStorage.on(context, config -> config.only(method.path()).directIo(options.direct()));
        opened.push(storage::close);
        try {
            GpuFile file = storage.open(options.file(), access);
            opened.push(file::close);
            decisions.put(
                    method,
                    file.decision() + (file.isDirectIo() ? ", past the page cache" : ", through the page cache"));
            return Optional.of(size -> new GpuTarget(storage, file, context.allocate(size), options.registers()));
        } catch (StoragePathUnavailableException e) {
            decisions.put(
                    method,
                    "left out: "
                            + e.refusals().stream()
                                    .map(StorageRefusal::toString)
                                    .collect(Collectors.joining("; ")));
            return Optional.empty();
        }
    }

    private Optional<IntFunction<GdsTarget>> openDirect(OpenOption[] access, Deque<Closeable> opened) {
        for (int size : options.sizes()) {
            if (size % DirectTarget.BLOCK != 0) {
                decisions.put(
                        GdsMethod.DIRECT,
                        "left out: %d bytes are no multiple of %d".formatted(size, DirectTarget.BLOCK));
                return Optional.empty();
            }
        }
        try {
            OpenOption[] past = Arrays.copyOf(access, access.length + 1);
            past[access.length] = DirectTarget.option();
            FileChannel cached = FileChannel.open(options.file(), access);
            opened.push(cached);
            FileChannel channel = FileChannel.open(options.file(), past);
            opened.push(channel);
            decisions.put(GdsMethod.DIRECT, "host memory, past the page cache");
            return Optional.of(size -> new DirectTarget(channel, cached, size));
        } catch (IOException | UnsupportedOperationException e) {
            decisions.put(
                    GdsMethod.DIRECT, "left out: the file cannot be opened past the page cache: " + e.getMessage());
            return Optional.empty();
        }
    }

    private record GpuTarget(GpuStorage storage, GpuFile file, DeviceMemory memory, boolean registered)
            implements GdsTarget {
        private GpuTarget {
            if (registered) {
                storage.register(memory);
            }
        }

        @Override
        public long read(long offset, int length) {
            return file.read(memory, 0, offset, length);
        }

        @Override
        public void write(long offset, int length) {
            file.write(memory, 0, offset, length);
        }

        @Override
        public void set(ByteBuffer bytes) {
            ByteBuffer copy =
                    ByteBuffer.allocateDirect(bytes.remaining()).put(bytes).flip();
            memory.copyFrom(MemorySegment.ofBuffer(copy));
        }

        @Override
        public void get(ByteBuffer bytes) {
            memory.copyTo(MemorySegment.ofBuffer(bytes));
            bytes.position(bytes.limit());
        }

        @Override
        public void close() {
            memory.close();
        }
    }

    private record HostTarget(FileChannel channel, ByteBuffer block) implements GdsTarget {
        HostTarget(FileChannel channel, int size) {
            this(channel, ByteBuffer.allocateDirect(size));
        }

        @Override
        public long read(long offset, int length) {
            block.clear().limit(length);
            try {
                while (block.hasRemaining() && channel.read(block, offset + block.position()) >= 0) {}
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return block.position();
        }

        @Override
        public void write(long offset, int length) {
            block.clear().limit(length);
            try {
                while (block.hasRemaining()) {
                    channel.write(block, offset + block.position());
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void set(ByteBuffer bytes) {
            block.clear().put(bytes);
        }

        @Override
        public void get(ByteBuffer bytes) {
            bytes.put(block.flip());
        }

        @Override
        public void close() {}
    }
}
