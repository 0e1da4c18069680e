// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A PCI function of this machine, as sysfs shows it.
 *
 * @param address its PCI address
 * @param classCode its class, 24 bits: {@code 0x030200} is a 3D controller
 * @param vendor its vendor ID, such as {@code 0x10de}
 * @param device its device ID
 * @param rootComplex its host bridge, with sysfs's name, such as {@code pci0000:00}
 * @param bridges the bridges above it, beginning at the host bridge: root port, upstream and downstream ports of
 *     switches
 * @param numaNode its NUMA node; -1 if the firmware does not report it
 * @param link its link; for a virtual function, the link of its physical function
 * @param physicalFunction the physical function of a virtual function
 * @param driver its kernel driver, such as {@code nvidia} or {@code mlx5_core}
 * @param folder its folder in sysfs
 * @since 0.1.0
 */
public record PciFunction(
        PciAddress address,
        int classCode,
        int vendor,
        int device,
        String rootComplex,
        List<PciAddress> bridges,
        int numaNode,
        PciLink link,
        Optional<PciAddress> physicalFunction,
        Optional<String> driver,
        Path folder) {
    private static final int NVIDIA = 0x10de;
    private static final int DISPLAY_CONTROLLER = 0x03;

    /** Copies the list. */
    public PciFunction {
        bridges = List.copyOf(bridges);
    }

    /**
     * {@return whether it is an NVIDIA GPU: a display controller with class 0x0300 (with a monitor port) or 0x0302
     * (without, as SXM modules)}
     */
    public boolean isGpu() {
        return vendor == NVIDIA && classCode >>> 16 == DISPLAY_CONTROLLER;
    }

    /** {@return whether it is a virtual function (SR-IOV)} */
    public boolean isVirtual() {
        return physicalFunction.isPresent();
    }

    /**
     * Returns the size of the window through which other devices access a GPU's memory, which NVIDIA calls BAR1: the
     * second memory window in the file {@code resource}. sysfs does not report how much of it is in use.
     *
     * @return in bytes; empty if the file cannot be read or lists no second window, as for an integrated GPU
     */
    public OptionalLong bar1() {
        return BaseAddressRegisters.bar1(folder);
    }

    /** {@return address, vendor and device, NUMA node and link in one line} */
    @Override
    public String toString() {
        return "%s [%04x:%04x]%s, NUMA node %s, link %s"
                .formatted(
                        address,
                        vendor,
                        device,
                        physicalFunction
                                .map(of -> " (virtual function of " + of + ")")
                                .orElse(""),
                        numaNode < 0 ? "unknown" : numaNode,
                        link);
    }
}
