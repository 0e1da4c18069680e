// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.model;

import io.github.rdma4j.perftest.predict.model.DataPath.ProcessorTime;
import io.github.rdma4j.perftest.predict.model.DataPath.ServiceTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The links and copies of each path, between two machines of the same kind. */
public final class Paths {
    private static final String MEMORY = "host memory";
    private static final String SOCKETS = "link between processors";
    private static final String ROOT_COMPLEX = "root complex, device to device";
    private static final String C2C = "NVLink-C2C";

    /** The bytes that an adapter fetches to send a message, and writes when it is done. */
    private static final int WORK_REQUEST = 64;

    private static final int COMPLETION = 64;
    private static final double GIBIBYTE = 1L << 30;

    private final MachineModel machine;
    private final Adapter adapter;
    private final List<Load> loads = new ArrayList<>();
    private final List<String> copies = new ArrayList<>();

    private Paths(MachineModel machine) {
        this.machine = machine;
        this.adapter = machine.adapter();
    }

    /** Returns all paths that a machine has. */
    public static List<DataPath> of(MachineModel machine) {
        return Arrays.stream(PathKind.values())
                .map(kind -> of(machine, kind))
                .flatMap(Optional::stream)
                .toList();
    }

    /** Returns a path; empty if the machine lacks a part of it. */
    public static Optional<DataPath> of(MachineModel machine, PathKind kind) {
        Paths paths = new Paths(machine);
        return switch (kind) {
            case HOST -> Optional.of(paths.host());
            case GPUDIRECT -> paths.withGpu(paths::direct);
            case STAGED -> paths.withGpu(paths::staged);
            case TCP -> machine.tcp().map(paths::tcp);
            case COPY -> paths.withGpu(paths::copy);
            case NVLINK -> machine.gpu().filter(gpu -> gpu.nvLinks() > 0).map(paths::nvLink);
            case FILE -> paths.withDisk((disk, gpu) -> paths.file(disk, gpu, false));
            case FILE_STAGED -> paths.withDisk((disk, gpu) -> paths.file(disk, gpu, true));
        };
    }

    @FunctionalInterface
    private interface OfGpu {
        DataPath path(Gpu gpu);
    }

    @FunctionalInterface
    private interface OfDisk {
        DataPath path(Disk disk, Gpu gpu);
    }

    private Optional<DataPath> withGpu(OfGpu path) {
        // Software makes packets from memory that the CPU reads, so data of a GPU must go through the host.
        return machine.gpu().filter(_ -> !adapter.isSoftware()).map(path::path);
    }

    private Optional<DataPath> withDisk(OfDisk path) {
        return machine.disk().flatMap(disk -> machine.gpu().map(gpu -> path.path(disk, gpu)));
    }

    private DataPath host() {
        copies.add("the sender's adapter reads host memory");
        memory("sender", 1);
        adapterReads();
        wire();
        adapterWrites();
        memory("receiver", 1);
        copies.add("the receiver's adapter writes host memory");
        return rdma(PathKind.HOST, 0);
    }

    private DataPath direct(Gpu gpu) {
        copies.add("the sender's adapter reads the GPU's memory");
        gpuIsRead(gpu, "sender");
        between(gpu, "sender");
        adapterReads();
        wire();
        adapterWrites();
        between(gpu, "receiver");
        gpuIsWritten(gpu, "receiver");
        copies.add("the receiver's adapter writes the GPU's memory");
        return rdma(PathKind.GPUDIRECT, 0);
    }

    private DataPath staged(Gpu gpu) {
        copies.add("the sender's GPU writes host memory");
        gpuWrites(gpu, "sender");
        memory("sender", 2);
        copies.add("the sender's adapter reads host memory");
        adapterReads();
        wire();
        adapterWrites();
        copies.add("the receiver's adapter writes host memory");
        memory("receiver", 2);
        gpuReads(gpu, "receiver");
        copies.add("the receiver's GPU reads host memory");
        return rdma(PathKind.STAGED, gpu.copy());
    }

    private DataPath copy(Gpu gpu) {
        copies.add("the GPU reads host memory");
        memory("machine", 1);
        gpuReads(gpu, "machine");
        return path(PathKind.COPY, 0, new ServiceTime(gpu.copy(), 0, 1, 0), new ProcessorTime(gpu.copy(), 0));
    }

    private DataPath nvLink(Gpu gpu) {
        copies.add("a GPU writes the other one's memory");
        loads.add(Load.plain(gpu.nvLinks() + " NVLinks", "to the other GPU", gpu.nvLinks() * gpu.nvLink() * 1e9, 1));
        return path(PathKind.NVLINK, 0, new ServiceTime(gpu.copy(), 0, 1, 0), new ProcessorTime(gpu.copy(), 0));
    }

    private DataPath tcp(TcpCosts tcp) {
        NetworkLink network = new NetworkLink(LinkType.TCP, adapter.network().gigabits(), tcp.mtu());
        copies.add("the sender's processor copies into the kernel");
        // Read and written by the processor, read by the adapter.
        memory("sender", 3);
        copies.add("the sender's adapter reads host memory");
        adapterReads();
        wire(network);
        adapterWrites();
        copies.add("the receiver's adapter writes host memory");
        memory("receiver", 3);
        copies.add("the receiver's processor copies out of the kernel");
        double kibibyte = 1024 * 8 / (tcp.core() * 1e9) * 1e6;
        double gibibyte = GIBIBYTE * 8 / (tcp.core() * 1e9);
        return path(
                PathKind.TCP,
                tcp.latency(),
                new ServiceTime(tcp.message(), 0, 1, kibibyte),
                new ProcessorTime(tcp.message(), gibibyte * (1 + tcp.sender())));
    }

