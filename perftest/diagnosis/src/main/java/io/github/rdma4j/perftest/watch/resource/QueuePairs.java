// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.watch.resource;

/**
 * The queue pairs that one process, or one part of the kernel, has on one device.
 *
 * @param device such as {@code mlx5_0}
 * @param pid of the process; 0 for the kernel; {@link #UNKNOWN} if the thread that created them has ended or is in
 *     another PID namespace, because the kernel cannot name the process then
 * @param owner the name of the process or of the kernel's component; empty if unknown
 * @param count the number of queue pairs
 * @param inError the number of queue pairs that have failed: they are in state SQE or ERR
 */
public record QueuePairs(String device, long pid, String owner, int count, int inError) {
    /** Instead of a process. */
    public static final long UNKNOWN = -1;

    /** Returns the owner, such as {@code java (4711)} or {@code kernel: ib_core}. */
    public String who() {
        return pid > 0 ? program() + " (" + pid + ")" : program();
    }

    /** The program, without the number of the process. */
    public String program() {
        if (pid == UNKNOWN) {
            return "threads that have ended";
        }
        return pid == 0 ? "kernel: " + owner : owner.isEmpty() ? "?" : owner;
    }

    /** Returns whether it is about the same owner and device. */
    public boolean isOf(QueuePairs other) {
        return device.equals(other.device) && pid == other.pid && owner.equals(other.owner);
    }
}
