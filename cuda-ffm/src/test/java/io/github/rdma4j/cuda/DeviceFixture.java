// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A context on the first device, for tests that hold on a GPU and on the stand-in alike. */
abstract class DeviceFixture {
    static final Duration LIMIT = Duration.ofSeconds(20);

    final Arena arena = Arena.ofShared();
    CudaDevice device;
    CudaContext context;

    @BeforeEach
    void openContext() {
        device = Cuda.device(0);
        context = device.createContext();
    }

    @AfterEach
    void closeContext() {
        context.close();
        arena.close();
    }

    /** Pageable memory with a pattern in it. */
    final MemorySegment pattern(long size) {
        MemorySegment segment = arena.allocate(size);
        for (long i = 0; i < size; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (31 * i + i / 251));
        }
        return segment;
    }

    final MemorySegment contents(DeviceMemory memory) {
        MemorySegment segment = arena.allocate(memory.size());
        memory.copyTo(segment);
        return segment;
    }

    static void await(CudaStream stream) {
        if (!stream.await(LIMIT)) {
            throw new AssertionError("the work of " + stream + " is not done after " + LIMIT);
        }
    }
}