    private DataPath file(Disk disk, Gpu gpu, boolean staged) {
        String title = disk.drives() + " x " + disk.name();
        loads.add(Load.plain(title, "reading", disk.drives() * disk.reads() * 1e9, 1));
        Load link = disk.pci().writes(title + ", " + disk.pci().title(), "to the machine");
        loads.add(new Load(
                link.link(), link.direction(), link.capacity() * disk.drives(), 1, link.packet(), link.header(), 0));
        if (staged) {
            copies.add("the disks write host memory");
            memory("machine", 2);
            gpuReads(gpu, "machine");
            copies.add("the GPU reads host memory");
        } else {
            copies.add("the disks write the GPU's memory");
            between(gpu, "machine");
            gpuIsWritten(gpu, "machine");
        }
        double copy = staged ? gpu.copy() : 0;
        return path(
                staged ? PathKind.FILE_STAGED : PathKind.FILE,
                disk.latency() + copy,
                new ServiceTime(copy, 0, 1, 0),
                new ProcessorTime(adapter.processor() + copy, 0));
    }

    private DataPath rdma(PathKind kind, double copy) {
        return path(
                kind,
                adapter.latency() + 2 * copy,
                // The CPU starts and ends each copy, once per message on each side.
                new ServiceTime(
                        adapter.message() + copy,
                        adapter.packet(),
                        adapter.network().data(),
                        adapter.kibibyte()),
                new ProcessorTime(
                        adapter.processor() + 2 * copy,
                        (adapter.packet() / adapter.network().data() + adapter.kibibyte() / 1024) * GIBIBYTE / 1e6));
    }

    private DataPath path(PathKind kind, double latency, ServiceTime service, ProcessorTime processors) {
        return new DataPath(kind, copies, loads, latency, service, processors);
    }

    private void wire() {
        wire(adapter.network());
    }

    private void wire(NetworkLink network) {
        if (network.hasLimit()) {
            loads.add(network.writes());
            loads.add(network.acknowledgements());
        }
    }

    private void memory(String side, int crossings) {
        machine.memory().ifPresent(memory -> {
            loads.add(Load.plain(MEMORY + " of the " + side, "reads and writes", memory.capacity(), crossings));
            if (memory.hops() > 0) {
                loads.add(Load.plain(SOCKETS + " of the " + side, "one way", memory.hop() * 1e9, 1));
            }
        });
    }

    /** Adds the data to send, the request for it, and the completion. */
    private void adapterReads() {
        adapter.pci().ifPresent(pci -> {
            String link = pci.title() + " of the sender's adapter";
            String to = "to the adapter";
            String from = "from the adapter";
            loads.add(pci.completions(link, to));
            loads.add(perMessage(pci, link, to, WORK_REQUEST + PciExpress.COMPLETION_HEADER));
            loads.add(pci.readRequests(link, from));
            loads.add(perMessage(pci, link, from, COMPLETION + PciExpress.WRITE_HEADER));
        });
    }

    private void adapterWrites() {
        adapter.pci()
                .ifPresent(
                        pci -> loads.add(pci.writes(pci.title() + " of the receiver's adapter", "from the adapter")));
    }

    private static Load perMessage(PciExpress pci, String link, String direction, int bytes) {
        return new Load(link, direction, pci.capacity(), 0, Integer.MAX_VALUE, 0, bytes);
    }

    /** Between adapter or disk and GPU. */
    private void between(Gpu gpu, String side) {
        if (gpu.isBehindRootComplex() && gpu.peer() > 0) {
            loads.add(Load.plain(ROOT_COMPLEX + " of the " + side, "one way", gpu.peer() * 1e9, 1));
        }
    }

    private static String link(PciExpress pci, String side) {
        return pci.title() + " of the " + side + "'s GPU";
    }

    private static Load coherent(Gpu gpu, String side, String direction) {
        return Load.plain(C2C + " of the " + side, direction, gpu.coherent() * 1e9, 1);
    }

    private static boolean usesC2C(Gpu gpu) {
        return gpu.coherent() > 0;
    }

    /** Another device reads the GPU's memory. */
    private void gpuIsRead(Gpu gpu, String side) {
        loads.add(
                usesC2C(gpu)
                        ? coherent(gpu, side, "from the GPU")
                        : gpu.pci().orElseThrow().completions(link(gpu.pci().get(), side), "from the GPU"));
    }

    /** Another device writes the GPU's memory. */
    private void gpuIsWritten(Gpu gpu, String side) {
        loads.add(
                usesC2C(gpu)
                        ? coherent(gpu, side, "to the GPU")
                        : gpu.pci().orElseThrow().writes(link(gpu.pci().get(), side), "to the GPU"));
    }

    /** The GPU writes host memory. */
    private void gpuWrites(Gpu gpu, String side) {
        loads.add(
                usesC2C(gpu)
                        ? coherent(gpu, side, "from the GPU")
                        : gpu.pci().orElseThrow().writes(link(gpu.pci().get(), side), "from the GPU"));
    }

    /** The GPU reads host memory. */
    private void gpuReads(Gpu gpu, String side) {
        if (usesC2C(gpu)) {
            loads.add(coherent(gpu, side, "to the GPU"));
            return;
        }
        PciExpress pci = gpu.pci().orElseThrow();
        loads.add(pci.completions(link(pci, side), "to the GPU"));
        loads.add(pci.readRequests(link(pci, side), "from the GPU"));
    }
}
