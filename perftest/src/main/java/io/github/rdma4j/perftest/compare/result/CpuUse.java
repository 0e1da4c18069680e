// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.environment.CpuTime;

/**
 * CPU time of a run, or per message.
 *
 * @param processes nanoseconds that the processes of both ends used, in user space and in the kernel; NaN when not
 *     known
 * @param machine nanoseconds that all processors of the machine were busy in the same time; NaN when not known
 */
public record CpuUse(double processes, double machine) {
    /** Of nobody knows what. */
    static final CpuUse UNKNOWN = new CpuUse(Double.NaN, Double.NaN);

    /** From times of {@link CpuTime}. */
    public static CpuUse of(long processes, long machine) {
        return new CpuUse(orNaN(processes), orNaN(machine));
    }

    private static double orNaN(long nanoseconds) {
        return nanoseconds == CpuTime.UNKNOWN ? Double.NaN : nanoseconds;
    }

    /**
     * What a message costs: the difference to a run of fewer messages, so that the start of processes, registration and
     * handshake, which both have, are not in it.
     *
     * @param fewer the shorter run
     * @param messages how many messages this run has more
     */
    public CpuUse perMessage(CpuUse fewer, long messages) {
        return new CpuUse(
                positive((processes - fewer.processes) / messages), positive((machine - fewer.machine) / messages));
    }

    /** A difference that noise has made negative says nothing. */
    private static double positive(double value) {
        return value > 0 ? value : Double.NaN;
    }

    /** Of two runs that do the same, what the less disturbed one used. */
    CpuUse least(CpuUse other) {
        return new CpuUse(Math.min(processes, other.processes), Math.min(machine, other.machine));
    }
}
