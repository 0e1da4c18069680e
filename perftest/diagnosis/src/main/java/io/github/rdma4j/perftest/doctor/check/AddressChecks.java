// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.NOTE;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Checks the addresses of a device's active ports, by the rule of the library and the tools. */
final class AddressChecks {
    private final MachineFiles files;
    private final RdmaDevice device;

    AddressChecks(Machine machine, RdmaDevice device) {
        this.files = machine.files();
        this.device = device;
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        for (RdmaPort port : device.ports()) {
            if (port.isActive() && !port.rawOnly()) {
                findings.add(gid(port));
                if (device.isRoce(port)) {
                    findings.add(roceMode(port));
                }
            }
        }
        return findings;
    }

    private Finding gid(RdmaPort port) {
        String source = "/" + port.folder() + "/gids";
        Optional<GidEntry> chosen = GidEntry.preferred(port.gids());
        if (!device.isRoce(port)) {
            return Finding.ok(
                    Check.GID,
                    port.name(),
                    source,
                    chosen.map(entry -> "use index " + entry.index() + ", " + entry.gid() + ", the port's own"
                                    + (port.isInfiniBand() ? "; within a subnet the LID is enough" : ""))
                            .orElse("the port has no GID and needs none"));
        }
        String addAddress = "give "
                + port.networkInterface().orElse("its network interface (rdma link shows it)")
                + " an IP address";
        Optional<String> waiting = port.networkInterface().flatMap(this::backupOf);
        if (chosen.isEmpty() && waiting.isPresent()) {
            return new Finding(
                    Check.GID,
                    port.name(),
                    source,
                    NOTE,
                    "the port has no GID: it is a backup link of " + waiting.get(),
                    "only the active link of such a bond has GIDs, and the bond makes this link the active one when"
                            + " that one fails",
                    "");
        }
        if (chosen.isEmpty()) {
            return new Finding(
                    Check.GID,
                    port.name(),
                    source,
                    FAIL,
                    "the port has no GID",
                    "RoCE addresses peers by GID, and a port gets its GIDs from the addresses of its network"
                            + " interface",
                    port.networkInterface()
                                    .map(name -> "ip link set " + name + " up; ")
                                    .orElse("")
                            + addAddress + "; start a container with --network host");
        }
        GidEntry entry = chosen.get();
        String seen = "use index " + entry.index() + ", " + words(entry.gid()) + ", "
                + (entry.type() == GidType.ROCE_V1 ? "RoCE v1" : "RoCE v2")
                + Optional.ofNullable(port.interfaces().get(entry.index()))
                        .map(name -> " on " + name)
                        .orElse("");
        if (entry.type() == GidType.ROCE_V1) {
            return warning(
                    port,
                    source,
                    seen,
                    "the port has no RoCE v2 GID: its packets cannot be routed, and peers with v2 GIDs cannot reach"
                            + " it",
                    files.exists("sys/module/mlx4_core")
                            ? "modprobe mlx4_core roce_mode=2, if the adapter supports it"
                            : addAddress);
        }
        if (isLoopback(entry.gid())) {
            return warning(
                    port,
                    source,
                    seen,
                    "it is an address of the loopback interface: no other machine can reach it",
                    "use a device on another network interface: rdma link add rxe1 type rxe netdev eth0");
        }
        if (entry.gid().isLinkLocal()) {
            return warning(
                    port,
                    source,
                    seen + ": there is no better one",
                    "the GID is link-local: peers on other subnets cannot be reached, and rdma_cm needs an IP"
                            + " address",
                    addAddress);
        }
        return Finding.ok(
                Check.GID,
                port.name(),
                source,
                seen + ": v2 can be routed, and "
                        + (entry.gid().isIpv4Mapped()
                                ? "an IPv4 address is preferred"
                                : "without an IPv4 address, a global IPv6 address is preferred"));
    }

    /** Returns the bond in which an interface waits, and the bond's active link; empty if it does not wait. */
    private Optional<String> backupOf(String networkInterface) {
        return files.target("sys/class/net/" + networkInterface + "/master")
                .flatMap(bond -> files.text("sys/class/net/" + bond + "/bonding/active_slave")
                        .filter(active -> !active.isEmpty() && !active.equals(networkInterface))
                        .map(active -> bond + ", whose active link is " + active));
    }

    /** With the IPv4 address that it is made of. */
    private static String words(Gid gid) {
        byte[] bytes = gid.bytes();
        return gid
                + (gid.isIpv4Mapped()
                        ? IntStream.range(Gid.LENGTH - 4, Gid.LENGTH)
                                .mapToObj(i -> Integer.toString(Byte.toUnsignedInt(bytes[i])))
                                .collect(Collectors.joining(".", " (", ")"))
                        : "");
    }

    private static boolean isLoopback(Gid gid) {
        byte[] bytes = gid.bytes();
        return gid.isIpv4Mapped()
                ? bytes[Gid.LENGTH - 4] == 127
                : Arrays.equals(bytes, 0, Gid.LENGTH - 1, new byte[Gid.LENGTH], 0, Gid.LENGTH - 1)
                        && bytes[Gid.LENGTH - 1] == 1;
    }

    private static Finding warning(RdmaPort port, String source, String seen, String meaning, String remedy) {
        return new Finding(Check.GID, port.name(), source, WARNING, seen, meaning, remedy);
    }

    /** Reads the folder of configfs, which exists only once it has been created. */
    private Finding roceMode(RdmaPort port) {
        String file = "sys/kernel/config/rdma_cm/" + device.name() + "/ports/" + port.number() + "/default_roce_mode";
        Optional<String> mode = files.text(file);
        if (mode.filter(text -> !text.equals("RoCE v2")).isPresent()) {
            return new Finding(
                    Check.ROCE_MODE,
                    port.name(),
                    "/" + file,
                    WARNING,
                    "rdma_cm connects by " + mode.get(),
                    "its packets cannot be routed, and peers that expect RoCE v2 drop them",
                    "switch to v2: echo 'RoCE v2' > /" + file);
        }
        return Finding.ok(
                Check.ROCE_MODE,
                port.name(),
                "/" + file,
                mode.map(text -> "rdma_cm connects by " + text)
                        .orElse("no mode is set for rdma_cm, so the kernel uses RoCE v2 if the port supports it"));
    }
}
