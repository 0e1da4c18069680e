// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.internal.Undo;

/**
 * Pinned chunks, and the stream that copies between them and the device. {@link ContextStore} keeps it when its user is
 * gone.
 */
record Staging(HostMemory memory, CudaStream stream, CudaEvent[] events, int chunkSize) {
    static Staging make(CudaContext context, int chunkSize, int count) {
        HostMemory memory = context.allocateHost((long) chunkSize * count);
        // If a later step fails, closing the memory also closes the objects made after it.
        try {
            CudaStream stream = context.createStream();
            memory.addDependent(stream);
            CudaEvent[] events = new CudaEvent[count];
            for (int i = 0; i < count; i++) {
                events[i] = context.createEvent();
                memory.addDependent(events[i]);
            }
            return new Staging(memory, stream, events, chunkSize);
        } catch (RuntimeException e) {
            Undo.after(e, memory);
            throw e;
        }
    }

    boolean fits(int size, int count) {
        return chunkSize == size && events.length == count && memory.isOpen();
    }
}
