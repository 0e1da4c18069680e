// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.DeviceSlice;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.internal.Undo;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import java.time.Duration;

/** Pinned host memory that the adapter knows, as long as the device memory that it stands for. */
record StagedMirror(HostMemory host, MemoryRegion region) implements AutoCloseable {
    private static final Duration END_OF_COPY = Duration.ofSeconds(30);

    /** A mirror that has what the device memory has now: what the adapter does not write must not differ later. */
    static StagedMirror make(ProtectionDomain domain, DeviceSlice memory, AccessFlag... access) {
        CudaContext context = memory.memory().context();
        HostMemory host = context.allocateHost(memory.length());
        try {
            fill(host, memory, context);
            MemoryRegion region = domain.registerMemory(host.segment(), access);
            // A context that is closed frees its host memory: not before the adapter has let go of it.
            host.addDependent(region);
            return new StagedMirror(host, region);
        } catch (RuntimeException e) {
            Undo.after(e, host);
            throw e;
        }
    }

    /** By a stream of its own, so that it waits for no other work. */
    private static void fill(HostMemory host, DeviceSlice memory, CudaContext context) {
        try (CudaStream stream = context.createStream()) {
            stream.copyToHost(host, 0, memory.memory(), memory.offset(), memory.length());
            if (!stream.await(END_OF_COPY)) {
                throw new IllegalStateException(
                        "%s could not be copied to its mirror in %s: the GPU is busy with other work"
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
