// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import io.github.rdma4j.gpudirect.topology.AdapterPlacement;
import io.github.rdma4j.gpudirect.topology.PciDistance;
import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.RdmaAdapter;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.perftest.doctor.machine.Bond;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.perftest.placement.CpuList;
import io.github.rdma4j.perftest.placement.NumaTopology;
import io.github.rdma4j.perftest.predict.model.Adapter;
import io.github.rdma4j.perftest.predict.model.Gpu;
import io.github.rdma4j.perftest.predict.model.LinkType;
import io.github.rdma4j.perftest.predict.model.MachineModel;
import io.github.rdma4j.perftest.predict.model.NetworkLink;
import io.github.rdma4j.perftest.predict.model.PciExpress;
import io.github.rdma4j.perftest.predict.model.TcpCosts;
import io.github.rdma4j.verbs.device.GidType;
import io.github.rdma4j.verbs.device.Mtu;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Creates a model from the doctor's readings of a machine. A value that the kernel does not report is assumed, and the
 * assumption is listed.
 */
public final class MachineReader {
    private static final double LATENCY = 1;
    private static final double MESSAGE = 0.38;
    private static final double PROCESSOR = 0.15;
    private static final double COPY = 10;
    private static final double TCP_CORE = 42;
    private static final int LEAST_INTERFACE_MTU = 576;

    private final Machine machine;
    private final List<String> assumptions = new ArrayList<>();

    private MachineReader(Machine machine) {
        this.machine = machine;
    }

    /**
     * Returns the model of a machine, with its first port that can carry data.
     *
     * @param device only this one, or this port of it, such as {@code mlx5_0/2}; empty for any
     * @throws MachineFileException if there is no port to predict for
     */
    public static MachineModel read(Machine machine, Optional<String> device) {
        return new MachineReader(machine).read(device);
    }

    private MachineModel read(Optional<String> name) {
        List<RdmaDevice> devices = machine.devices().stream()
                .filter(found -> name.isEmpty()
                        || found.name().equals(name.get())
                        || found.ports().stream().anyMatch(port -> port.name().equals(name.get())))
                .toList();
        if (devices.isEmpty()) {
            throw new MachineFileException(
                    name.map(wanted -> "there is no RDMA device '" + wanted + "' here")
                            .orElse("there is no RDMA device here"),
                    "rdma4j doctor says why; --machine predicts for a described machine: "
                            + String.join(", ", DescribedMachines.NAMES));
        }
        // Hardware first: a software device cannot be predicted without a measurement. Some active ports carry no data.
        for (RdmaDevice device : devices.stream()
                .sorted(Comparator.comparing(RdmaDevice::isSoftware)
                        .thenComparing(found -> found.ports().stream().noneMatch(found::canUse)))
                .toList()) {
            Optional<RdmaPort> port = device.ports().stream()
                    .filter(RdmaPort::isActive)
                    .filter(found -> name.isEmpty()
                            || name.get().equals(device.name())
                            || name.get().equals(found.name()))
                    .min(Comparator.comparing(found -> !device.canUse(found)));
            if (port.isPresent()) {
                return model(device, port.get());
            }
        }
        String wanted = name.orElse(devices.getFirst().name());
        throw new MachineFileException(
                wanted.contains("/") ? "port " + wanted + " is not active" : "no port of " + wanted + " is active",
                "rdma4j doctor says why");
    }

    private MachineModel model(RdmaDevice device, RdmaPort port) {
        if (device.isSoftware()) {
            throw new MachineFileException(
                    device.name() + " is a software device: the processor limits it, and no file has its speed",
                    "measure it (ib_write_bw -a --out_json_file=results.json) and give --calibrate results.json");
        }
        PciFunction function = device.function().orElseThrow();
        PciSettings settings = new PciSettings(machine.topology(), assumptions::add);
        PciExpress pci = settings.of(function, device.name())
                .orElseThrow(() -> new MachineFileException(
                        "sysfs does not report the PCIe link of " + device.name(),
                        "a virtual machine often hides it; describe the machine in a file: docs/predict.md"));
        NetworkLink network = network(device, port);
        assumptions.add(device.name() + ": latency 1 µs, 0.38 µs a message, as connectx5-pcie3 has");
        assumptions.add("host memory limits nothing: the kernel does not report its channels");
        node(device, function);
        Adapter adapter = new Adapter(
                port.name() + " ("
                        + device.function().flatMap(PciFunction::driver).orElse("no driver") + ")",
                network,
                Optional.of(pci),
                LATENCY,
                MESSAGE,
                0,
                0,
                PROCESSOR);
        Optional<Gpu> gpu = gpu(device, settings);
        Optional<TcpCosts> tcp = tcp(port);
        return new MachineModel(
                "this machine",
                List.of("/sys, as rdma4j doctor reads it"),
                assumptions,
                adapter,
                gpu,
                Optional.empty(),
                Optional.empty(),
                tcp);
    }

    /** The node of the program's memory is unknown before the program runs. */
    private void node(RdmaDevice device, PciFunction function) {
        NumaTopology numa = machine.numa();
        CpuList near = numa.cpusOf(function.numaNode());
        if (numa.nodes().size() > 1
                && !near.isEmpty()
                && !numa.allowedCpus().without(near).isEmpty()) {
            assumptions.add("memory is on the NUMA node of " + device.name() + ", " + function.numaNode()
                    + "; this process may also run on others: numactl --cpunodebind=" + function.numaNode()
                    + " --membind=" + function.numaNode() + ", or a description with hops");
        }
    }

