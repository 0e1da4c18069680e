// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Zeroed memory from the kernel (mmap(2)) with pages of a chosen size, which the JDK's arenas cannot provide. The
 * memory's scope ends with {@link #unmap()}.
 */
public final class PageMapping {
    /** The preferred pages. */
    public enum Wish {
        /** The kernel's choice. */
        ORDINARY,
        /** Ordinary memory for which the kernel is asked to use huge pages (madvise(2)). */
        TRANSPARENT,
        /** Pages from the pool of huge pages that the administrator reserved. */
        EXPLICIT
    }

    /** The size of a huge page of the administrator's reserve, which may be 1 GiB. */
    public static final long HUGE_PAGE =
            MemoryInformation.machine().bytes("Hugepagesize").orElse(2L << 20);

    /** The size of a transparent huge page. */
    public static final long TRANSPARENT_HUGE_PAGE =
            transparentHugePageSize(Path.of("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"));

    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;
    private static final int MAP_HUGETLB = 0x40000;
    private static final int MADV_HUGEPAGE = 14;
    private static final long MAP_FAILED = -1;

    private static final String MORE_ROOM =
            "ask for less, or let the process have more ('ulimit -v'; the container's memory limit)";
    private static final String FEWER_MAPPINGS =
            "call it again when the process has fewer mappings, or let it have more: /proc/sys/vm/max_map_count";

