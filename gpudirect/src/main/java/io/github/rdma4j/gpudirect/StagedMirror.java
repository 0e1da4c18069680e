// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.cuda.CudaContext;
import io.github.rdma4j.cuda.HostMemory;
import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;

/** Pinned host memory that the adapter knows, as long as the device memory that it stands for. */
record StagedMirror(HostMemory host, MemoryRegion region) implements AutoCloseable {
    static StagedMirror make(ProtectionDomain domain, CudaContext context, long length, AccessFlag... access) {
        HostMemory host = context.allocateHost(length);
        try {
            MemoryRegion region = domain.registerMemory(host.segment(), access);
            // A context that is closed frees its host memory: not before the adapter has let go of it.
            host.addDependent(region);
            return new StagedMirror(host, region);
        } catch (RuntimeException e) {
            try {
                host.close();
            } catch (RuntimeException inClose) {
                e.addSuppressed(inClose);
            }
            throw e;
        }
    }

    @Override
    public void close() {
        region.close();
        host.close();
    }
}
