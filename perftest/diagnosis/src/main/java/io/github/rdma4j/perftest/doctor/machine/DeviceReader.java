// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

import io.github.rdma4j.gpudirect.topology.PciFunction;
import io.github.rdma4j.gpudirect.topology.RdmaAdapter;
import io.github.rdma4j.gpudirect.topology.Topology;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/** Reads RDMA devices and their ports below {@code /sys/class/infiniband}. */
final class DeviceReader {
    static final String DEVICES = "sys/class/infiniband";
    private static final String NODES = "sys/class/infiniband_verbs";

    private final MachineFiles files;
    private final Topology topology;
    private final AdapterInventory verbs;

    DeviceReader(MachineFiles files, Topology topology, AdapterInventory verbs) {
        this.files = files;
        this.topology = topology;
        this.verbs = verbs;
    }

    List<RdmaDevice> devices() {
        Map<String, String> nodes = nodes();
        return topology.adapters().stream()
                .map(adapter -> device(adapter, nodes))
                .toList();
    }

    /** Returns the name of the device file of each device. */
    private Map<String, String> nodes() {
        Map<String, String> nodes = new HashMap<>();
        for (String node : files.names(NODES)) {
            files.text(NODES + "/" + node + "/ibdev").ifPresent(device -> nodes.put(device, node));
        }
        return nodes;
    }

    private RdmaDevice device(RdmaAdapter adapter, Map<String, String> nodes) {
        String name = adapter.name();
        String folder = DEVICES + "/" + name;
        Optional<AdapterFacts> facts = verbs.adapters().stream()
                .filter(found -> found.name().equals(name))
                .findFirst();
        return new RdmaDevice(
                name,
                folder,
                afterNumber(folder + "/node_type"),
                files.text(folder + "/fw_ver")
                        // Software devices report 0.0.0.
                        .filter(version -> !version.matches("[0.]*"))
                        .orElse(""),
                Optional.ofNullable(nodes.get(name)),
                adapter.function(),
                files.names(folder + "/ports").stream()
                        .filter(number -> number.matches("\\d{1,3}"))
                        .map(number -> port(name, adapter.function(), Integer.parseInt(number), facts))
                        .toList(),
                facts);
    }

    private RdmaPort port(String device, Optional<PciFunction> function, int number, Optional<AdapterFacts> facts) {
        String folder = DEVICES + "/" + device + "/ports/" + number;
        List<GidEntry> gids = new ArrayList<>();
        Map<Integer, String> interfaces = new HashMap<>();
        for (String index : files.names(folder + "/gids")) {
            gid(folder, number, index).ifPresent(entry -> {
                gids.add(entry);
                files.text(folder + "/gid_attrs/ndevs/" + index).ifPresent(name -> interfaces.put(entry.index(), name));
            });
        }
        // A shared device also has the GIDs of other network namespaces, such as the host's and other containers'.
        if (gids.stream().anyMatch(entry -> isHere(interfaces.get(entry.index())))) {
            gids.removeIf(entry -> !isHere(interfaces.get(entry.index())));
        }
        Optional<String> networkInterface = networkInterface(device, function, number, gids, interfaces);
        return new RdmaPort(
                device,
                number,
                folder,
                afterNumber(folder + "/state"),
                afterNumber(folder + "/phys_state"),
                files.text(folder + "/link_layer").orElse(""),
                files.text(folder + "/rate").orElse(""),
                files.exists(folder + "/gids") && files.names(folder + "/gids").isEmpty(),
                gids,
                interfaces,
                networkInterface,
                function.flatMap(_ -> networkInterface.flatMap(name -> bond(device, name))),
                facts.stream()
                        .flatMap(found -> found.ports().stream())
                        .filter(port -> port.number() == number)
                        .findFirst());
    }

    /** Unknown interfaces are not: some drivers hide the interfaces of other namespaces. */
    private boolean isHere(String networkInterface) {
        return networkInterface != null && files.exists("sys/class/net/" + networkInterface);
    }

