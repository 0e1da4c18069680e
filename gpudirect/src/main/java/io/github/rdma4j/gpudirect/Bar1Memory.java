// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect;

import io.github.rdma4j.gpudirect.internal.NvmlLibrary;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The use of a GPU's memory window (BAR1) by all processes and the driver. NVML ({@code libnvidia-ml.so.1}) reports it,
 * as it does to {@code nvidia-smi}. Without NVML, on an instance of a partitioned GPU (MIG), or if the driver refuses,
 * only the reason is available.
 *
 * @param total the window's size in bytes
 * @param used how much of it is in use, in bytes
 * @param free how much nobody uses, in bytes
 * @param unknown why the three are empty, for people; empty if they are there
 * @since 0.1.0
 */
public record Bar1Memory(OptionalLong total, OptionalLong used, OptionalLong free, String unknown) {
    /** Of four that are there. */
    public Bar1Memory {
        Objects.requireNonNull(total, "total");
        Objects.requireNonNull(used, "used");
        Objects.requireNonNull(free, "free");
        Objects.requireNonNull(unknown, "unknown");
    }

    /**
     * Asks NVML.
     *
     * @param gpu the PCI function of the GPU
     * @return as it is now; never an exception
     */
    public static Bar1Memory of(PciAddress gpu) {
        try {
            NvmlLibrary.Window window = NvmlLibrary.window(gpu.toString());
            return known(window.total(), window.used(), window.free());
        } catch (NvmlLibrary.NoAnswerException e) {
            return unknown(e.getMessage());
        }
    }

    /**
     * A window of which all is known.
     *
     * @param total its size in bytes
     * @param used how much of it is in use, in bytes
     * @param free how much nobody uses, in bytes
     * @return the three
     */
    public static Bar1Memory known(long total, long used, long free) {
        return new Bar1Memory(OptionalLong.of(total), OptionalLong.of(used), OptionalLong.of(free), "");
    }

    /**
     * A window of which nothing is known.
     *
     * @param why for people
     * @return the reason
     */
    public static Bar1Memory unknown(String why) {
        return new Bar1Memory(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), why);
    }

    /** {@return whether NVML has reported it} */
    public boolean isKnown() {
        return free.isPresent();
    }
}
