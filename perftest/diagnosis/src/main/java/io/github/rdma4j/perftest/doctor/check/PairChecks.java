// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.gpudirect.topology.AdapterPlacement;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.CheckedGpu;
import io.github.rdma4j.perftest.doctor.machine.GpuFacts;
import io.github.rdma4j.perftest.doctor.machine.PairVerdict;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the connection between a GPU and an adapter. */
final class PairChecks {
    private static final String FUNCTIONS = "/sys/bus/pci/devices";

    private final Topology topology;

    PairChecks(Topology topology) {
        this.topology = topology;
    }

    /** Returns the findings of a pair. */
    List<Finding> findings(CheckedGpu gpu, RdmaDevice adapter, PairVerdict verdict) {
        List<Finding> findings = new ArrayList<>();
        Optional<AdapterPlacement> placement = gpu.function()
                .flatMap(
                        function -> topology.adapter(adapter.name()).map(place -> topology.placement(function, place)));
        findings.add(distance(verdict.subject(), gpu, placement, verdict.nearest()));
        if (gpu.function().isPresent() && adapter.function().isPresent()) {
            findings.add(accessControl(
                    verdict.subject(), gpu.function().get(), adapter.function().get()));
        }
        return findings;
    }

    private static Finding distance(
            String pair, CheckedGpu gpu, Optional<AdapterPlacement> placement, boolean nearest) {
        if (placement.isEmpty()) {
            return new Finding(
                    Check.DISTANCE,
                    pair,
                    FUNCTIONS,
                    UNKNOWN,
                    gpu.address() + " is not in /sys/bus/pci/devices",
                    "the distance between the two is unknown",
                    "");
        }
        PciDistance distance = placement.get().distance();
        String seen = distance + ": " + distance.meaning();
        if (distance == PciDistance.NONE) {
            return new Finding(
                    Check.DISTANCE,
                    pair,
                    FUNCTIONS,
                    NOTE,
                    seen,
                    "for a software device the processor copies, at" + " any distance from the GPU",
                    "");
        }
        if (gpu.facts().filter(GpuFacts::coherent).isPresent()) {
            return new Finding(
                    Check.DISTANCE,
                    pair,
                    FUNCTIONS,
                    NOTE,
                    seen + "; the GPU is connected to its processor by a coherent link (C2C)",
                    "the adapter may access the GPU's memory through the processor and that link, at the link's"
                            + " speed: the PCI Express distance means little here",
                    "measure the bandwidth");
        }
        Optional<String> warning = placement.get().warning();
        if (warning.isEmpty()) {
            return Finding.ok(Check.DISTANCE, pair, FUNCTIONS, seen);
        }
        return nearest
                ? new Finding(
                        Check.DISTANCE,
                        pair,
                        FUNCTIONS,
                        WARNING,
                        seen,
                        warning.get(),
                        "no adapter is nearer: move adapter or GPU to slots below one switch, if the machine has"
                                + " one; otherwise measure whether staged transfers are faster")
                : new Finding(Check.DISTANCE, pair, FUNCTIONS, NOTE, seen, warning.get(), "use a nearer adapter");
    }

    private Finding accessControl(String pair, PciFunction gpu, PciFunction adapter) {
        List<PciFunction> bridges = topology.bridgesBetween(gpu, adapter);
        if (bridges.isEmpty()) {
            return Finding.ok(
                    Check.ACCESS_CONTROL,
                    pair,
                    FUNCTIONS,
                    "no switch is between the two: transfers go through the processor in any case");
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
                            + " is readable beyond 64 bytes only for root of the host");
                case HIDDEN ->
                    unknown.add("the configuration space of " + bridge.address()
                            + " ends after 256 bytes, although it is a PCI Express port: the rest is hidden");
                case UNREADABLE -> unknown.add("the configuration space of " + bridge.address() + " cannot be read");
            }
        }
        if (!redirecting.isEmpty()) {
            return new Finding(
                    Check.ACCESS_CONTROL,
                    pair,
                    FUNCTIONS,
                    WARNING,
                    "ACS is on at " + String.join(", ", redirecting),
                    "transfers between the two go up to the processor and back although a switch connects them:"
                            + " they are slow, or fail with local protection errors",
                    "disable ACS in the firmware, or, as root after each boot, at each of these bridges: setpci -s "
                            + redirecting.getFirst().split(" ")[0]
                            + " ECAP_ACS+6.w=0000. Leave it on if the host passes these devices to virtual machines");
        }
        return unknown.isEmpty()
                ? Finding.ok(
                        Check.ACCESS_CONTROL,
                        pair,
                        FUNCTIONS,
                        "ACS redirects nothing at the " + bridges.size() + " bridges between the two")
                : new Finding(
                        Check.ACCESS_CONTROL,
                        pair,
                        FUNCTIONS,
                        UNKNOWN,
                        unknown.getFirst(),
                        "if ACS redirects transfers between the two, they are slow or fail",
                        "run this check as root of the host: a container's root lacks CAP_SYS_ADMIN in the host's"
                                + " user namespace (docker run --privileged grants it), and a virtual machine shows"
                                + " only what its host allows");
    }
}
