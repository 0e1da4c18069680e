// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Asserts that a measured loop allocates nothing.
 *
 * <p>The JVM itself allocates now and then on the thread that runs the loop, and once each time. When HotSpot asks for
 * the first compilation of a method of a class, it makes the class's string constants: the two of
 * {@code WorkCompletion} took 184 bytes. When it throws compiled code away, it makes the objects that the code had done
 * without. And when the compiler has come to all of it, on a busy machine, is not known. So the loop runs until it has
 * allocated nothing, for a minute at most. A loop that allocates does so each time.
 */
final class AllocationCheck {
    private static final Duration LIMIT = Duration.ofMinutes(1);
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
        List<Long> allocated = new ArrayList<>();
        long start = System.nanoTime();
        do {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            run.run();
            allocated.add(THREADS.getCurrentThreadAllocatedBytes() - before);
            check.run();
        } while (allocated.getLast() != 0 && System.nanoTime() - start < LIMIT.toNanos());
        assertThat(allocated.getLast())
                .as("bytes allocated, run by run: %s", allocated)
                .isZero();
    }
}
