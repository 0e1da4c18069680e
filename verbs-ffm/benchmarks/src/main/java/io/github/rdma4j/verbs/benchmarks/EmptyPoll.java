// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** A poll that finds nothing, which is what a waiting program does most. */
public class EmptyPoll extends Benchmarks {
    private static final MethodHandle C = CLoops.loop("c_poll_empty");

    private final WorkCompletions completions = WorkCompletions.allocate(BATCH);
    private final long memory = Arena.global().allocate(BATCH * 64L, 8).address();
    private NullDevice device;
    private CompletionQueue queue;
    private long handle;

    /** Opens the device. */
    @Setup
    public void open() {
        device = new NullDevice(NullDevice.USER_SPACE);
        queue = device.completionQueue();
        handle = queue.handle();
    }

    /** Closes it. */
    @TearDown
    public void close() {
        device.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long c() throws Throwable {
        return (long) C.invokeExact(handle, (long) BATCH, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long java() {
        long found = 0;
        for (int i = 0; i < ROUNDS; i++) {
            found += queue.poll(completions);
        }
        return found;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long jni() {
        long found = 0;
        for (int i = 0; i < ROUNDS; i++) {
            found += JniCalls.poll(handle, BATCH, memory);
        }
        return found;
    }
}
