// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.WorkCompletion;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** Polls that find completions and read the status, id and length of each: one at a time, and sixteen at once. */
public class ReadCompletions extends Benchmarks {
    private static final MethodHandle C = CLoops.loop("c_poll_and_read");

    private final WorkCompletions one = WorkCompletions.allocate(1);
    private final WorkCompletions sixteen = WorkCompletions.allocate(BATCH);
    private NullDevice device;
    private CompletionQueue queue;
    private long handle;

    /** Opens the device. */
    @Setup
    public void open() {
        device = new NullDevice(NullDevice.USER_SPACE);
        queue = device.completionQueue();
        handle = queue.handle();
        CLoops.prepare(handle, BATCH);
    }

    /** Closes it. */
    @TearDown
    public void close() {
        device.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cOne() throws Throwable {
        return (long) C.invokeExact(handle, 1L, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaOne() {
        return pollAndRead(one);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * BATCH)
    public long cSixteen() throws Throwable {
        return (long) C.invokeExact(handle, (long) BATCH, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * BATCH)
    public long javaSixteen() {
        return pollAndRead(sixteen);
    }

    private long pollAndRead(WorkCompletions completions) {
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            int count = queue.poll(completions);
            for (int k = 0; k < count; k++) {
                WorkCompletion completion = completions.get(k);
                if (!completion.isSuccess()) {
                    return -1;
                }
                sum += completion.workRequestId() + completion.byteLength();
            }
        }
        return sum;
    }
}
