// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.memory;

import io.github.rdma4j.perftest.exit.PerftestException;
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

/** Memory of huge pages, from the reserve of the administrator: mmap(2) with MAP_HUGETLB. */
final class HugePages {
    private static final Path MEMORY = Path.of("/proc/meminfo");

    private static final int PROT_READ_WRITE = 1 | 2;

    /** MAP_PRIVATE, MAP_ANONYMOUS, MAP_HUGETLB. */
    private static final int FLAGS = 0x02 | 0x20 | 0x40000;

    private static final int ENOMEM = 12;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MMAP = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("mmap"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_LONG,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_LONG),
                    Linker.Option.captureCallState("errno"));

    private static final MethodHandle MUNMAP = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("munmap"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private HugePages() {}

    /**
     * Maps memory of huge pages, all zeros.
     *
     * @param bytes the number of bytes, rounded up to whole pages
     * @param arena frees the memory when it is closed
     * @throws PerftestException when the reserve is too small
     */
    static MemorySegment allocate(long bytes, Arena arena) {
        long page = pageSize();
        long length = Math.ceilDiv(bytes, page) * page;
        long address;
        int errno;
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = call.allocate(STATE);
            address = (long) MMAP.invokeExact(state, 0L, length, PROT_READ_WRITE, FLAGS, -1, 0L);
            errno = (int) ERRNO.get(state, 0L);
        } catch (Throwable failure) {
            throw new AssertionError(failure);
        }
        if (address == -1) {
            throw new PerftestException(
                    "--use_hugepages: " + length / page + " huge pages of " + (page >> 10) + " KiB could not be had ("
                            + (errno == ENOMEM ? "ENOMEM" : "errno " + errno) + "); free are " + free(),
                    "have the administrator reserve more: sysctl vm.nr_hugepages=" + (length / page + reserved()));
        }
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
