// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.LockedMemoryLimit;
import io.github.rdma4j.verbs.internal.MemoryInformation;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The adapter's errno for a dma-buf carries the error of the GPU's driver. */
class RegistrationFailuresTest {
    private static final String VERB = "ibv_reg_dmabuf_mr(fd=7)";

    @Test
    void missingPathBetweenGpuAndAdapterIsReported() {
        assertThat(RegistrationFailures.ofDmaBuf(VERB, Errno.ENOTSUPP))
                .isInstanceOf(UnsupportedVerbException.class)
                .hasMessageStartingWith(VERB + " failed: ENOTSUPP (")
                .hasMessageContaining("no peer-to-peer path over PCI to this device")
                .hasMessageContaining("Use another method");
        assertThat(RegistrationFailures.meansDmaBufSupported(Errno.ENOTSUPP)).isFalse();
    }

    @Test
    void mappingThatFailsNamesWhatCanBeFull() {
        assertThat(RegistrationFailures.ofDmaBuf(VERB, Errno.ENOMEM))
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("a GPU's BAR1 or the IOMMU has no room")
                .hasMessageContaining("Register less at a time");
    }

    @Test
    void memoryThatNeitherMachineNorControlGroupHasIsRefused() {
        MemoryInformation machine = new MemoryInformation("MemTotal: 16 kB");
        RegistrationFailures.requireMemory(8192, machine, OptionalLong.of(8192));
        assertThatThrownBy(() -> RegistrationFailures.requireMemory(8193, machine, OptionalLong.of(8192)))
                .isExactlyInstanceOf(VerbsException.class)
                .hasMessageContaining("allocating 8193 bytes to register failed: ENOMEM")
                .hasMessageContaining("of which this process's control group may have 8192 bytes")
                .hasMessageContaining("memory.max");
        assertThatThrownBy(() -> RegistrationFailures.requireMemory(16_385, machine, OptionalLong.empty()))
                .hasMessageContaining("the machine's memory, which has 16384 bytes");
    }

    /** As with mlx5 and the limit of 64 KiB that many services start with. */
    @Test
    void queueThatMayNotBePinnedNamesTheLimit() {
        LockedMemoryLimit limit = new LockedMemoryLimit(65_536, 65_536, 61_440);
        assertThat(RegistrationFailures.ofQueue("ibv_create_cq", Errno.ENOMEM, "ask for less", "close some", limit))
                .hasMessageContaining("RLIMIT_MEMLOCK is 65536 bytes (hard limit 65536 bytes), 61440 bytes are pinned")
                .hasMessageContaining("Ask for less, close some, or raise the limit: 'ulimit -l unlimited'");
        assertThat(RegistrationFailures.ofQueue(
                        "ibv_create_cq", Errno.EPERM, "ask for less", "close some", new LockedMemoryLimit(0, 0, 0)))
                .hasMessageContaining("RLIMIT_MEMLOCK is 0 bytes")
                .hasMessageContaining("Raise the limit: 'ulimit -l unlimited'");
        LockedMemoryLimit none = new LockedMemoryLimit(Long.MAX_VALUE, Long.MAX_VALUE, 61_440);
        assertThat(RegistrationFailures.ofQueue("ibv_create_cq", Errno.ENOMEM, "ask for less", "close some", none))
                .hasMessageContaining("the device has no resources left")
                .hasMessageEndingWith("Ask for less, or close some");
    }

    /** Drivers use both errnos for this, and "compare the arguments" would not help. */
    @Test
    void whereNothingIsPagedOnDemandTheOtherWayIsNamed() {
        for (int errno : new int[] {Errno.EINVAL, Errno.EOPNOTSUPP}) {
            assertThat(RegistrationFailures.ofOnDemandMemory(VERB, errno))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageEndingWith("Register the memory without ON_DEMAND, which pins it");
        }
    }
}
