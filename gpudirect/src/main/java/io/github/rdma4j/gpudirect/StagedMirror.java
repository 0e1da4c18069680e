// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Function;

/** Pinned host memory, registered with the adapter, as long as the device memory that it mirrors. */
record StagedMirror(HostMemory host, MemoryRegion region) implements AutoCloseable {
    private static final Duration END_OF_COPY = Duration.ofSeconds(30);

    /**
     * Creates a mirror with the current contents of the device memory: bytes that the adapter does not write must not
     * change.
     *
     * @param registration registers pinned host memory with the adapter
     */
    static StagedMirror make(Function<MemorySegment, MemoryRegion> registration, DeviceSlice memory) {
        CudaContext context = memory.memory().context();
        HostMemory host = context.allocateHost(memory.length());
        MemoryRegion region = null;
        try {
            fill(host, memory, context);
            region = registration.apply(host.segment());
            // A context frees its host memory when it is closed, which must not happen before the adapter has released
            // it.
            host.addDependent(region);
            return new StagedMirror(host, region);
        } catch (RuntimeException e) {
            Undo.after(e, region, host);
            throw e;
        }
    }

    /** Uses a separate stream, so that it waits for no other work. */
    private static void fill(HostMemory host, DeviceSlice memory, CudaContext context) {
        try (CudaStream stream = context.createStream()) {
            stream.copyToHost(host, 0, memory.memory(), memory.offset(), memory.length());
            if (!stream.await(END_OF_COPY)) {
                throw new IllegalStateException(
                        "%s could not be copied to its mirror within %s: the GPU is busy with other work"
                                .formatted(memory, TimeText.of(END_OF_COPY)));
            }
        }
    }

    @Override
    public void close() {
        region.close();
        host.close();
    }
}
