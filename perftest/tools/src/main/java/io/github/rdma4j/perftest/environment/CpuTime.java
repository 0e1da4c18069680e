// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** CPU time that the kernel has counted, in nanoseconds. Only differences mean anything. */
public final class CpuTime {
    /** A number that is not known. */
    public static final long UNKNOWN = -1;

    private static final Path STATISTICS = Path.of("/proc/stat");

    /** The kernel reports hundredths of a second to user space, regardless of its own unit. */
    private static final long TICK = 10_000_000;

    /**
     * In a line of /proc/stat: user, nice, system; idle and the wait for disks follow, then both kinds of interrupts.
     */
    private static final int[] BUSY = {1, 2, 3, 6, 7};

    private static final int SELF = 0;
    private static final int CHILDREN = -1;

    /**
     * struct rusage starts with two struct timeval, user and system time; it has 144 bytes if a long has 64 bits.
     */
    private static final long USAGE_BYTES = 144;

    private static final long SECOND = 1_000_000_000;
    private static final long MICROSECOND = 1_000;

    private static final MethodHandle GET_USAGE = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("getrusage"),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));

    private CpuTime() {}

    /** User and system time of this process, all threads. */
    public static long ofThisProcess() {
        return usage(SELF);
    }

    /** Returns the user and system time of child processes that have ended. */
    public static long ofEndedChildren() {
        return usage(CHILDREN);
    }

    private static long usage(int who) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment usage = arena.allocate(USAGE_BYTES, Long.BYTES);
            if ((int) GET_USAGE.invokeExact(who, usage) != 0) {
                return UNKNOWN;
            }
            return nanoseconds(usage, 0) + nanoseconds(usage, 1);
        } catch (Throwable failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static long nanoseconds(MemorySegment usage, long index) {
        return usage.getAtIndex(ValueLayout.JAVA_LONG, 2 * index) * SECOND
                + usage.getAtIndex(ValueLayout.JAVA_LONG, 2 * index + 1) * MICROSECOND;
    }

    /**
     * Returns the busy time of all CPUs of the machine: processes, the kernel's own threads and interrupts. The kernel
     * counts it in hundredths of a second.
     */
    public static long ofTheMachine() {
        try (Stream<String> lines = Files.lines(STATISTICS)) {
            return busy(lines.findFirst().orElse(""));
        } catch (IOException _) {
            return UNKNOWN;
        }
    }

    /**
     * Parses the busy time in the first line of /proc/stat. Unknown if it is another line, or contains something else
     * than numbers.
     */
    public static long busy(String line) {
        String[] words = line.split("\\s+");
        if (words.length <= BUSY[BUSY.length - 1] || !words[0].equals("cpu")) {
            return UNKNOWN;
        }
        try {
            long ticks = 0;
            for (int column : BUSY) {
                ticks += Long.parseLong(words[column]);
            }
            return ticks * TICK;
        } catch (NumberFormatException _) {
            return UNKNOWN;
        }
    }

    /** Adds two times. Unknown if one of them is. */
    public static long sum(long one, long other) {
        return one == UNKNOWN || other == UNKNOWN ? UNKNOWN : one + other;
    }

    /** Subtracts two times. Unknown if one of them is. */
    public static long between(long before, long after) {
        return before == UNKNOWN || after == UNKNOWN ? UNKNOWN : after - before;
    }
}
