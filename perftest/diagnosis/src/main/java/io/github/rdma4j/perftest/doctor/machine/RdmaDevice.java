// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.topology.PciFunction;
import java.util.List;
import java.util.Optional;

/**
 * An RDMA device, as sysfs shows it.
 *
 * @param name such as {@code mlx5_0}
 * @param folder in sysfs, such as {@code sys/class/infiniband/mlx5_0}
 * @param nodeType such as {@code CA}, {@code RNIC} or {@code unspecified}; empty if it cannot be read
 * @param firmware its version; empty if it has none
 * @param node its file below {@code /dev/infiniband}, such as {@code uverbs0}; empty if the kernel offers none
 * @param function its PCI function; empty for a software device
 * @param ports its ports, by number
 * @param facts the device as libibverbs reports it; empty if libibverbs does not list it
 */
public record RdmaDevice(
        String name,
        String folder,
        String nodeType,
        String firmware,
        Optional<String> node,
        Optional<PciFunction> function,
        List<RdmaPort> ports,
        Optional<AdapterFacts> facts) {
    /** Copies the list. */
    public RdmaDevice {
        ports = List.copyOf(ports);
    }

    /** Returns whether it is one without hardware. */
    public boolean isSoftware() {
        return function.isEmpty();
    }

    /** Returns whether it uses iWARP: RDMA over TCP. */
    public boolean isIwarp() {
        return nodeType.equals("RNIC");
    }

    /** Returns whether it is an Elastic Fabric Adapter of AWS. */
    public boolean isEfa() {
        return function.flatMap(PciFunction::driver).filter("efa"::equals).isPresent();
    }

    /**
     * Returns whether one of its ports uses RoCE. The ports of EFA and usNIC run over Ethernet with other protocols.
     */
    public boolean isRoce(RdmaPort port) {
        return nodeType.equals("CA") && port.isEthernet() && !port.rawOnly();
    }

    /** Returns whether a device is on the same card, such as its other port or a virtual function of it. */
    public boolean sharesCard(RdmaDevice other) {
        return name.equals(other.name)
                || function.isPresent() && other.function.isPresent() && card().equals(other.card());
    }

    private String card() {
        PciFunction found = function.orElseThrow();
        String address = found.physicalFunction().orElse(found.address()).toString();
        return address.substring(0, address.lastIndexOf('.'));
    }

    /**
     * Returns whether a port is unused: it is down and has no address, while another port of the card carries data. A
     * wired InfiniBand port is not unused: it waits for the subnet manager.
     */
    public boolean isUnused(RdmaPort port, List<RdmaDevice> all) {
        return port.state().equals("DOWN")
                && (isIwarp()
                        || !port.isEthernet()
                        || port.gids().stream().allMatch(entry -> entry.gid().isLinkLocal()))
                && all.stream()
                        .filter(this::sharesCard)
                        .anyMatch(other -> other.ports().stream().anyMatch(RdmaPort::isActive));
    }

    /** Returns whether this process could open it. */
    public boolean isOpen() {
        return problem().isEmpty();
    }

    /** Returns why this process cannot use it; empty if it can. */
    public Optional<Problem> problem() {
        return facts.map(AdapterFacts::problem)
                .orElseGet(() -> Optional.of(new Problem("libibverbs does not list it", "")));
    }

    /** Returns whether one of its ports can carry data, as far as this machine shows. */
    public boolean canUse(RdmaPort port) {
        return isOpen()
                && port.isActive()
                && !port.rawOnly()
                && !(isRoce(port) && port.gids().isEmpty());
    }
}
