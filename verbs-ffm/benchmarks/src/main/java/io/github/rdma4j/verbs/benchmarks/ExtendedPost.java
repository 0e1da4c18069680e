// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.SendOperation;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** The writes of {@link Post} with {@code ibv_wr_*}: one at a time, and sixteen between start and complete. */
public class ExtendedPost extends Benchmarks {
    private static final MethodHandle C_WRITE = CLoops.loop("c_extended_write");
    private static final MethodHandle C_BATCH = CLoops.loop("c_extended_write_batch");

    private NullDevice device;
    private QueuePair queuePair;
    private long handle;
    private MemorySlice local;
    private RemoteMemory remote;
    private PreparedRequest prepared;
    private long request;

    /** Opens the device. */
    @Setup
    public void open() {
        device = new NullDevice(NullDevice.USER_SPACE, config -> config.sendOperations(SendOperation.RDMA_WRITE));
        queuePair = device.queuePair();
        handle = queuePair.handle();
        local = device.local();
        remote = device.remote();
        prepared = queuePair.prepare().write(local, remote, SendFlags.SIGNALED);
        request = device.request();
    }

    /** Closes it. */
    @TearDown
    public void close() {
        device.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cWrite() throws Throwable {
        return (long) C_WRITE.invokeExact(handle, request, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaWrite() {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result += queuePair.tryPostWrite(i, local, remote, SendFlags.SIGNALED) ? 0 : 1;
        }
        return result;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaPreparedWrite() {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result += prepared.tryPost(i) ? 0 : 1;
        }
        return result;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * BATCH)
    public long cBatch() throws Throwable {
        return (long) C_BATCH.invokeExact(handle, request, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS * BATCH)
    public long javaBatch() {
        long accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            SendBatch batch = queuePair.startBatch();
            for (int k = 0; k < BATCH; k++) {
                batch.write(i + k, local, remote, SendFlags.SIGNALED);
            }
            accepted += batch.tryPost() ? BATCH : 0;
        }
        return accepted;
    }
}
