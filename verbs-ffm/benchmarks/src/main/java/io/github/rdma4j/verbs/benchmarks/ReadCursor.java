// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.CompletionCursor;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ExtendedCompletionQueue;
import io.github.rdma4j.verbs.WorkCompletionField;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The same as {@link ReadCompletions} with the cursor of an extended completion queue: sixteen completions per start.
 */
public class ReadCursor extends Benchmarks {
    private static final MethodHandle C = CLoops.loop("c_extended_poll_and_read");

    private DeviceContext device;
    private ExtendedCompletionQueue queue;
    private long handle;

    /** Opens the device. */
    @Setup
    public void open() {
        device = DeviceContext.open(NullDevice.USER_SPACE);
        queue = device.createExtendedCompletionQueue(256, config -> config.fields(WorkCompletionField.BYTE_LENGTH));
        handle = queue.handle();
        CLoops.prepare(handle, BATCH);
    }

    /** Closes it. */
    @TearDown
    public void close() {
        device.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * BATCH)
    public long c() throws Throwable {
        return (long) C.invokeExact(handle, (long) BATCH, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * BATCH)
    public long java() {
        CompletionCursor cursor = queue.cursor();
        long sum = 0;
        for (int i = 0; i < ROUNDS; i++) {
            if (!cursor.start()) {
                continue;
            }
            do {
                if (!cursor.isSuccess()) {
                    return -1;
                }
                sum += cursor.workRequestId() + cursor.byteLength();
            } while (cursor.next());
            cursor.end();
        }
        return sum;
    }
}
