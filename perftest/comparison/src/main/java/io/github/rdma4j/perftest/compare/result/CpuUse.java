// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.environment.CpuTime;

/**
 * CPU time of a run, or per message.
 *
 * @param processes nanoseconds that the processes of both ends used, in user space and in the kernel; NaN if unknown
 * @param machine nanoseconds that all processors of the machine were busy in the same time; NaN if unknown
 */
public record CpuUse(double processes, double machine) {
    /** An unknown CPU time. */
    static final CpuUse UNKNOWN = new CpuUse(Double.NaN, Double.NaN);

    /** Creates a value from times of {@link CpuTime}. */
    public static CpuUse of(long processes, long machine) {
        return new CpuUse(orNaN(processes), orNaN(machine));
    }

    private static double orNaN(long nanoseconds) {
        return nanoseconds == CpuTime.UNKNOWN ? Double.NaN : nanoseconds;
    }

    /**
     * Returns the CPU time per message: the difference to a run of fewer messages, which excludes the start of
     * processes, registration and handshake, because both runs have them.
     *
     * @param fewer the shorter run
     * @param messages the difference in the number of messages
     */
    public CpuUse perMessage(CpuUse fewer, long messages) {
        return new CpuUse(
                positive((processes - fewer.processes) / messages), positive((machine - fewer.machine) / messages));
    }

    /** A negative difference is noise. */
    private static double positive(double value) {
        return value > 0 ? value : Double.NaN;
    }

    /** Returns the smaller of two CPU times of equal runs, which is the less disturbed one. */
    CpuUse least(CpuUse other) {
        return new CpuUse(Math.min(processes, other.processes), Math.min(machine, other.machine));
    }
}
