// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.doctor.check.Diagnosis;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.machine.Machine;
import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import io.github.rdma4j.perftest.doctor.machine.RdmaDevice;
import io.github.rdma4j.perftest.doctor.machine.RdmaPort;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.GidType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the properties of a machine that are sent to the other end. */
public final class MachineFacts {
    private static final Pattern VLAN = Pattern.compile("VID: *(\\d{1,4})");
    private static final Pattern CLASS = Pattern.compile("tclass=(\\d{1,3})");

    private final MachineFiles files;
    private final OptionalInt gidIndex;

    private MachineFacts(MachineFiles files, OptionalInt gidIndex) {
        this.files = files;
        this.gidIndex = gidIndex;
    }

    /**
     * Reads the properties.
     *
     * @param machine this machine
     * @param diagnosis the result of its doctor
     * @param rdma4j the version of this program
     * @param device the device to test; empty for all
     * @param gidIndex the GID to use; empty for the library's choice
     */
    public static PeerMachine of(
            Machine machine, Diagnosis diagnosis, String rdma4j, Optional<String> device, OptionalInt gidIndex) {
        MachineFacts facts = new MachineFacts(machine.files(), gidIndex);
        List<PeerPort> ports = new ArrayList<>();
        for (RdmaDevice each : machine.devices()) {
            if (device.isEmpty() || device.get().equals(each.name())) {
                each.ports().forEach(port -> ports.add(facts.port(each, port)));
            }
        }
        return new PeerMachine(
                rdma4j,
                machine.files().text("proc/sys/kernel/hostname").orElse(""),
                machine.files().text("proc/sys/kernel/osrelease").orElse(""),
                ports,
                diagnosis.findings().stream()
                        .filter(finding -> finding.state() == FindingState.FAIL
                                && !finding.check().section().isOfGpus())
                        .filter(finding -> device.isEmpty() || concerns(finding, device.get()))
                        .map(finding -> finding.check().key()
                                + (finding.subject().isEmpty() ? "" : " of " + finding.subject()) + ": "
                                + finding.seen())
                        .toList());
    }

    /** Another device may be broken. */
    private static boolean concerns(Finding finding, String device) {
        return finding.subject().isEmpty()
                || finding.subject().equals(device)
                || finding.subject().startsWith(device + "/");
    }

    private PeerPort port(RdmaDevice device, RdmaPort port) {
        Optional<GidEntry> chosen = gidIndex.isPresent()
                ? port.gids().stream()
                        .filter(entry -> entry.index() == gidIndex.getAsInt())
                        .findFirst()
                : GidEntry.preferred(port.gids());
        Optional<String> networkInterface =
                chosen.map(entry -> port.interfaces().get(entry.index())).or(port::networkInterface);
        return new PeerPort(
                device.name(),
                port.number(),
                transport(device, port),
                port.state(),
                device.canUse(port) && (chosen.isPresent() || !device.isRoce(port)),
                port.facts().map(facts -> facts.activeMtu().bytes()).orElse(0),
                chosen.map(GidEntry::index).orElse(-1),
                chosen.map(entry -> entry.gid().toString()).orElse(""),
                chosen.map(entry -> type(entry.type())).orElse(""),
                chosen.map(this::reason).orElse(""),
                port.gids().stream()
                        .map(entry -> entry.gid().toString())
                        .distinct()
                        .limit(PeerPort.MOST_GIDS)
                        .toList(),
                networkInterface.orElse(""),
                networkInterface
                        .map(name -> files.number("sys/class/net/" + name + "/mtu"))
                        .map(mtu -> (int) Math.min(mtu.orElse(0), Integer.MAX_VALUE))
                        .orElse(0),
                networkInterface.map(this::vlan).orElse(-1),
                partitionKeys(port),
                trafficClass(port));
    }

    private static Transport transport(RdmaDevice device, RdmaPort port) {
        if (device.isIwarp()) {
            return Transport.IWARP;
        }
        if (device.isEfa()) {
            return Transport.SRD;
        }
        if (device.isRoce(port)) {
            return Transport.ROCE;
        }
        return port.isInfiniBand() ? Transport.INFINIBAND : Transport.OTHER;
    }

    private static String type(GidType type) {
        return switch (type) {
            case ROCE_V2 -> PeerPort.ROCE_V2;
            case ROCE_V1 -> "RoCE v1";
            case INFINIBAND -> "InfiniBand";
            case UNKNOWN -> "an unknown type";
        };
    }

    private String reason(GidEntry entry) {
        if (gidIndex.isPresent()) {
            return "chosen with --gid-index";
        }
        Gid gid = entry.gid();
        if (entry.type() == GidType.INFINIBAND) {
            return "the port's own";
        }
        String version = entry.type() == GidType.ROCE_V1 ? "the port has no v2 GID; " : "v2 can be routed; ";
        if (gid.isIpv4Mapped()) {
            return version + "IPv4 is preferred";
        }
        return version
                + (gid.isLinkLocal() ? "link-local, because the interface has no address" : "there is no IPv4 address");
    }

    private int vlan(String networkInterface) {
        Matcher number =
                VLAN.matcher(files.text("proc/net/vlan/" + networkInterface).orElse(""));
        if (number.find()) {
            return Math.min(Integer.parseInt(number.group(1)), 4095);
        }
        // A VLAN's interface in another namespace than its file.
        return files.text("sys/class/net/" + networkInterface + "/uevent")
                        .filter(text -> text.contains("DEVTYPE=vlan"))
                        .isPresent()
                ? -1
                : 0;
    }

    private List<String> partitionKeys(RdmaPort port) {
        String folder = port.folder() + "/pkeys";
        return files.names(folder).stream()
                .limit(2L * PeerPort.MOST_KEYS)
                .flatMap(name -> files.text(folder + "/" + name).stream())
                .filter(key -> key.matches("0x[0-9a-f]{4}") && !key.equals("0x0000"))
                .limit(PeerPort.MOST_KEYS)
                .toList();
    }

    private int trafficClass(RdmaPort port) {
        Matcher set = CLASS.matcher(
                files.text("sys/class/infiniband/" + port.device() + "/tc/" + port.number() + "/traffic_class")
                        .orElse(""));
        return set.find() ? Math.min(Integer.parseInt(set.group(1)), 255) : -1;
    }
}
