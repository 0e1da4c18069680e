// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.topology.AdapterPlacement;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the GPUs of a machine from CUDA and sysfs. It registers nothing and creates no CUDA context. */
public final class GpuReader {
    private final Machine machine;
    private final Topology topology;
    private final GpuInventory inventory;
    private final List<CheckedGpu> gpus;

    /** Queries CUDA. */
    public GpuReader(Machine machine) {
        this.machine = machine;
        this.topology = machine.topology();
        this.inventory = machine.sources().cuda().get();
        this.gpus = inventory.problem().isEmpty() ? ofCuda() : ofSysfs();
    }

    /** Returns the GPUs that CUDA shows; if CUDA cannot be used, the GPUs on the PCI bus. */
    public List<CheckedGpu> gpus() {
        return gpus;
    }

    private List<CheckedGpu> ofCuda() {
        return inventory.gpus().stream()
                .map(facts -> new CheckedGpu(
                        facts.ordinal(),
                        facts.address(),
                        Optional.of(facts),
                        topology.function(facts.address()),
                        machine.sources().windows().apply(facts.address())))
                .toList();
    }

    private List<CheckedGpu> ofSysfs() {
        List<CheckedGpu> found = new ArrayList<>();
        for (PciFunction function : topology.gpus()) {
            found.add(new CheckedGpu(
                    found.size(),
                    function.address(),
                    Optional.empty(),
                    Optional.of(function),
                    machine.sources().windows().apply(function.address())));
        }
        return found;
    }

    /** Judges all pairs. */
    public GpuReport report() {
        return report(gpus, machine.devices());
    }

    /** Judges the pairs of some GPUs and some adapters. */
    public GpuReport report(List<CheckedGpu> some, List<RdmaDevice> adapters) {
        PathChoice choice = new PathChoice(machine.files(), inventory);
        List<PairVerdict> verdicts = new ArrayList<>();
        for (CheckedGpu gpu : some) {
            List<AdapterPlacement> placements =
                    gpu.function().map(topology::adaptersFor).orElse(List.of());
            for (RdmaDevice adapter : nearestFirst(placements, adapters)) {
                Optional<AdapterPlacement> placement = placements.stream()
                        .filter(found -> found.adapter().name().equals(adapter.name()))
                        .findFirst();
                Optional<String> obstacle = choice.obstacle(gpu, adapter);
                verdicts.add(new PairVerdict(
                        gpu.label(),
                        adapter.name(),
                        placement.map(AdapterPlacement::distance),
                        isNearest(placement, placements),
                        obstacle.isEmpty()
                                ? Optional.of(choice.of(gpu.facts().orElseThrow(), adapter))
                                : Optional.empty(),
                        obstacle));
            }
        }
        return new GpuReport(inventory, some, adapters, topology, verdicts);
    }

    /** Compares with all adapters of the machine, including those that are not judged. */
    private static boolean isNearest(Optional<AdapterPlacement> placement, List<AdapterPlacement> all) {
        return placement
                .map(AdapterPlacement::distance)
                .filter(distance -> distance != all.getFirst().distance())
                .isEmpty();
    }

    private static List<RdmaDevice> nearestFirst(List<AdapterPlacement> placements, List<RdmaDevice> adapters) {
        List<String> order =
                placements.stream().map(placement -> placement.adapter().name()).toList();
        return adapters.stream()
                .sorted((one, other) -> Integer.compare(order.indexOf(one.name()), order.indexOf(other.name())))
                .toList();
    }
}
