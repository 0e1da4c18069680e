// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import static io.github.rdma4j.perftest.doctor.check.FindingState.FAIL;
import static io.github.rdma4j.perftest.doctor.check.FindingState.OK;
import static io.github.rdma4j.perftest.doctor.check.FindingState.UNKNOWN;
import static io.github.rdma4j.perftest.doctor.check.FindingState.WARNING;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import java.util.List;
import java.util.function.Function;

/** Compares what only RoCE has: GIDs of several kinds, VLANs and traffic classes. */
final class RoceComparison {
    private final PortPair ports;
    private final String host;

    RoceComparison(PortPair ports, String host) {
        this.ports = ports;
        this.host = host;
    }

    List<Finding> findings() {
        return List.of(gid(), vlan(), trafficClass());
    }

    private Finding gid() {
        String source = "/sys/class/infiniband/*/ports/*/gids";
        String seen = values(RoceComparison::describe);
        PeerPort mine = ports.here();
        PeerPort theirs = ports.there();
        if (mine.gid().isEmpty() || theirs.gid().isEmpty()) {
            return finding(
                    Check.PAIR_GID,
                    source,
                    FAIL,
                    seen,
                    "RoCE addresses peers by GID, and a port has none",
                    "give the network interface of that port an IP address");
        }
        if (!mine.gidType().equals(theirs.gidType())) {
            return finding(
                    Check.PAIR_GID,
                    source,
                    FAIL,
                    seen,
                    "the RoCE versions differ: neither end accepts the other's packets",
                    "choose GIDs of one version: --gid-index, here or there; show_gids or ibv_devinfo -v lists them");
        }
        if (family(mine) != family(theirs)) {
            return finding(
                    Check.PAIR_GID,
                    source,
                    FAIL,
                    seen,
                    "one GID is an IPv4 address and the other an IPv6 address: a packet cannot have both",
                    "give both interfaces an address of one family, or choose GIDs of one family with --gid-index");
        }
        if (isLinkLocal(mine) || isLinkLocal(theirs)) {
            return finding(
                    Check.PAIR_GID,
                    source,
                    WARNING,
                    seen,
                    "a link-local GID reaches only peers on the same Ethernet segment",
                    "give the network interfaces of both machines an IP address");
        }
        return finding(Check.PAIR_GID, source, OK, seen, "", "");
    }

    private static String describe(PeerPort port) {
        return port.gid().isEmpty()
                ? "none"
                : "index " + port.gidIndex() + ", " + port.gidType() + ", "
                        + PeerPort.address(port.gid())
                                .map(address -> address.getHostAddress())
                                .orElse(port.gid())
                        + " (" + port.gidReason() + ")";
    }

    private static int family(PeerPort port) {
        return PeerPort.address(port.gid())
                .map(address -> address.getAddress().length)
                .orElse(0);
    }

    private static boolean isLinkLocal(PeerPort port) {
        return PeerPort.address(port.gid())
                .filter(address -> address.isLinkLocalAddress())
                .isPresent();
    }

    private Finding vlan() {
        String source = "/proc/net/vlan, of the interface behind the GID";
        String seen = values(port -> switch (port.vlan()) {
            case 0 -> "none";
            case -1 -> "not reported";
            default -> Integer.toString(port.vlan());
        });
        int mine = ports.here().vlan();
        int theirs = ports.there().vlan();
        if (mine < 0 || theirs < 0) {
            return finding(
                    Check.PAIR_VLAN,
                    source,
                    UNKNOWN,
                    seen,
                    "ends in different VLANs reach each other only through a router",
                    "compare ip -d link show on both machines");
        }
        return mine == theirs
                ? new Finding(Check.PAIR_VLAN, "", source, OK, seen, "", "")
                : finding(
                        Check.PAIR_VLAN,
                        source,
                        WARNING,
                        seen,
                        "the ends tag packets differently: they reach each other only through a router, or if a"
                                + " switch port adds the tag",
                        "choose GIDs of interfaces in one VLAN: --gid-index, here or there");
    }

    private Finding trafficClass() {
        String source = "/sys/class/infiniband/*/tc/*/traffic_class (MLNX_OFED's mlx5)";
        int mine = ports.here().trafficClass();
        int theirs = ports.there().trafficClass();
        String seen = values(port -> port.trafficClass() < 0 ? "not reported" : Integer.toString(port.trafficClass()));
        if (mine < 0 && theirs < 0) {
            return new Finding(
                    Check.PAIR_CLASS,
                    "",
                    source,
                    OK,
                    "neither machine sets a traffic class for its" + " programs",
                    "",
                    "");
        }
        return mine == theirs
                ? new Finding(Check.PAIR_CLASS, "", source, OK, seen, "", "")
                : finding(
                        Check.PAIR_CLASS,
                        source,
                        WARNING,
                        seen,
                        "switches treat the two directions differently: one may lose packets where the other does not",
                        "write the same tclass=... to the port's traffic_class in sysfs on both machines");
    }

    private String values(Function<PeerPort, String> value) {
        return value.apply(ports.here()) + " here, " + value.apply(ports.there()) + " at " + host;
    }

    private static Finding finding(
            Check check, String source, FindingState state, String seen, String meaning, String remedy) {
        return new Finding(check, "", source, state, seen, meaning, remedy);
    }
}
