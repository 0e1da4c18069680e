// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.faults.cases;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.faults.FaultCase;
import io.github.rdma4j.verbs.faults.Steps;
import io.github.rdma4j.verbs.pool.HugePages;
import io.github.rdma4j.verbs.pool.PooledMemory;
import io.github.rdma4j.verbs.pool.RegisteredMemoryPool;
import java.util.List;

/** Pools of registered memory. */
public final class PoolCases {
    private static final DeviceContext DEVICE = DeviceContext.open(TestDevice.first());
    private static final long CHUNK = 1 << 16;

    private PoolCases() {}

    public static List<FaultCase> all() {
        return List.of(
                new FaultCase("memory pool", 16, PoolCases::pool),
                new FaultCase("memory pool of huge pages", 6, PoolCases::hugePages));
    }

    private static void pool(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        RegisteredMemoryPool pool = RegisteredMemoryPool.create(domain, config -> config.chunkSize(CHUNK));
        PooledMemory small = steps.make(() -> pool.allocate(1000));
        PooledMemory large = steps.make(() -> pool.allocate(3 * CHUNK));
        steps.run(() -> pool.reserve(5 * CHUNK));
        small.close();
        // Chunks that it freed before the failure stay freed.
        steps.take(pool::trim);
        large.close();
        steps.end(pool);
        domain.close();
    }

    private static void hugePages(Steps steps) {
        ProtectionDomain domain = DEVICE.allocateProtectionDomain();
        RegisteredMemoryPool pool = RegisteredMemoryPool.create(
                domain, config -> config.chunkSize(4 << 20).hugePages(HugePages.TRANSPARENT));
        PooledMemory memory = steps.make(() -> pool.allocate(1 << 20));
        memory.close();
        steps.end(pool);
        domain.close();
    }
}
