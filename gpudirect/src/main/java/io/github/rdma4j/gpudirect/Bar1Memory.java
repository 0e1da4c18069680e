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
 * @param free bytes that are not in use
 * @param unknown why the three figures are missing, in words; empty if they are known
 * @since 0.1.0
 */
public record Bar1Memory(OptionalLong total, OptionalLong used, OptionalLong free, String unknown) {
    /** Checks that none is null. */
    public Bar1Memory {
        Objects.requireNonNull(total, "total");
        Objects.requireNonNull(used, "used");
        Objects.requireNonNull(free, "free");
        Objects.requireNonNull(unknown, "unknown");
    }

    /**
     * Queries NVML.
     *
     * @param gpu the PCI function of the GPU
     * @return the current state; never an exception
     */
    public static Bar1Memory of(PciAddress gpu) {
        try {
            NvmlLibrary.Window window = NvmlLibrary.window(gpu.toString());
            return known(window.total(), window.used(), window.free());
        } catch (NvmlLibrary.NvmlException e) {
            return unknown(e.getMessage());
        }
    }

    /**
     * Returns a window whose figures are known.
     *
     * @param total its size in bytes
     * @param used how much of it is in use, in bytes
     * @param free bytes that are not in use
     * @return the figures
     */
    public static Bar1Memory known(long total, long used, long free) {
        return new Bar1Memory(OptionalLong.of(total), OptionalLong.of(used), OptionalLong.of(free), "");
    }

    /**
     * Returns a window whose figures are unknown.
     *
     * @param why the reason, in words
     * @return the reason
     */
    public static Bar1Memory unknown(String why) {
        return new Bar1Memory(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), why);
    }

    /** {@return whether NVML reported the figures} */
    public boolean isKnown() {
        return free.isPresent();
    }
}
