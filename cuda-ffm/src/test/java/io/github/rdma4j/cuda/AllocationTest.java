// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The hot path allocates nothing once it is compiled: thousands of operations, by the JVM's own count of this thread's
 * bytes.
 */
@ExtendWith(StandInDriver.class)
class AllocationTest {
    private static final int OPERATIONS = 20_000;
    private static final int WARM_UP = 20_000;
    private static final int FEW = 2_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private CudaContext context;
    private CudaStream stream;

    @BeforeEach
    void open() {
        context = Cuda.device(0).createContext();
        stream = context.createStream();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void askingAndRecordingAllocateNothing() {
        CudaEvent event = context.createEvent();
        CudaStream second = context.createStream();
        assertNothingIsAllocated(() -> {
            stream.isDone();
            event.isDone();
            event.record(stream);
            second.waitFor(event);
        });
    }

    @Test
    void copiesAndFillsAllocateNothing() {
        DeviceMemory memory = context.allocate(64);
        HostMemory pinned = context.allocateHost(64);
        assertNothingIsAllocated(() -> {
            stream.copyToDevice(memory, 0, pinned, 0, 64);
            stream.copyToHost(pinned, 0, memory, 0, 64);
            stream.copyToDevice(memory, 0, pinned.segment(), 0, 64);
            stream.copyOnDevice(memory, 32, memory, 0, 32);
            stream.fill(memory, 0, 64, (byte) 1);
            stream.fillWords(memory, 0, 16, 1);
        });
    }

    @Test
    void copiesThatReturnWhenTheyAreDoneAllocateNothing() {
        DeviceMemory memory = context.allocate(64);
        HostMemory pinned = context.allocateHost(64);
        assertNothingIsAllocated(() -> {
            memory.copyFrom(pinned.segment());
            memory.copyTo(pinned.segment());
            memory.fill(0, 64, (byte) 1);
            context.flushGpuDirectWrites(FlushScope.OWNER);
        });
    }

    @Test
    void valuesAllocateNothing() {
        DeviceMemory memory = context.allocate(64);
        assertNothingIsAllocated(() -> {
            stream.writeValue(memory, 0, 1);
            stream.waitForValue(memory, 0, 1, WaitCondition.EQUAL);
            stream.writeValue64(memory, 8, 1);
            stream.waitForValue64(memory, 8, 1, WaitCondition.AT_LEAST);
        });
    }

    @Test
    void launchesAllocateNothing() {
        CudaKernel kernel = context.loadModule(Kernels.ptx()).kernel("increment");
        DeviceMemory memory = context.allocate(64);
        KernelArguments arguments = kernel.newArguments();
        assertNothingIsAllocated(() ->
                stream.launch(kernel, 1, 16, arguments.setPointer(0, memory).setInt(1, 16)));
    }

    /**
     * Words for a failure are put together when there is one: an allocation and a free took 2960 bytes with them, and
     * 1320 without.
     */
    @Test
    void memoryInTheOrderOfAStreamCostsItsObjectsAlone() {
        Runnable operation = () -> stream.free(stream.allocate(4096));
        repeat(operation, FEW);
        long before = threads.getCurrentThreadAllocatedBytes();
        repeat(operation, FEW);
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / FEW;
        assertThat(each).isLessThan(2000);
    }

    /**
     * The least of five rounds: a compiled method that is thrown away in mid-run may put one object on the heap, once.
     */
    private void assertNothingIsAllocated(Runnable operation) {
        repeat(operation, WARM_UP);
        long[] allocated = new long[5];
        for (int round = 0; round < allocated.length; round++) {
            DeviceFixture.await(stream);
            long before = threads.getCurrentThreadAllocatedBytes();
            repeat(operation, OPERATIONS);
            allocated[round] = threads.getCurrentThreadAllocatedBytes() - before;
            if (allocated[round] == 0) {
                return;
            }
        }
        fail("bytes allocated in %d operations, five times: %s", OPERATIONS, Arrays.toString(allocated));
    }

    private static void repeat(Runnable operation, int count) {
        for (int i = 0; i < count; i++) {
            operation.run();
        }
    }
}
