// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

import io.github.rdma4j.gpudirect.Bar1Memory;
import io.github.rdma4j.gpudirect.topology.AdapterPlacement;
import io.github.rdma4j.gpudirect.topology.PciAddress;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.RdmaAdapter;
import io.github.rdma4j.gpudirect.topology.Topology;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Checks a machine: host, GPUs, adapters and their pairs. It registers nothing and creates no CUDA context. It opens
 * each adapter for a moment, and reads some hundred small files.
 */
public final class GpuDirectCheck {
    private final HostFiles files;
    private final Topology topology;
    private final GpuInventory gpuInventory;
    private final AdapterInventory adapterInventory;
    private final Function<PciAddress, Bar1Memory> windows;

    private GpuDirectCheck(CheckSources sources) {
        this.files = new HostFiles(sources.root());
        this.topology = Topology.read(sources.root().resolve("sys"));
        this.gpuInventory = sources.gpus().get();
        this.adapterInventory = sources.adapters().get();
        this.windows = sources.windows();
    }

    /**
     * {@return the sources of this machine: its files, its CUDA driver, its libibverbs and its NVML, each of which may
     * be missing}
     */
    public static CheckSources thisMachine() {
        return new CheckSources(Path.of("/"), CudaGpus::look, VerbsAdapters::look, Bar1Memory::of);
    }

    /**
     * Checks everything.
     *
     * @param sources the sources
     * @return the results
     */
    public static CheckReport run(CheckSources sources) {
        return run(sources, _ -> true, _ -> true);
    }

    /**
     * Checks some GPUs and adapters.
     *
     * @param sources the sources
     * @param gpus which GPUs
     * @param adapters which adapters
     * @return the results
     */
    public static CheckReport run(
            CheckSources sources, Predicate<CheckedGpu> gpus, Predicate<CheckedAdapter> adapters) {
        GpuDirectCheck check = new GpuDirectCheck(sources);
        return check.report(
                check.gpus().stream().filter(gpus).toList(),
                check.adapters().stream().filter(adapters).toList());
    }

    /** Returns the GPUs that CUDA shows; if CUDA cannot be used, the GPUs on the PCI bus. */
    private List<CheckedGpu> gpus() {
        if (gpuInventory.problem().isEmpty()) {
            return gpuInventory.gpus().stream()
                    .map(facts -> new CheckedGpu(
                            facts.ordinal(),
                            facts.address(),
                            Optional.of(facts),
                            topology.function(facts.address()),
                            windows.apply(facts.address())))
                    .toList();
        }
        List<CheckedGpu> found = new ArrayList<>();
        for (PciFunction function : topology.gpus()) {
            found.add(new CheckedGpu(
                    found.size(),
                    function.address(),
                    Optional.empty(),
                    Optional.of(function),
                    windows.apply(function.address())));
        }
        return found;
    }

    /** Returns the adapters in sysfs, and those that only libibverbs lists. */
    private List<CheckedAdapter> adapters() {
        Stream<CheckedAdapter> ofSysfs = topology.adapters().stream()
                .map(place -> new CheckedAdapter(
                        place,
                        adapterInventory.adapters().stream()
                                .filter(facts -> facts.name().equals(place.name()))
                                .findFirst()));
        Stream<CheckedAdapter> others = adapterInventory.adapters().stream()
                .filter(facts -> topology.adapter(facts.name()).isEmpty())
                .map(facts ->
                        new CheckedAdapter(new RdmaAdapter(facts.name(), Optional.empty(), 0), Optional.of(facts)));
        return Stream.concat(ofSysfs, others).toList();
    }

    private CheckReport report(List<CheckedGpu> gpus, List<CheckedAdapter> adapters) {
        List<Finding> findings = new ArrayList<>();
        findings.add(PlatformCheck.of(files, gpuInventory));
        findings.addAll(new HostChecks(files, topology, adapterInventory).findings());
        findings.addAll(new DriverChecks(files, topology, gpuInventory).findings());
        findings.add(new VisibleDevices(files, topology, gpuInventory).finding());
        findings.addAll(new StorageChecks(files).findings());
        findings.addAll(new NcclChecks(files).findings());
        findings.add(IommuCheck.of(files, folders(gpus, adapters)));
        List<KernelGpu> kernelGpus = KernelGpu.all(files);
        gpus.forEach(gpu -> findings.addAll(new GpuChecks(gpu, kernelGpus).findings()));
        adapters.forEach(adapter -> findings.addAll(new AdapterChecks(adapter).findings()));
        List<PairVerdict> verdicts = new ArrayList<>();
        PathChoice choice = new PathChoice(files, gpuInventory);
        PairChecks pairs = new PairChecks(topology);
        for (CheckedGpu gpu : gpus) {
            // The nearest of all adapters of the machine, including those that are not checked.
            PciDistance nearest = gpu.function().stream()
                    .flatMap(function -> topology.adaptersFor(function).stream())
                    .map(AdapterPlacement::distance)
                    .findFirst()
                    .orElse(PciDistance.NONE);
            for (CheckedAdapter adapter : nearestFirst(gpu, adapters)) {
                Optional<AdapterPlacement> placement = placement(gpu, adapter);
                boolean isNearest = placement
                        .map(AdapterPlacement::distance)
                        .filter(distance -> distance != nearest)
                        .isEmpty();
                findings.addAll(pairs.findings(gpu, adapter, placement, isNearest));
                Optional<String> obstacle = choice.obstacle(gpu, adapter);
                verdicts.add(new PairVerdict(
                        gpu.label(),
                        adapter.name(),
                        placement.map(AdapterPlacement::distance),
                        isNearest,
                        obstacle.isEmpty()
                                ? Optional.of(choice.of(gpu.facts().orElseThrow(), adapter))
                                : Optional.empty(),
                        obstacle));
            }
        }
        return new CheckReport(gpus, adapters, topology, findings, verdicts);
    }

    private Optional<AdapterPlacement> placement(CheckedGpu gpu, CheckedAdapter adapter) {
        return gpu.function().map(function -> topology.placement(function, adapter.place()));
    }

    private List<CheckedAdapter> nearestFirst(CheckedGpu gpu, List<CheckedAdapter> adapters) {
        if (gpu.function().isEmpty()) {
            return adapters;
        }
        List<RdmaAdapter> order = topology.adaptersFor(gpu.function().get()).stream()
                .map(AdapterPlacement::adapter)
                .toList();
        return adapters.stream()
                .sorted(Comparator.comparingInt(adapter ->
                        order.contains(adapter.place()) ? order.indexOf(adapter.place()) : Integer.MAX_VALUE))
                .toList();
    }

    private static List<Path> folders(List<CheckedGpu> gpus, List<CheckedAdapter> adapters) {
        return Stream.concat(
                        gpus.stream().map(CheckedGpu::function),
                        adapters.stream().map(adapter -> adapter.place().function()))
                .flatMap(Optional::stream)
                .map(PciFunction::folder)
                .toList();
    }
}
