// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.gpudirect.topology.PciAddress;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests what is reported about a GPU's BAR1 window, with and without an answer of NVML. */
@ExtendWith(StandInNvml.class)
class Bar1MemoryTest {
    private static final String ADDRESS = "0000:17:00.0";
    private static final PciAddress GPU = PciAddress.parse(ADDRESS);
    private static final long MIB = 1L << 20;
    private static final int NOT_SUPPORTED = 3;

    private static String why() {
        Bar1Memory window = Bar1Memory.of(GPU);
        assertThat(window.isKnown()).isFalse();
        assertThat(window.total()).isEmpty();
        return window.unknown();
    }

    @Test
    void allThreeFiguresAreThoseOfNow() {
        StandInNvml.window(ADDRESS, 256 * MIB, 10 * MIB);
        assertThat(Bar1Memory.of(GPU)).isEqualTo(Bar1Memory.known(256 * MIB, 10 * MIB, 246 * MIB));
        StandInNvml.used(250 * MIB);
        assertThat(Bar1Memory.of(GPU).free()).hasValue(6 * MIB);
    }

    @Test
    void missingNvmlIsReportedWithItsReason() {
        assertThat(why())
                .startsWith("/no/such/libnvidia-ml.so.1: cannot open shared object file: No such file or directory"
                        + "; it comes with NVIDIA's driver")
                .contains("libnvidia-ml1", "NVIDIA_DRIVER_CAPABILITIES");
        StandInNvml.without("nvmlDeviceGetBAR1MemoryInfo");
        assertThat(why()).isEqualTo("the driver's NVML is too old: it has no nvmlDeviceGetBAR1MemoryInfo");
    }

    @Test
    void refusalOfNvmlIsReported() {
        StandInNvml.window("0000:18:00.0", MIB, 0);
        assertThat(why()).isEqualTo("nvmlDeviceGetHandleByPciBusId_v2(0000:17:00.0) returned 6, Not Found");
        StandInNvml.window(ADDRESS, MIB, 0);
        StandInNvml.fail("nvmlDeviceGetBAR1MemoryInfo", NOT_SUPPORTED);
        assertThat(why()).isEqualTo("nvmlDeviceGetBAR1MemoryInfo(0000:17:00.0) returned 3, Not Supported");
    }

    @Test
    void smallerFreeSpaceCounts() {
        Bar1Memory crowded = Bar1Memory.known(256 * MIB, 200 * MIB, 56 * MIB);
        OptionalLong size = OptionalLong.of(256 * MIB);
        assertThat(new Bar1Use(size, 10 * MIB, true, crowded).room()).hasValue(56 * MIB);
        assertThat(new Bar1Use(size, 250 * MIB, true, crowded).room()).hasValue(6 * MIB);
        assertThat(new Bar1Use(size, 10 * MIB, true, Bar1Memory.unknown("no NVML")).room())
                .hasValue(246 * MIB);
        assertThat(new Bar1Use(size, 10 * MIB, false, crowded).room()).isEmpty();
        assertThat(new Bar1Use(size, 10 * MIB, true, crowded))
                .hasToString("BAR1 of 268435456 bytes, 10485760 registered by this process,"
                        + " 209715200 in use by all and 58720256 free");
    }
}
