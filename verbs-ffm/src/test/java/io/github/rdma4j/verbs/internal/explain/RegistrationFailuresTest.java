// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import org.junit.jupiter.api.Test;

/** What a GPU's driver says of a dma-buf reaches the caller as an errno of the adapter's. */
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

    /** Drivers say so by either: "compare the arguments" would not help. */
    @Test
    void whereNothingIsPagedOnDemandTheOtherWayIsNamed() {
        for (int errno : new int[] {Errno.EINVAL, Errno.EOPNOTSUPP}) {
            assertThat(RegistrationFailures.ofOnDemandMemory(VERB, errno))
                    .isInstanceOf(UnsupportedVerbException.class)
                    .hasMessageEndingWith("Register the memory without ON_DEMAND, which pins it");
        }
    }
}
