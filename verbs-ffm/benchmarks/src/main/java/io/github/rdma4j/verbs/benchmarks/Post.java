// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.benchmarks;

import io.github.rdma4j.verbs.MemorySlice;
import io.github.rdma4j.verbs.PreparedReceive;
import io.github.rdma4j.verbs.PreparedRequest;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.SendBatch;
import io.github.rdma4j.verbs.SendFlags;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Fills and posts requests of one segment: a write, sixteen writes in one batch, a receive. The write and the receive
 * are also prepared.
 */
public class Post extends Benchmarks {
    private static final MethodHandle C_WRITE = CLoops.loop("c_write");
    private static final MethodHandle C_PREPARED_WRITE = CLoops.loop("c_prepared_write");
    private static final MethodHandle C_BATCH = CLoops.loop("c_write_batch");
    private static final MethodHandle C_RECEIVE = CLoops.loop("c_receive");
    private static final MethodHandle C_PREPARED_RECEIVE = CLoops.loop("c_prepared_receive");

    private NullDevice userSpace;
    private NullDevice kernel;
    private QueuePair queuePair;
    private QueuePair kernelQueuePair;
    private long handle;
    private MemorySlice local;
    private MemorySlice kernelLocal;
    private RemoteMemory remote;
    private PreparedRequest prepared;
    private PreparedRequest kernelPrepared;
    private PreparedReceive preparedReceive;
    private long request;
    private long address;
    private int length;
    private int localKey;

    /** Opens the devices. */
    @Setup
    public void open() {
        userSpace = new NullDevice(NullDevice.USER_SPACE);
        kernel = new NullDevice(NullDevice.KERNEL);
        queuePair = userSpace.queuePair();
        kernelQueuePair = kernel.queuePair();
        handle = queuePair.handle();
        local = userSpace.local();
        kernelLocal = kernel.local();
        remote = userSpace.remote();
        prepared = queuePair.prepare().write(local, remote, SendFlags.SIGNALED);
        kernelPrepared = kernelQueuePair.prepare().write(kernelLocal, remote, SendFlags.SIGNALED);
        preparedReceive = queuePair.prepareReceive(local);
        request = userSpace.request();
        address = local.region().address() + local.offset();
        length = (int) local.length();
        localKey = local.region().localKey();
    }

    /** Closes them. */
    @TearDown
    public void close() {
        userSpace.close();
        kernel.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cWrite() throws Throwable {
        return (long) C_WRITE.invokeExact(handle, request, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaWrite() {
        return write(queuePair, local);
    }

    /** As on a device whose driver might enter the kernel. */
    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaKernelWrite() {
        return write(kernelQueuePair, kernelLocal);
    }

    private long write(QueuePair pair, MemorySlice from) {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result += pair.tryPostWrite(i, from, remote, SendFlags.SIGNALED) ? 0 : 1;
        }
        return result;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cPreparedWrite() throws Throwable {
        return (long) C_PREPARED_WRITE.invokeExact(handle, request, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaPreparedWrite() {
        return write(prepared);
    }

    /** As on a device whose driver might enter the kernel. */
    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaPreparedKernelWrite() {
        return write(kernelPrepared);
    }

    private static long write(PreparedRequest write) {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result += write.tryPost(i) ? 0 : 1;
        }
        return result;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long jniWrite() {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result |= JniCalls.postWrite(
                    handle, i, address, length, localKey, remote.address(), remote.remoteKey(), SendFlags.SIGNALED);
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

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cReceive() throws Throwable {
        return (long) C_RECEIVE.invokeExact(handle, request, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaReceive() {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result += queuePair.tryPostReceive(i, local) ? 0 : 1;
        }
        return result;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cPreparedReceive() throws Throwable {
        return (long) C_PREPARED_RECEIVE.invokeExact(handle, request, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long javaPreparedReceive() {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result += preparedReceive.tryPost(i) ? 0 : 1;
        }
        return result;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long jniReceive() {
        long result = 0;
        for (int i = 0; i < ROUNDS; i++) {
            result |= JniCalls.postReceive(handle, i, address, length, localKey);
        }
        return result;
    }
}
