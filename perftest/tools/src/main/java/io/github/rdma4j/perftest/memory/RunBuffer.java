// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.memory;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.MemoryOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;

/** The buffer of the messages, in the kind of memory that the options select. {@link #close()} frees it. */
public final class RunBuffer implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final MemorySegment segment;

    private RunBuffer(long address, long bytes, Runnable release) {
        segment = MemorySegment.ofAddress(address).reinterpret(bytes, arena, _ -> release.run());
    }

    private RunBuffer(MemoryOptions options, long bytes, long alignment) {
        try {
            if (options.mappedFile() != null) {
                segment = map(options.mappedFile(), options.mappedOffset(), bytes);
            } else if (options.hugePages()) {
                segment = MappedMemory.ofHugePages(bytes, arena);
            } else {
                segment = allocate(bytes, alignment);
            }
        } catch (RuntimeException | Error failure) {
            arena.close();
            throw failure;
        }
    }

    /**
     * Wraps memory that is allocated elsewhere, which the CPU can access.
     *
     * @param address of its first byte
     * @param bytes the number of bytes
     * @param release frees the memory
     */
    public static RunBuffer at(long address, long bytes, Runnable release) {
        return new RunBuffer(address, bytes, release);
    }

    /**
     * Allocates or maps it.
     *
     * @param options which kind
     * @param bytes the number of bytes
     * @param alignment of its start, a power of two not above a page
     * @throws PerftestException when it cannot be allocated
     */
    public static RunBuffer of(MemoryOptions options, long bytes, long alignment) {
        return new RunBuffer(options, bytes, alignment);
    }

    private MemorySegment allocate(long bytes, long alignment) {
        try {
            return arena.allocate(bytes, alignment);
        } catch (OutOfMemoryError _) {
            throw new PerftestException(
                    "a buffer of " + (bytes >> 20) + " MiB could not be allocated",
                    "use smaller messages (-s) or fewer queue pairs (-q)");
        }
    }

    /** Maps a file or device memory, which is shared with every other process that maps it. */
    private MemorySegment map(Path file, long offset, long bytes) {
        // A device has no size. Reading past the end of a file would end the process.
        long size = Files.isRegularFile(file) ? file.toFile().length() : Long.MAX_VALUE;
        if (size < offset + bytes) {
            throw new PerftestException(
                    "--mmap: " + file + " has " + size + " bytes; the test needs " + bytes + " behind offset " + offset,
                    "make it larger: truncate -s " + (offset + bytes) + " " + file);
        }
        return MappedMemory.ofFile(file, offset, bytes, arena);
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Fills it with a content that repeats.
     *
     * @param content at least one byte; null for noise, which no memory controller and no compressing link treats
     *     better than data, as zeros could be
     */
    public void fill(byte[] content) {
        repeat(content == null ? noise(segment.byteSize()) : content, segment);
    }

    /** Returns random bytes, enough to fill memory of this length by repetition. */
    public static byte[] noise(long bytes) {
        byte[] pattern = new byte[(int) Math.min(bytes, 4096)];
        RandomGenerator.getDefault().nextBytes(pattern);
        return pattern;
    }

    /** Fills memory with a pattern, from its begin again and again. */
    public static void repeat(byte[] pattern, MemorySegment target) {
        MemorySegment source = MemorySegment.ofArray(pattern);
        for (long at = 0; at < target.byteSize(); at += pattern.length) {
            long length = Math.min(pattern.length, target.byteSize() - at);
            MemorySegment.copy(source, 0, target, at, length);
        }
    }

    @Override
    public void close() {
        arena.close();
    }
}
