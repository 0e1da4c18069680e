// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda.benchmarks;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.github.rdma4j.cuda.Cuda;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.FlushScope;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Calls with plain arguments that queue nothing, on objects of a driver or of the stand-in, in loops of the same length
 * in C and in Java.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Calls {
    /** Operations per call of a benchmark method: enough that entering a C loop does not count. */
    static final int ROUNDS = 1000;

    // By name, so that a driver is found as any program finds it: a path would have to be absolute.
    private static final SymbolLookup DRIVER =
            SymbolLookup.libraryLookup(System.getProperty("io.github.rdma4j.cuda.library"), Arena.global());
    private static final SymbolLookup LOOPS = SymbolLookup.libraryLookup(
            Path.of(System.getProperty("rdma4j.benchmarks.native"), "librdma4j-cuda-bench.so"), Arena.global());
    private static final MethodHandle OF_OBJECT = loop("c_of_object", 3);
    private static final MethodHandle FLUSH = loop("c_flush", 6);

    private static final long STREAM_QUERY = DRIVER.findOrThrow("cuStreamQuery").address();
    private static final long EVENT_QUERY = DRIVER.findOrThrow("cuEventQuery").address();
    private static final long SET_CURRENT =
            DRIVER.findOrThrow("cuCtxSetCurrent").address();
    private static final long FLUSH_WRITES =
            DRIVER.findOrThrow("cuFlushGPUDirectRDMAWrites").address();
    /** CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER. */
    private static final long TO_OWNER = 100;

    private CudaContext context;
    private CudaStream stream;
    private CudaEvent event;

    private static MethodHandle loop(String name, int arguments) {
        MemoryLayout[] all = Collections.nCopies(arguments, JAVA_LONG).toArray(new MemoryLayout[0]);
        return Linker.nativeLinker().downcallHandle(LOOPS.findOrThrow(name), FunctionDescriptor.of(JAVA_LONG, all));
    }

    /** Makes the objects. */
    @Setup
    public void open() {
        context = Cuda.device(0).createContext();
        stream = context.createStream();
        event = context.createEvent();
    }

    /** Closes them. */
    @TearDown
    public void close() {
        context.close();
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cStreamQuery() throws Throwable {
        return (long) OF_OBJECT.invokeExact(STREAM_QUERY, stream.handle(), (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public int javaStreamQuery() {
        int done = 0;
        for (int i = 0; i < ROUNDS; i++) {
            done += stream.isDone() ? 1 : 0;
        }
        return done;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cEventQuery() throws Throwable {
        return (long) OF_OBJECT.invokeExact(EVENT_QUERY, event.handle(), (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public int javaEventQuery() {
        int done = 0;
        for (int i = 0; i < ROUNDS; i++) {
            done += event.isDone() ? 1 : 0;
        }
        return done;
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public long cFlush() throws Throwable {
        return (long) FLUSH.invokeExact(SET_CURRENT, context.handle(), FLUSH_WRITES, 0L, TO_OWNER, (long) ROUNDS);
    }

    @Benchmark
    @OperationsPerInvocation(ROUNDS)
    public void javaFlush() {
        for (int i = 0; i < ROUNDS; i++) {
            context.flushGpuDirectWrites(FlushScope.OWNER);
        }
    }
}