    /** A member that has an RDMA device of its own shares nothing with this device: the adapters have no RoCE LAG. */
    private Optional<Bond> bond(String device, String networkInterface) {
        String folder = "sys/class/net/" + networkInterface;
        if (!files.exists(folder + "/bonding")) {
            return Optional.empty();
        }
        // In Mbit/s: the sum of all interfaces or the active interface's speed, by the bond's mode; -1 without a link.
        OptionalDouble gigabits = files.number(folder + "/speed").stream()
                .filter(megabits -> megabits > 0 && megabits < Integer.MAX_VALUE)
                .mapToDouble(megabits -> megabits / 1000.0)
                .findFirst();
        List<String> members = files.text(folder + "/bonding/slaves").stream()
                .flatMap(names -> Stream.of(names.split("\\s+")))
                .filter(name -> !name.isEmpty())
                .toList();
        List<String> own = members.stream()
                .filter(member -> devicesOf(member).contains(device))
                .toList();
        return own.size() == 1
                        && members.stream()
                                .anyMatch(member -> !own.contains(member)
                                        && !devicesOf(member).isEmpty())
                ? Optional.of(new Bond(networkInterface, own, OptionalDouble.empty()))
                : Optional.of(new Bond(networkInterface, members, gigabits));
    }

    private List<String> devicesOf(String networkInterface) {
        return files.names("sys/class/net/" + networkInterface + "/device/infiniband");
    }

    /** Empty where the entry is not in use: its GID is zero, or its type cannot be read. */
    private Optional<GidEntry> gid(String folder, int port, String index) {
        Optional<Gid> gid = files.text(folder + "/gids/" + index)
                .filter(text -> text.matches("([0-9a-f]{4}:){7}[0-9a-f]{4}"))
                .map(text -> Gid.of(HexFormat.of().parseHex(text.replace(":", ""))))
                .filter(found -> !found.isZero());
        if (gid.isEmpty() || !index.matches("\\d{1,5}")) {
            // Most of a table is empty, and some have a thousand entries.
            return Optional.empty();
        }
        Optional<String> type = files.text(folder + "/gid_attrs/types/" + index);
        if (type.isEmpty()) {
            return Optional.empty();
        }
        boolean infiniBand =
                files.text(folder + "/link_layer").filter("InfiniBand"::equals).isPresent();
        return Optional.of(new GidEntry(
                gid.get(),
                Integer.parseInt(index),
                port,
                switch (type.get()) {
                    case "IB/RoCE v1" -> infiniBand ? GidType.INFINIBAND : GidType.ROCE_V1;
                    case "RoCE v2" -> GidType.ROCE_V2;
                    default -> GidType.UNKNOWN;
                },
                0));
    }

    /**
     * Returns the interface of the first GID; in a container, of the first one whose interface it has. A port that is
     * down has no GID: then an interface of the same hardware, or for SoftRoCE the parent. siw does not report an
     * interface.
     */
    private Optional<String> networkInterface(
            String device,
            Optional<PciFunction> function,
            int port,
            List<GidEntry> gids,
            Map<Integer, String> interfaces) {
        Optional<String> behindGid = gids.stream()
                .map(GidEntry::index)
                .filter(interfaces::containsKey)
                .map(interfaces::get)
                .min(Comparator.comparing(name -> !files.exists("sys/class/net/" + name)));
        if (behindGid.isPresent()) {
            return behindGid;
        }
        if (function.isEmpty()) {
            return files.text(DEVICES + "/" + device + "/parent");
        }
        String folder = DEVICES + "/" + device + "/device/net";
        List<String> names = files.names(folder);
        boolean isOnlyPort = files.names(DEVICES + "/" + device + "/ports").size() <= 1;
        return names.stream()
                .filter(name -> names.size() == 1 && isOnlyPort
                        || files.number(folder + "/" + name + "/dev_port").orElse(0) == port - 1)
                .findFirst();
    }

    /** Returns the text after the number, for texts such as {@code 4: ACTIVE}. */
    private String afterNumber(String file) {
        return files.text(file).map(text -> text.replaceFirst("^\\d+: *", "")).orElse("");
    }
}