    private static final MethodHandle MMAP = NativeCalls.systemHandle(
            "mmap", FunctionDescriptor.of(JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle MUNMAP =
            NativeCalls.systemHandle("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle MADVISE =
            NativeCalls.systemHandle("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));

    private final MemorySegment memory;
    private final Arena arena = Arena.ofShared();
    private final String pages;
    private final boolean huge;
    private final String refusal;
    private boolean unmapped;

    private PageMapping(long address, long size, String pages, boolean huge, String refusal) {
        this.memory = MemorySegment.ofAddress(address).reinterpret(size, arena, null);
        this.pages = pages;
        this.huge = huge;
        this.refusal = refusal;
    }

    /**
     * Maps memory. If huge pages are not available, it is ordinary memory, and {@link #refusal()} says why.
     *
     * @param size in bytes, a multiple of {@link PageSize#BYTES}, for explicit huge pages of {@link #HUGE_PAGE}
     * @param wish the preferred pages
     * @return the mapping, aligned to {@link #HUGE_PAGE} if it has such pages, otherwise to the largest power of two
     *     that is not above its size, at most {@link #TRANSPARENT_HUGE_PAGE}
     * @throws VerbsException if address space or memory runs out; nothing is mapped then
     */
    public static PageMapping map(long size, Wish wish) {
        String refusal = "";
        if (wish == Wish.EXPLICIT) {
            long address = mmap(size, MAP_HUGETLB);
            if (address != MAP_FAILED) {
                return new PageMapping(address, size, "huge pages of %d bytes".formatted(HUGE_PAGE), true, "");
            }
            refusal = "no %d huge pages of %d bytes are free (%s): see /proc/sys/vm/nr_hugepages"
                    .formatted(size / HUGE_PAGE, HUGE_PAGE, ErrnoName.of(NativeCalls.lastErrno()));
        }
        long address = mapAligned(size);
        if (wish == Wish.ORDINARY) {
            return new PageMapping(address, size, PageSize.BYTES + "-byte pages", false, "");
        }
        String transparent = transparentRefusal(address, size);
        if (transparent.isEmpty()) {
            return new PageMapping(address, size, "transparent huge pages", true, refusal);
        }
        return new PageMapping(
                address,
                size,
                PageSize.BYTES + "-byte pages",
                false,
                refusal.isEmpty() ? transparent : refusal + "; " + transparent);
    }

    private static String transparentRefusal(long address, long size) {
        if (size < TRANSPARENT_HUGE_PAGE) {
            return "%d bytes are less than a huge page".formatted(size);
        }
        if (!transparentHugePagesAllowed()) {
            return "transparent huge pages are switched off: /sys/kernel/mm/transparent_hugepage/enabled says never";
        }
        try {
            int result = (int) MADVISE.invokeExact(NativeCalls.capture(), address, size, MADV_HUGEPAGE);
            return result == 0 ? "" : "madvise(MADV_HUGEPAGE) failed: " + ErrnoName.of(NativeCalls.lastErrno());
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static boolean transparentHugePagesAllowed() {
        try {
            return !Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
                    .contains("[never]");
        } catch (IOException e) {
            return false;
        }
    }

    /** 2 MiB if the kernel does not report it, because it has none. */
    static long transparentHugePageSize(Path file) {
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException | NumberFormatException e) {
            return 2L << 20;
        }
    }

    /**
     * The kernel aligns only to small pages, so the excess at both ends is unmapped. There is always excess at both
     * ends, so that the calls are the same each time.
     */
    private static long mapAligned(long size) {
        long alignment = Math.min(Long.highestOneBit(size), TRANSPARENT_HUGE_PAGE);
        long room = size + alignment + PageSize.BYTES;
        long address = mmap(room, 0);
        if (address == MAP_FAILED) {
            throw Failures.of("mmap(%d bytes)".formatted(room), NativeCalls.lastErrno(), "", MORE_ROOM);
        }
        long aligned = address + alignment & -alignment;
        long end = address + room;
        long begin = address;
        try {
            munmap(begin, aligned - begin);
            begin = aligned;
            munmap(aligned + size, end - aligned - size);
        } catch (VerbsException refused) {
            try {
                munmap(begin, end - begin);
            } catch (VerbsException again) {
                refused.addSuppressed(again);
            }
            throw refused;
        }
        return aligned;
    }

    private static long mmap(long size, int moreFlags) {
        try {
            return (long) MMAP.invokeExact(
                    NativeCalls.capture(),
                    MemorySegment.NULL,
                    size,
                    PROT_READ_WRITE,
                    MAP_PRIVATE_ANONYMOUS | moreFlags,
                    -1,
                    0L);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
    }

    private static void munmap(long address, long size) {
        int result;
        try {
            result = (int) MUNMAP.invokeExact(NativeCalls.capture(), address, size);
        } catch (Throwable e) {
            throw NativeCalls.unexpected(e);
        }
        if (result != 0) {
            throw Failures.of(
                    "munmap(%d bytes at 0x%x)".formatted(size, address), NativeCalls.lastErrno(), "", FEWER_MAPPINGS);
        }
    }

    /** {@return the memory} */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * {@return the actual pages: {@code "4096-byte pages"}, with the number of {@link PageSize},
     * {@code "transparent huge pages"} or {@code "huge pages of 2097152 bytes"}}
     */
    public String pages() {
        return pages;
    }

    /** {@return whether these are huge pages, as far as the kernel guarantees it} */
    public boolean huge() {
        return huge;
    }

    /** {@return why they are not the preferred pages, or an empty string} */
    public String refusal() {
        return refusal;
    }

    /**
     * Returns how much of the memory is in transparent huge pages now, according to {@code /proc/self/smaps}. Slow,
     * because the kernel walks the address space.
     *
     * @return the bytes, at most all; 0 for explicit huge pages, or if it is not reported
     */
    public long transparentBytes() {
        return transparentBytes(Path.of("/proc/self/smaps"), memory.address(), memory.byteSize());
    }

    /**
     * Returns how much of the memory is in transparent huge pages, according to a file; names of mapped files can
     * contain any bytes.
     */
    static long transparentBytes(Path smaps, long address, long size) {
        boolean here = false;
        try (Stream<String> lines = Files.lines(smaps, StandardCharsets.ISO_8859_1)) {
            for (String line : (Iterable<String>) lines::iterator) {
                int dash = line.indexOf('-');
                int space = line.indexOf(' ');
                if (dash > 0 && dash < space) {
                    here = Long.parseUnsignedLong(line.substring(0, dash), 16) <= address
                            && Long.parseUnsignedLong(line.substring(dash + 1, space), 16) > address;
                } else if (here && line.startsWith("AnonHugePages:")) {
                    return Math.min(Long.parseLong(line.replaceAll("\\D", "")) * 1024, size);
                }
            }
        } catch (IOException | UncheckedIOException e) {
            return 0;
        }
        return 0;
    }

    /**
     * Unmaps the memory; does nothing if it is unmapped already. No adapter may use it any more. After an exception it
     * can be called again, and continues where it stopped.
     *
     * @throws IllegalStateException if a native call of another thread still uses it
     * @throws VerbsException if the kernel refuses; the memory can no longer be used, but is still mapped
     */
    public synchronized void unmap() {
        if (arena.scope().isAlive()) {
            try {
                arena.close();
            } catch (IllegalStateException e) {
                throw new IllegalStateException(
                        "a native call of another thread, such as a write to a channel, still uses memory at 0x%x:"
                                        .formatted(memory.address())
                                + " close it again when that call has returned",
                        e);
            }
        }
        if (!unmapped) {
            munmap(memory.address(), memory.byteSize());
            unmapped = true;
        }
    }
}
