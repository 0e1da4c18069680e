// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.CudaEvent;
import io.github.rdma4j.cuda.CudaStream;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.gpudirect.internal.Undo;

/**
 * Pinned chunks, and the stream that copies between them and the device. {@link ContextStore} keeps them for the next
 * user.
 */
record Staging(HostMemory memory, CudaStream stream, CudaEvent[] events, int chunkSize) {
    /**
     * Creates the stream and the events.
     *
     * @param memory of the chunks; the caller keeps it if this throws
     */
    static Staging make(CudaContext context, HostMemory memory, int chunkSize, int count) {
        CudaStream stream = context.createStream();
        CudaEvent[] events = new CudaEvent[count];
        try {
            for (int i = 0; i < count; i++) {
                events[i] = context.createEvent();
            }
            memory.addDependent(stream);
            for (CudaEvent event : events) {
                memory.addDependent(event);
            }
            return new Staging(memory, stream, events, chunkSize);
        } catch (RuntimeException | Error e) {
            Undo.after(e, events);
            Undo.after(e, stream);
            throw e;
        }
    }

    boolean fits(int size, int count) {
        return chunkSize == size && events.length == count && memory.isOpen();
    }
}
