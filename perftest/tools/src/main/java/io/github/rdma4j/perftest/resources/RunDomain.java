// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.ThreadDomain;

/** The protection domain of a side; with --no_lock, it has a thread domain. */
final class RunDomain implements AutoCloseable {
    private final ProtectionDomain base;
    /** Null if the adapter's library takes its locks. */
    private final ThreadDomain threads;

    private final ProtectionDomain used;

    /**
     * @param lockFree whether only one thread will use the objects in it
     * @throws io.github.rdma4j.verbs.UnsupportedVerbException when the device has no thread domains
     */
    RunDomain(DeviceContext context, boolean lockFree) {
        threads = lockFree ? context.allocateThreadDomain() : null;
        base = context.allocateProtectionDomain();
        used = lockFree ? parent() : base;
    }

    private ProtectionDomain parent() {
        try {
            return LockFree.domain(base, threads);
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    /** Returns the domain in which to create objects. */
    ProtectionDomain used() {
        return used;
    }

    /** Also closes the objects in it. */
    @Override
    public void close() {
        base.close();
        if (threads != null) {
            threads.close();
        }
    }
}
