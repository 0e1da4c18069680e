// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PciLinkTest {
    /** 8 of 10 bits up to generation 2, 128 of 130 from 3 on, 236 bytes of a flit of 256 from 6 on. */
    @Test
    void linkCapacityDependsOnItsGeneration() {
        assertThat(new PciLink(5, 4, 8, 16).bandwidth()).isEqualTo(5 * 4 * 0.8);
        assertThat(new PciLink(5, 4, 8, 16).maxBandwidth()).isEqualTo(8 * 16 * 128 / 130.0);
        assertThat(new PciLink(32, 16, 64, 16).bandwidth()).isEqualTo(32 * 16 * 128 / 130.0);
        assertThat(new PciLink(32, 16, 64, 16).maxBandwidth()).isEqualTo(64 * 16 * 236.0 / 256);
        assertThat(PciLink.UNKNOWN.bandwidth()).isZero();
        assertThat(PciLink.UNKNOWN.maxBandwidth()).isZero();
    }

    @Test
    void fullOrUnknownLinkIsNeitherNarrowedNorSlowed() {
        PciLink whole = new PciLink(16, 16, 16, 16);
        assertThat(whole.isNarrowed()).isFalse();
        assertThat(whole.isSlowed()).isFalse();
        assertThat(whole).hasToString("16.0 GT/s x16");
        PciLink hidden = new PciLink(0, 0, 16, 16);
        assertThat(hidden.isNarrowed()).isFalse();
        assertThat(hidden.isSlowed()).isFalse();
        assertThat(new PciLink(16, 8, 16, 16).isNarrowed()).isTrue();
        assertThat(new PciLink(8, 16, 16, 16).isSlowed()).isTrue();
    }
}
