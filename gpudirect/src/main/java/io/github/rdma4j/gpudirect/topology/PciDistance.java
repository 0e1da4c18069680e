// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

/**
 * The distance of two PCI functions, named as in {@code nvidia-smi topo -m}; the nearest first.
 *
 * <p>The distance depends on the chains of bridges of both functions, which are the folders between the host bridge
 * ({@code pciDDDD:BB}) and the function in {@code /sys/devices}. If the chains have a bridge in common, traffic turns
 * round below the host bridge, at the last common bridge. A switch counts as one upstream port (the common bridge) and
 * one downstream port on either side. Without a common bridge, traffic goes through the root complex. NCCL counts
 * switches in the same way, but does not distinguish NODE from PHB.
 *
 * <p>NVLink and other connections besides PCI are not considered.
 *
 * @since 0.1.0
 */
public enum PciDistance {
    /** The same function. */
    SELF("X", "the same function"),
    /**
     * At most a single switch: a common bridge, and at most one port below it on either side. Also two functions of one
     * card.
     */
    PIX("PIX", "at most a single PCIe bridge or switch between them"),
    /** Several switches, without the host bridge: a common bridge, and more than one port below it on a side. */
    PXB("PXB", "several PCIe bridges between them, not the host bridge"),
    /** The host bridge: the same root complex, no common bridge below it. */
    PHB("PHB", "a PCIe host bridge between them (the CPU)"),
    /** Different root complexes of one NUMA node. */
    NODE("NODE", "several host bridges of a NUMA node between them"),
    /** Root complexes of different NUMA nodes. */
    SYS("SYS", "the interconnect of NUMA nodes between them"),
    /** One of them is a software device without a PCI function. The CPU copies the memory. */
    NONE("none", "one of them is a software device, without a PCI function");

    private final String label;
    private final String meaning;

    PciDistance(String label, String meaning) {
        this.label = label;
        this.meaning = meaning;
    }

    /** {@return the name that nvidia-smi uses: X, PIX, PXB, PHB, NODE or SYS; "none" for a software device} */
    public String label() {
        return label;
    }

    /** {@return a description of the path between the two} */
    public String meaning() {
        return meaning;
    }

    /** {@return whether traffic between the two goes through a host bridge, or from one NUMA node to another} */
    public boolean crossesHostBridge() {
        return this == PHB || this == NODE || this == SYS;
    }

    /** {@return the label} */
    @Override
    public String toString() {
        return label;
    }
}
