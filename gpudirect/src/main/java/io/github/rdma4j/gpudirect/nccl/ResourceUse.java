// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.nccl;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.cuda.CudaCloseTimeoutException;
import io.github.rdma4j.cuda.CudaResource;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Memory or a stream whose address is passed to NCCL. Its close waits here until NCCL has put the work into the stream;
 * from then on, CUDA tracks the work.
 */
final class ResourceUse implements AutoCloseable {
    private static final Map<CudaResource, ResourceUse> ALL = new IdentityHashMap<>();
    private static final long PAUSE_MILLIS = 2;

    private final CudaResource resource;
    private int inside;
    private boolean closed;

    private ResourceUse(CudaResource resource) {
        this.resource = resource;
    }

    /** Keeps the resource open until {@link #exit}. */
    static ResourceUse enter(CudaResource resource) {
        synchronized (ALL) {
            ResourceUse known = ALL.get(resource);
            if (known != null && known.tryEnter()) {
                return known;
            }
        }
        ResourceUse made = new ResourceUse(resource);
        // Not under the lock: a close of the resource holds another lock while it waits for its dependents, which take
        // this one.
        resource.addDependent(made);
        synchronized (ALL) {
            ResourceUse first = ALL.get(resource);
            if (first == null || !first.tryEnter()) {
                ALL.put(resource, made);
                made.tryEnter();
                return made;
            }
            resource.removeDependent(made);
            return first;
        }
    }

    private synchronized boolean tryEnter() {
        if (closed) {
            return false;
        }
        inside++;
        return true;
    }

    synchronized void exit() {
        inside--;
        if (closed) {
            notifyAll();
        }
    }

    /** Called by the resource before it is closed. */
    @Override
    public void close() {
        long limit = Timeouts.checkedNanos(resource.context().closeTimeout());
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (isInside()) {
                Pending.poll();
                if (System.nanoTime() - start >= limit) {
                    throw new CudaCloseTimeoutException(
                            resource + " is not closed: NCCL has not put a call with it into"
                                    + " its stream after "
                                    + TimeText.of(resource.context().closeTimeout())
                                    + ". Wait for the other ranks, or abort the communicator; close it again");
                }
                interrupted |= pause();
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        synchronized (ALL) {
            ALL.remove(resource, this);
        }
    }

    private synchronized boolean isInside() {
        closed = true;
        return inside > 0;
    }

    private synchronized boolean pause() {
        try {
            if (inside > 0) {
                TimeUnit.MILLISECONDS.timedWait(this, PAUSE_MILLIS);
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
