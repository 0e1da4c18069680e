// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.memory;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** Memory of mmap(2): huge pages from the reserve of the administrator, and files and devices. */
final class MappedMemory {
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private static final int PROT_READ_WRITE = 1 | 2;

    private static final int MAP_SHARED = 0x01;

    /** MAP_PRIVATE, MAP_ANONYMOUS, MAP_HUGETLB. */
    private static final int HUGE_PAGES = 0x02 | 0x20 | 0x40000;

    /** O_RDWR, O_CLOEXEC. */
    private static final int OPEN_READ_WRITE = 0x2 | 0x80000;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle OPEN = handle(
            "open",
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));

    private static final MethodHandle CLOSE =
            handle("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));

    private static final MethodHandle MMAP = handle(
            "mmap",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG),
            Linker.Option.captureCallState("errno"));

    private static final MethodHandle MUNMAP =
            handle("munmap", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private MappedMemory() {}

    private static MethodHandle handle(String name, FunctionDescriptor type, Linker.Option... options) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type, options);
    }

    /**
     * Maps memory of huge pages, all zeros.
     *
     * @param bytes the number of bytes, rounded up to whole pages
     * @param arena frees the memory when it is closed
     * @throws PerftestException when the reserve is too small
     */
    static MemorySegment ofHugePages(long bytes, Arena arena) {
        long page = pageSize();
        long length = Math.ceilDiv(bytes, page) * page;
        long address = map(length, HUGE_PAGES, -1, 0);
        if (address < 0) {
            throw new PerftestException(
                    "--use_hugepages: " + length / page + " huge pages of " + (page >> 10) + " KiB could not be had: "
                            + VerbsException.describe((int) -address) + "; free are " + free(),
                    "have the administrator reserve more: sysctl vm.nr_hugepages=" + (length / page + reserved()));
        }
        return segment(address, length, arena);
    }

    /**
     * Maps a file or a device. FileChannel cannot map a device: it has no size, and FileChannel tries to extend it.
     *
     * @param offset the first byte, a multiple of the page size
     * @param arena unmaps it when it is closed
     * @throws PerftestException when it cannot be mapped
     */
    static MemorySegment ofFile(Path file, long offset, long bytes, Arena arena) {
        int descriptor = open(file);
        long address = descriptor;
        if (descriptor >= 0) {
            address = map(bytes, MAP_SHARED, descriptor, offset);
            close(descriptor);
        }
        if (address < 0) {
            throw new PerftestException(
                    "--mmap: " + file + " cannot be mapped: " + VerbsException.describe((int) -address), "");
        }
        return segment(address, bytes, arena);
    }

    /** Returns a file descriptor, or the negative errno. */
    private static int open(Path file) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = call.allocate(STATE);
            int descriptor = (int) OPEN.invokeExact(state, call.allocateFrom(file.toString()), OPEN_READ_WRITE);
            return descriptor < 0 ? -(int) ERRNO.get(state, 0L) : descriptor;
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    private static void close(int descriptor) {
        try {
            // The mapping remains. An error would be about writes, which nobody made through the descriptor.
            int _ = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    /** Returns an address, or the negative errno. */
    private static long map(long length, int flags, int descriptor, long offset) {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = call.allocate(STATE);
            long address = (long) MMAP.invokeExact(state, 0L, length, PROT_READ_WRITE, flags, descriptor, offset);
            return address == -1 ? -(int) ERRNO.get(state, 0L) : address;
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    private static MemorySegment segment(long address, long length, Arena arena) {
        return MemorySegment.ofAddress(address).reinterpret(length, arena, segment -> unmap(segment.address(), length));
    }

    private static void unmap(long address, long length) {
        try {
            int result = (int) MUNMAP.invokeExact(address, length);
            if (result != 0) {
                throw new AssertionError("munmap failed");
            }
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
    }

    private static long pageSize() {
        long kibibytes = ofMeminfo("Hugepagesize:");
        return kibibytes > 0 ? kibibytes << 10 : 2L << 20;
    }

    private static long free() {
        return Math.max(0, ofMeminfo("HugePages_Free:"));
    }

    private static long reserved() {
        return Math.max(0, ofMeminfo("HugePages_Total:")) - free();
    }

    /** Returns a number from /proc/meminfo; -1 when there is none. */
    private static long ofMeminfo(String key) {
        try {
            for (String line : Files.readAllLines(MEMORY)) {
                if (line.startsWith(key)) {
                    return Long.parseLong(line.substring(key.length()).strip().split(" ")[0]);
                }
            }
        } catch (IOException | NumberFormatException _) {
            // Treat it as missing.
        }
        return -1;
    }
}
