// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.WorkCompletions;

/**
 * A program that lists the devices, posts one write and polls. It measures the cost of the library before the first
 * transfer.
 */
public final class FirstOperation {
    private FirstOperation() {}

    /**
     * Prints the milliseconds from here to the end of the poll.
     *
     * @param arguments none
     */
    public static void main(String[] arguments) {
        long begin = System.nanoTime();
        if (Device.list().isEmpty()) {
            throw new AssertionError("the null provider has devices");
        }
        NullDevice device = new NullDevice(NullDevice.USER_SPACE);
        if (!device.queuePair().tryPostWrite(1, device.local(), device.remote(), SendFlags.SIGNALED)) {
            throw new AssertionError("the first post found the queue full");
        }
        device.completionQueue().poll(WorkCompletions.allocate(1));
        System.out.println((System.nanoTime() - begin) / 1_000_000);
    }
}
