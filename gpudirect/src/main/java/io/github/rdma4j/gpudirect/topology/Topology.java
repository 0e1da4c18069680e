// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.topology;

import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * The GPUs and RDMA adapters of a machine and their distances, as sysfs showed them when this was read. Immutable; safe
 * for use by several threads.
 *
 * @since 0.1.0
 */
public final class Topology {
    private static final Path SYSFS = Path.of("/sys");
    private static final int SAME_NODE = 10;

    private final SysfsReader reader;
    private final SortedMap<PciAddress, PciFunction> functions;
    private final List<PciFunction> gpus;
    private final List<RdmaAdapter> adapters;
    private final int numaNodes;

    private Topology(SysfsReader reader) {
        this.reader = reader;
        this.functions = Collections.unmodifiableSortedMap(reader.functions());
        this.gpus = functions.values().stream().filter(PciFunction::isGpu).toList();
        this.adapters = reader.adapters(functions);
        this.numaNodes = reader.numaNodes();
    }

    /** {@return the topology of this machine, from {@code /sys}} */
    public static Topology ofThisMachine() {
        return read(SYSFS);
    }

    /**
     * Reads a topology. An empty root results in a topology without functions and adapters.
     *
     * @param sysfs the folder of {@code bus}, {@code class} and {@code devices}, usually {@code /sys}
     * @return the topology
     */
    public static Topology read(Path sysfs) {
        return new Topology(new SysfsReader(sysfs));
    }

    /** {@return all PCI functions, ordered by address} */
    public Collection<PciFunction> functions() {
        return functions.values();
    }

    /**
     * Returns the function at an address.
     *
     * @param address of the function
     * @return the function; empty if there is none
     */
    public Optional<PciFunction> function(PciAddress address) {
        return Optional.ofNullable(functions.get(address));
    }

    /**
     * Returns the GPUs, ordered by address, as nvidia-smi numbers them. CUDA uses the same numbers only with
     * {@code CUDA_DEVICE_ORDER=PCI_BUS_ID}.
     *
     * @return the functions that are NVIDIA GPUs, with or without a driver
     */
    public List<PciFunction> gpus() {
        return gpus;
    }

    /**
     * Returns the RDMA devices that programs can use, ordered by name. Leaves out devices for subnet management that
     * the kernel also lists, such as {@code smi1} of a ConnectX-8 with XDR.
     *
     * @return the devices
     */
    public List<RdmaAdapter> adapters() {
        return adapters;
    }

    /**
     * Returns the RDMA device with a name.
     *
     * @param name such as {@code mlx5_0}
     * @return the device; empty if there is none
     */
    public Optional<RdmaAdapter> adapter(String name) {
        return adapters.stream().filter(adapter -> adapter.name().equals(name)).findFirst();
    }

    /**
     * Returns the distance of two functions; see {@link PciDistance}. If the firmware reports the NUMA node of neither
     * function, they count as being in the same node, as in NCCL. If it reports only one, they count as being in
     * different nodes on a machine with several.
     *
     * @param one a function
     * @param other another function, or the same
     * @return the distance, the same in both directions
     */
    public PciDistance distance(PciFunction one, PciFunction other) {
        if (one.address().equals(other.address())) {
            return PciDistance.SELF;
        }
        if (!one.rootComplex().equals(other.rootComplex())) {
            return one.numaNode() == other.numaNode() || numaNodes == 1 ? PciDistance.NODE : PciDistance.SYS;
        }
        int common = commonBridges(one, other);
        if (common == 0) {
            return PciDistance.PHB;
        }
        boolean oneSwitch =
                one.bridges().size() - common <= 1 && other.bridges().size() - common <= 1;
        return oneSwitch ? PciDistance.PIX : PciDistance.PXB;
    }

    /**
     * Returns the bridges between two functions that traffic passes when it turns round below the host bridge: the last
     * common bridge and those below it on both sides.
     *
     * @param one a function
     * @param other another function
     * @return the bridges, the common one first; empty if traffic goes through the root complex
     */
    public List<PciFunction> bridgesBetween(PciFunction one, PciFunction other) {
        int common = one.rootComplex().equals(other.rootComplex()) ? commonBridges(one, other) : 0;
        if (common == 0) {
            return List.of();
        }
        return Stream.concat(
                        one.bridges().stream().skip(common - 1),
                        other.bridges().stream().skip(common))
                .map(functions::get)
                .filter(Objects::nonNull)
                .toList();
    }

    /** Returns how many bridges the two chains have in common at their beginning. */
    private static int commonBridges(PciFunction one, PciFunction other) {
        int most = Math.min(one.bridges().size(), other.bridges().size());
        int common = 0;
        while (common < most && one.bridges().get(common).equals(other.bridges().get(common))) {
            common++;
        }
        return common;
    }

    /**
     * Returns an adapter as seen from a GPU.
     *
     * @param gpu a function of this topology
     * @param adapter an adapter of this topology
     * @return their distance
     */
    public AdapterPlacement placement(PciFunction gpu, RdmaAdapter adapter) {
        return adapter.function()
                .map(function -> new AdapterPlacement(
                        gpu, adapter, distance(gpu, function), numaDistance(gpu.numaNode(), function.numaNode())))
                .orElseGet(() ->
                        new AdapterPlacement(gpu, adapter, PciDistance.NONE, AdapterPlacement.UNKNOWN_NUMA_DISTANCE));
    }

    /**
     * Returns the adapters as seen from a GPU, the best first: by distance, then by the distance of the NUMA nodes,
     * then by bandwidth ({@link RdmaAdapter#bandwidth()}), then by name.
     *
     * @param gpu a function of this topology
     * @return all adapters; software devices come last
     */
    public List<AdapterPlacement> adaptersFor(PciFunction gpu) {
        return adapters.stream()
                .map(adapter -> placement(gpu, adapter))
                .sorted(Comparator.comparing(AdapterPlacement::distance)
                        .thenComparingInt(AdapterPlacement::numaDistance)
                        .thenComparing(placement -> placement.adapter().bandwidth(), Comparator.<Double>reverseOrder()))
                .toList();
    }

    private int numaDistance(int one, int other) {
        if (one < 0 || other < 0) {
            return numaNodes == 1 ? SAME_NODE : AdapterPlacement.UNKNOWN_NUMA_DISTANCE;
        }
        if (one == other) {
            return SAME_NODE;
        }
        return reader.numaDistances(one)
                .filter(distances -> other < distances.length)
                .map(distances -> distances[other])
                .orElse(AdapterPlacement.UNKNOWN_NUMA_DISTANCE);
    }

    /**
     * {@return the distances between all GPUs and adapters, as a table with the format of {@code nvidia-smi topo -m}}
     */
    public String matrix() {
        return TopologyMatrix.of(this);
    }

    /** {@return the numbers of GPUs, adapters and functions} */
    @Override
    public String toString() {
        return gpus.size() + " GPUs, " + adapters.size() + " RDMA devices, " + functions.size() + " PCI functions";
    }
}