    private NetworkLink network(RdmaDevice device, RdmaPort port) {
        LinkType type = type(device, port);
        OptionalDouble rate = NetworkRate.parse(port.rate(), type == LinkType.INFINIBAND);
        if (rate.isEmpty()) {
            throw new MachineFileException(
                    "the rate of " + port.name() + " cannot be read: '" + port.rate() + "'",
                    "see its cable and switch");
        }
        return new NetworkLink(
                type,
                port.bond().map(bond -> bonded(port, bond, rate.getAsDouble())).orElse(rate.getAsDouble()),
                mtu(type, port));
    }

    private double bonded(RdmaPort port, Bond bond, double rate) {
        if (!bond.isShared()) {
            return rate;
        }
        if (bond.gigabits().isEmpty()) {
            assumptions.add(port.name() + " is the bond " + bond.name() + " of "
                    + bond.members().size() + " links, whose rate the kernel does not report: "
                    + (long) rate + " Gbit/s, as of one link");
            return rate;
        }
        assumptions.add(port.name() + " is the bond " + bond.name() + " of "
                + bond.members().size() + " links: many queue pairs share them, and one uses one link");
        return Math.max(rate, bond.gigabits().getAsDouble());
    }

    private static LinkType type(RdmaDevice device, RdmaPort port) {
        if (device.isIwarp()) {
            return LinkType.IWARP;
        }
        if (port.isInfiniBand()) {
            return LinkType.INFINIBAND;
        }
        if (device.isEfa()) {
            return LinkType.SRD;
        }
        if (device.isRoce(port)) {
            return port.gids().stream().anyMatch(gid -> gid.type() == GidType.ROCE_V2)
                            || port.gids().stream().noneMatch(gid -> gid.type() == GidType.ROCE_V1)
                    ? LinkType.ROCE_V2
                    : LinkType.ROCE_V1;
        }
        throw new MachineFileException(
                device.name() + " speaks neither InfiniBand nor RoCE nor iWARP nor SRD, whose packets the model knows",
                "--machine predicts for a described machine");
    }

    private int mtu(LinkType type, RdmaPort port) {
        Optional<Integer> active = port.facts()
                .map(facts -> facts.activeMtu())
                .filter(mtu -> mtu != Mtu.UNKNOWN)
                .map(mtu -> mtu.bytes());
        Optional<Integer> ofInterface = interfaceMtu(port);
        if (type == LinkType.IWARP) {
            return ofInterface.orElseGet(() -> assumed(port, 1500));
        }
        if (type == LinkType.SRD) {
            assumptions.add(port.name() + ": SRD's header is not published, and counts as 0 bytes of a packet");
            return port.facts().map(facts -> (int) facts.maxMessage()).orElseGet(() -> assumed(port, 8928));
        }
        if (active.isPresent()) {
            return active.get();
        }
        if (type.isEthernet() && ofInterface.isPresent()) {
            return NetworkLink.roce(ofInterface.get());
        }
        return assumed(port, type.isEthernet() ? 1024 : 4096);
    }

    private int assumed(RdmaPort port, int mtu) {
        assumptions.add(port.name() + ": MTU " + mtu + "; it cannot be read");
        return mtu;
    }

    private Optional<Integer> interfaceMtu(RdmaPort port) {
        MachineFiles files = machine.files();
        return port.networkInterface()
                .map(name -> files.number("sys/class/net/" + name + "/mtu"))
                .filter(mtu -> mtu.isPresent() && mtu.getAsLong() >= LEAST_INTERFACE_MTU && mtu.getAsLong() <= 65_536)
                .map(mtu -> (int) mtu.getAsLong());
    }

    /** Returns the GPU nearest to the adapter. */
    private Optional<Gpu> gpu(RdmaDevice device, PciSettings settings) {
        Topology topology = machine.topology();
        Optional<RdmaAdapter> adapter = topology.adapter(device.name());
        if (adapter.isEmpty()) {
            return Optional.empty();
        }
        Optional<AdapterPlacement> nearest = topology.gpus().stream()
                .map(gpu -> topology.placement(gpu, adapter.get()))
                .min(Comparator.comparing(AdapterPlacement::distance));
        if (nearest.isEmpty()) {
            return Optional.empty();
        }
        PciFunction function = nearest.get().gpu();
        String name = "GPU " + function.address();
        Optional<PciExpress> pci = settings.of(function, name);
        if (pci.isEmpty()) {
            assumptions.add(name + " is left out: sysfs does not report its PCIe link");
            return Optional.empty();
        }
        Gpu.Attachment attachment = attachment(nearest.get().distance());
        assumptions.add(name + ": " + COPY + " µs to begin and end a copy; no NVLink: sysfs does not report it");
        if (attachment != Gpu.Attachment.SWITCH) {
            assumptions.add(
                    name + ": the root complex passes on what PCIe carries; many pass on less (docs/predict.md)");
        }
        return Optional.of(new Gpu(name, function.address().toString(), pci, attachment, 0, 0, 0, 0, COPY));
    }

    private static Gpu.Attachment attachment(PciDistance distance) {
        return switch (distance) {
            case SELF, PIX, PXB -> Gpu.Attachment.SWITCH;
            case PHB, NODE -> Gpu.Attachment.HOST_BRIDGE;
            case SYS, NONE -> Gpu.Attachment.SOCKET;
        };
    }

    private Optional<TcpCosts> tcp(RdmaPort port) {
        // InfiniBand's interface is of IPoIB, whose packets are others.
        if (!port.isEthernet()) {
            return Optional.empty();
        }
        return interfaceMtu(port).map(mtu -> {
            assumptions.add("TCP: a core receives " + (int) TCP_CORE + " Gbit/s (docs/predict.md)");
            return new TcpCosts(TCP_CORE, 0.5, 10, 1, mtu);
        });
    }
}
