// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaResource;
import io.github.rdma4j.gpudirect.internal.Uses;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * Memory or a stream whose address is passed to NCCL. Its close waits here until NCCL has put the work into the stream;
 * from then on, CUDA tracks the work.
 */
final class ResourceUse implements AutoCloseable {
    private static final Map<CudaResource, ResourceUse> ALL = new IdentityHashMap<>();

    private final CudaResource resource;
    private final Uses uses = new Uses();

    private ResourceUse(CudaResource resource) {
        this.resource = resource;
    }

    /** Keeps the resource open until {@link #exit}. */
    static ResourceUse enter(CudaResource resource) {
        synchronized (ALL) {
            ResourceUse known = ALL.get(resource);
            if (known != null && known.uses.enter()) {
                return known;
            }
        }
        ResourceUse made = new ResourceUse(resource);
        // Not under the lock: a close of the resource holds another lock while it waits for its dependents, which take
        // this one.
        resource.addDependent(made);
        synchronized (ALL) {
            ResourceUse first = ALL.get(resource);
            if (first == null || !first.uses.enter()) {
                ALL.put(resource, made);
                made.uses.enter();
                return made;
            }
            resource.removeDependent(made);
            return first;
        }
    }

    void exit() {
        uses.exit();
    }

    /** Called by the resource before it is closed. */
    @Override
    public void close() {
        if (!uses.close(resource.context().closeTimeout(), Pending::poll)) {
            throw new CudaCloseTimeoutException(
                    resource + " is not closed: NCCL has not put a call with it into its stream after "
                            + TimeText.of(resource.context().closeTimeout())
                            + ". Wait for the other ranks, or abort the communicator; close it again");
        }
        synchronized (ALL) {
            ALL.remove(resource, this);
        }
    }
}
