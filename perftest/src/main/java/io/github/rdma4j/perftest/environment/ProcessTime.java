// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

/**
 * CPU time of a process with all its threads, separated into user and system time. The kernel knows the sum exactly. It
 * divides the sum by what it finds the process doing at each timer tick, so that the parts are estimates over many
 * ticks.
 *
 * @param user nanoseconds outside the kernel, or {@link CpuTime#UNKNOWN}
 * @param system nanoseconds inside it, or {@link CpuTime#UNKNOWN}
 */
public record ProcessTime(long user, long system) {
    /** Returns the CPU time of this process until now (getrusage(2)). */
    public static ProcessTime ofThisProcess() {
        return CpuTime.timeOf(CpuTime.SELF);
    }

    /** Returns the CPU time since an earlier time; unknown if one of the two is. */
    public ProcessTime since(ProcessTime before) {
        return new ProcessTime(CpuTime.between(before.user, user), CpuTime.between(before.system, system));
    }
}
