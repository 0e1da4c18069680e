// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.environment;

/**
 * CPU time of a process, all its threads, user and system time apart. The kernel knows their sum exactly; it divides it
 * by what it finds the process at with each tick of its timer, so that the parts are estimates over many ticks.
 *
 * @param user nanoseconds outside the kernel, or {@link CpuTime#UNKNOWN}
 * @param system nanoseconds inside it, or {@link CpuTime#UNKNOWN}
 */
public record ProcessTime(long user, long system) {
    /** Of this process, until now (getrusage(2)). */
    public static ProcessTime ofThisProcess() {
        return CpuTime.timeOf(CpuTime.SELF);
    }

    /** What was used since an earlier time; unknown where one of the two is. */
    public ProcessTime since(ProcessTime before) {
        return new ProcessTime(CpuTime.between(before.user, user), CpuTime.between(before.system, system));
    }
}
