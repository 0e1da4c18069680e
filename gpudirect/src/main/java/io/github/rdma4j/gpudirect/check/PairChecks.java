// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import static io.github.rdma4j.gpudirect.check.FindingState.NOTE;
import static io.github.rdma4j.gpudirect.check.FindingState.UNKNOWN;
import static io.github.rdma4j.gpudirect.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.AdapterPlacement;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the connection between a GPU and an adapter. */
final class PairChecks {
    private final Topology topology;

    PairChecks(Topology topology) {
        this.topology = topology;
    }

    /**
     * Returns the findings of a pair.
     *
     * @param placement the positions of the two; empty if the GPU is not in sysfs
     * @param nearest whether no adapter is nearer to this GPU
     */
    List<Finding> findings(
            CheckedGpu gpu, CheckedAdapter adapter, Optional<AdapterPlacement> placement, boolean nearest) {
        Subject pair = Subject.pair(gpu.label(), adapter.name());
        List<Finding> findings = new ArrayList<>();
        findings.add(distance(pair, gpu, placement, nearest));
        Optional<PciFunction> function = adapter.place().function();
        if (gpu.function().isPresent() && function.isPresent()) {
            findings.add(accessControl(pair, gpu.function().get(), function.get()));
        }
        return findings;
    }

    private static Finding distance(
            Subject pair, CheckedGpu gpu, Optional<AdapterPlacement> placement, boolean nearest) {
        if (placement.isEmpty()) {
            return new Finding(
                    CheckId.DISTANCE,
                    pair,
                    UNKNOWN,
                    gpu.address() + " is not below /sys/bus/pci/devices",
                    "how far the two are apart is not known",
                    "");
        }
        PciDistance distance = placement.get().distance();
        String seen = distance + ": " + distance.meaning();
        if (distance == PciDistance.NONE) {
            return new Finding(CheckId.DISTANCE, pair, NOTE, seen, "the processor copies, wherever the GPU is", "");
        }
        if (gpu.facts().filter(GpuFacts::coherent).isPresent()) {
            return new Finding(
                    CheckId.DISTANCE,
                    pair,
                    NOTE,
                    seen + "; the GPU is joined to its processor by a coherent link (C2C)",
                    "the adapter may reach the GPU's memory through the processor and that link, at its speed: the"
                            + " distance over PCI Express says little here",
                    "measure it");
        }
        Optional<String> warning = placement.get().warning();
        if (warning.isEmpty()) {
            return Finding.ok(CheckId.DISTANCE, pair, seen);
        }
        return nearest
                ? new Finding(
                        CheckId.DISTANCE,
                        pair,
                        WARNING,
                        seen,
                        warning.get(),
                        "no adapter is nearer: put card or GPU into slots below one switch, if the machine has any;"
                                + " else measure whether staged transfers are faster")
                : new Finding(CheckId.DISTANCE, pair, NOTE, seen, warning.get(), "use an adapter that is nearer");
    }

    private Finding accessControl(Subject pair, PciFunction gpu, PciFunction adapter) {
        List<PciFunction> bridges = topology.bridgesBetween(gpu, adapter);
        if (bridges.isEmpty()) {
            return Finding.ok(
                    CheckId.ACCESS_CONTROL,
                    pair,
                    "no switch between the two: transfers go through the processor in any case");
        }
        List<String> redirecting = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        for (PciFunction bridge : bridges) {
            AccessControl control = AccessControl.of(bridge.folder());
            switch (control.state()) {
                case KNOWN -> {
                    if (control.redirects()) {
                        redirecting.add(bridge.address() + " (" + control.bits() + ")");
                    }
                }
                case NOT_PERMITTED ->
                    unknown.add("the configuration space of " + bridge.address()
                            + " can only be read past 64 bytes by root of the host");
                case HIDDEN ->
                    unknown.add("the configuration space of " + bridge.address()
                            + " ends after 256 bytes, though it is a port of PCI Express: what is behind is hidden");
                case UNREADABLE -> unknown.add("the configuration space of " + bridge.address() + " cannot be read");
            }
        }
        if (!redirecting.isEmpty()) {
            return new Finding(
                    CheckId.ACCESS_CONTROL,
                    pair,
                    WARNING,
                    "ACS is on at " + String.join(", ", redirecting),
                    "transfers between the two go up to the processor and back although a switch joins them, which is"
                            + " slow, or they fail (local protection errors)",
                    "switch ACS off in the firmware, or, as root and after each boot, with setpci -s "
                            + redirecting.getFirst().split(" ")[0]
                            + " ECAP_ACS+6.w=0000, and so for each bridge; not on a host that gives these devices to virtual"
                            + " machines");
        }
        return unknown.isEmpty()
                ? Finding.ok(
                        CheckId.ACCESS_CONTROL,
                        pair,
                        "ACS redirects nothing at the " + bridges.size() + " bridges between")
                : new Finding(
                        CheckId.ACCESS_CONTROL,
                        pair,
                        UNKNOWN,
                        unknown.getFirst(),
                        "ACS that redirects would make transfers between the two slow, or fail",
                        "run this check as root of the host: a container's root lacks CAP_SYS_ADMIN in the host's user"
                                + " namespace (docker run --privileged gives it), and a virtual machine shows what its"
                                + " host lets it");
    }
}
