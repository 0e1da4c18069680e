// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import com.sun.nio.file.ExtendedOpenOption;
import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceMemory;
import io.github.rdma4j.cuda.HostMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How fast the storage is read past the page cache to memory of each kind, and how fast that is copied to the GPU:
 * whether staging loses by the pages that its memory is of. Step 7 of scripts/evidence gpu; the argument is a folder.
 */
final class EvidencePinned {
    private static final int MOST = 16 << 20;
    private static final int HUGE = 2 << 20;
    private static final long FILE = 256L << 20;
    private static final int ROUNDS = 3;
    private static final int MADV_HUGEPAGE = 14;
    private static final int MADV_NOHUGEPAGE = 15;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private EvidencePinned() {}

    public static void main(String[] arguments) throws IOException {
        Path file = Files.createTempFile(Path.of(arguments[0]), "pinned", "");
        try (Arena arena = Arena.ofShared();
                CudaContext context = Cuda.device(0).retainPrimaryContext()) {
            write(file);
            HostMemory allocated = context.allocateHost(MOST);
            MemorySegment plain = memory(arena, MADV_HUGEPAGE);
            Map<String, HostMemory> kinds = new LinkedHashMap<>();
            kinds.put("cuMemHostAlloc", allocated);
            kinds.put("huge pages, registered", context.registerHost(memory(arena, MADV_HUGEPAGE)));
            kinds.put("pages of 4 KiB, registered", context.registerHost(memory(arena, MADV_NOHUGEPAGE)));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT)) {
                for (int size : new int[] {64 << 10, 1 << 20, 4 << 20, MOST}) {
                    Map<String, double[]> rates = new LinkedHashMap<>();
                    for (int round = 0; round < ROUNDS; round++) {
                        int now = round;
                        kinds.forEach((name, memory) -> rates.computeIfAbsent(name, _ -> new double[ROUNDS])[now] =
                                read(channel, memory.segment(), size));
                        rates.computeIfAbsent("huge pages, not pinned", _ -> new double[ROUNDS])[now] =
                                read(channel, plain, size);
                    }
                    rates.forEach((name, all) -> {
                        Arrays.sort(all);
                        System.out.printf(
                                "reads of %8d bytes to %-26s %8.1f MiB/s (median of %d)%n",
                                size, name, all[ROUNDS / 2], ROUNDS);
                    });
                }
            }
            try (DeviceMemory device = context.allocate(MOST);
                    CudaStream stream = context.createStream()) {
                kinds.forEach((name, memory) -> System.out.printf(
                        "copies of %d bytes to the GPU from %-26s %8.1f MiB/s%n",
                        MOST, name, copy(stream, memory, device)));
            }
        } finally {
            Files.delete(file);
        }
    }

    private static void write(Path file) throws IOException {
        ByteBuffer some = ByteBuffer.allocateDirect(1 << 20);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long at = 0; at < FILE; at += some.capacity()) {
                some.clear();
                while (some.hasRemaining()) {
                    channel.write(some);
                }
            }
            channel.force(true);
        }
    }

    private static MemorySegment memory(Arena arena, int advice) {
        MemorySegment memory = arena.allocate(MOST, HUGE);
        try {
            int result = (int) Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker().defaultLookup().findOrThrow("madvise"),
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_LONG,
                                    ValueLayout.JAVA_INT))
                    .invokeExact(memory.address(), memory.byteSize(), advice);
            if (result != 0) {
                System.out.println("madvise(" + advice + ") is refused");
            }
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        return memory.fill((byte) 1);
    }

    private static double read(FileChannel channel, MemorySegment memory, int size) {
        ByteBuffer buffer = memory.asSlice(0, size).asByteBuffer();
        long start = System.nanoTime();
        try {
            for (long at = 0; at < FILE; at += size) {
                buffer.clear();
                if (channel.read(buffer, at) != size) {
                    throw new AssertionError("a short read at " + at);
                }
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return (FILE >> 20) / ((System.nanoTime() - start) / 1e9);
    }

    private static double copy(CudaStream stream, HostMemory from, DeviceMemory to) {
        double best = 0;
        for (int i = 0; i < 20; i++) {
            long start = System.nanoTime();
            stream.copyToDevice(to, 0, from, 0, MOST);
            if (!stream.await(LIMIT)) {
                throw new AssertionError("a copy is not done after " + LIMIT);
            }
            best = Math.max(best, (MOST >> 20) / ((System.nanoTime() - start) / 1e9));
        }
        return best;
    }
}
