// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static io.github.rdma4j.verbs.AccessFlag.LOCAL_WRITE;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import org.junit.jupiter.api.Test;

/**
 * Memory of several adapters that one server serves over TCP. Each context of the seeming adapter gives the same keys,
 * as two adapters may.
 */
public class ExposuresOnLibmlx5 {
    private static final String DEVICE = "mlx5_0";
    private static final int SIZE = 64;

    private final Exposures exposures = new Exposures();

    private MemoryRegion served(ExposedMemory exposed) {
        return exposures.find(exposed.region().remoteKey(), exposed.region().address(), SIZE, REMOTE_READ);
    }

    @Test
    void equalKeysOfTwoAdaptersAreServedSeparately() {
        try (DeviceContext one = DeviceContext.open(DEVICE);
                DeviceContext other = DeviceContext.open(DEVICE)) {
            ProtectionDomain domain = one.allocateProtectionDomain();
            ProtectionDomain otherDomain = other.allocateProtectionDomain();
            ExposedMemory exposed = new Memories.Registered(domain, exposures).expose(SIZE, REMOTE_READ);
            ExposedMemory second = new Memories.Registered(otherDomain, exposures).expose(SIZE, REMOTE_READ);
            assertThat(served(exposed)).isSameAs(exposed.region());
            assertThat(served(second)).isSameAs(second.region());
        }
    }

    @Test
    void programsRegionWhoseKeyIsTakenIsRefused() {
        try (DeviceContext one = DeviceContext.open(DEVICE);
                DeviceContext other = DeviceContext.open(DEVICE)) {
            ProtectionDomain domain = one.allocateProtectionDomain();
            ProtectionDomain otherDomain = other.allocateProtectionDomain();
            MemoryRegion mine = otherDomain.allocateMemory(SIZE, LOCAL_WRITE, REMOTE_READ);
            ExposedMemory exposed = new Memories.Registered(domain, exposures).expose(SIZE, REMOTE_READ);
            assertThat(mine.remoteKey()).isEqualTo(exposed.region().remoteKey());
            assertThatThrownBy(() ->
                            new Memories.Registered(otherDomain, exposures).expose(mine.slice(), false, REMOTE_READ))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("has the key of");
            assertThat(served(exposed)).isSameAs(exposed.region());
        }
    }
}
