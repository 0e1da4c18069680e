// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;

/**
 * Asserts that a measured loop allocates nothing.
 *
 * <p>The JVM itself allocates now and then on the thread that runs the loop, and once each time. When HotSpot asks for
 * the first compilation of a method of a class, it makes the class's string constants: the two of
 * {@code WorkCompletion} took 184 bytes. When it throws compiled code away, it makes the objects that the code had done
 * without. So the loop runs up to three times, and one of them must have allocated nothing. A loop that allocates does
 * so in each.
 */
final class AllocationCheck {
    private static final int RUNS = 3;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocationCheck() {}

    /**
     * Fails unless a run allocates nothing.
     *
     * @param run the loop, warmed up
     * @param check of what the run did; may allocate
     */
    static void assertNothingIsAllocated(Runnable run, Runnable check) {
        THREADS.getCurrentThreadAllocatedBytes();
        long[] allocated = new long[RUNS];
        for (int i = 0; i < RUNS; i++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run.run();
            allocated[i] = THREADS.getCurrentThreadAllocatedBytes() - before;
            check.run();
            if (allocated[i] == 0) {
                return;
            }
        }
        fail("bytes allocated in each of %d runs: %s", RUNS, Arrays.toString(allocated));
    }
}
