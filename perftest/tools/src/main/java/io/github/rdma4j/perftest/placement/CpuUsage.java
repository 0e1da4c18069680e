// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The busy time of all CPUs of the machine between two moments, from /proc/stat.
 *
 * <p>All time that is not idle counts. (The C tools count only user time: a transfer that the kernel carries out, as
 * with a software device, is idle time for them.)
 */
public final class CpuUsage {
    /**
     * The position in the first line, after its name: user, nice, system, idle, waiting for I/O, interrupts, soft
     * interrupts, stolen.
     */
    private static final int IDLE = 3;

    private static final int WAITING = 4;
    private static final int LAST = 7;

    private final Path file;
    private long busyBefore;
    private long allBefore;
    private double percent = Double.NaN;

    /** Measures this machine. */
    public CpuUsage() {
        this(Path.of("/proc/stat"));
    }

    CpuUsage(Path file) {
        this.file = file;
    }

    /** Starts the measurement. */
    public void begin() {
        long[] now = read();
        busyBefore = now[0];
        allBefore = now[1];
        percent = Double.NaN;
    }

    /** It ends. */
    public void end() {
        long[] now = read();
        long all = now[1] - allBefore;
        // The kernel's time of waiting for I/O may go back a little.
        percent = all > 0 && allBefore > 0 ? Math.clamp(100.0 * (now[0] - busyBefore) / all, 0.0, 100.0) : Double.NaN;
    }

    /**
     * Returns the busy time of all CPUs together in per cent of all time; NaN if the kernel does not report it or
     * nothing was measured.
     */
    public double percent() {
        return percent;
    }

    /** Busy and all time since the machine started, in the kernel's ticks; zeros when they cannot be read. */
    private long[] read() {
        try {
            String line = Files.readString(file).lines().findFirst().orElse("");
            String[] fields = line.strip().split("\\s+");
            long busy = 0;
            long all = 0;
            for (int i = 0; i <= LAST && i + 1 < fields.length; i++) {
                long ticks = Long.parseLong(fields[i + 1]);
                all += ticks;
                busy += i == IDLE || i == WAITING ? 0 : ticks;
            }
            return new long[] {busy, all};
        } catch (IOException | NumberFormatException _) {
            return new long[] {0, 0};
        }
    }
}
