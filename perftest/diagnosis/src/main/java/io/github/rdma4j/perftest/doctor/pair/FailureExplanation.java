// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.verbs.EfaCompletionStatus;
import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.Optional;

/** Explains a failed test between two ports, and how to fix it. */
public final class FailureExplanation {
    private static final int IP_AND_UDP = 28;
    private static final int ROCE_HEADERS = 58;

    private static final String LET_ROCE_PASS =
            "at both ends: iptables -I INPUT -p udp --dport 4791 -j ACCEPT, or nft add rule inet filter input udp dport"
                    + " 4791 accept";
    private static final String UNKNOWN_STATUS = "a status that this version does not know";

    private final PortPair ports;
    private final String host;
    private final boolean connectedByCm;

    /**
     * Explains failures of one pair.
     *
     * @param ports that were tested
     * @param host the other end, as the user calls it
     * @param connectedByCm whether rdma_cm has connected the ends
     */
    public FailureExplanation(PortPair ports, String host, boolean connectedByCm) {
        this.ports = ports;
        this.host = host;
        this.connectedByCm = connectedByCm;
    }

    /**
     * A finding.
     *
     * @param check that failed
     * @param subject of it, such as the direction
     * @param failure how
     * @param mtu the path MTU of the packets in bytes
     * @param before text to print before the failure; may be empty
     */
    public Finding finding(Check check, String subject, Failure failure, int mtu, String before) {
        Advice advice = advice(check, failure, mtu);
        return new Finding(
                check,
                subject,
                source(failure),
                FindingState.FAIL,
                before + failure.text(),
                advice.meaning,
                advice.remedy.isEmpty() ? "read what both ends printed" : advice.remedy);
    }

    private record Advice(String meaning, String remedy) {}

    private static String source(Failure failure) {
        return switch (failure.kind()) {
            case STATUS -> "ibv_poll_cq: IBV_WC_" + failure.name();
            case EFA -> "ibv_poll_cq: EFA_IO_COMP_STATUS_" + failure.name();
            case SILENCE -> "ibv_poll_cq";
            case CONTENT -> "the memory that was written";
            case REFUSED -> "libibverbs" + (failure.name().isEmpty() ? "" : ": " + failure.name());
            case CONNECTION -> "librdmacm" + (failure.name().isEmpty() ? "" : ": " + failure.name());
        };
    }

    private Advice advice(Check check, Failure failure, int mtu) {
        return switch (failure.kind()) {
            case STATUS -> ofStatus(check, failure, mtu);
            case EFA ->
                Arrays.stream(EfaCompletionStatus.values())
                        .filter(each -> each.name().equals(failure.name()))
                        .findFirst()
                        .map(status -> new Advice(status.usualCause(), status.remedy()))
                        .orElseGet(() -> new Advice(UNKNOWN_STATUS, failure.remedy()));
            case SILENCE -> lost(check, mtu);
            case CONTENT ->
                new Advice(
                        "data was changed or left out on its way: the network's checksums should not let that happen",
                        "run it again; if it stays, change cable, transceiver and firmware of the adapters");
            case REFUSED ->
                new Advice(
                        failure.name().equals("ETIMEDOUT") || failure.name().equals("EHOSTUNREACH")
                                ? "the kernel of that end finds no neighbour with the other end's GID: another Ethernet"
                                        + " segment or VLAN without a route, or an address that nobody has"
                                : "the end that refused has what is wrong",
                        failure.remedy());
            case CONNECTION -> ofConnection(failure);
        };
    }

    private Advice ofStatus(Check check, Failure failure, int mtu) {
        Optional<WorkCompletionStatus> status = Arrays.stream(WorkCompletionStatus.values())
                .filter(each -> each.name().equals(failure.name()))
                .findFirst();
        if (status.isEmpty()) {
            return new Advice(UNKNOWN_STATUS, failure.remedy());
        }
        return switch (status.get()) {
            // No acknowledgement or no response: both indicate the same problem on the path.
            case RETRY_EXC_ERR, RESP_TIMEOUT_ERR -> lost(check, mtu);
            case RNR_RETRY_EXC_ERR ->
                new Advice(
                        "packets arrive, and the receiving end had no receive posted in time: no fault of the network",
                        "see that the machine there is not overloaded, and run it again");
            case REM_INV_REQ_ERR ->
                new Advice(
                        "the other end got the request and calls it invalid: both queue pairs must have one path MTU,"
                                + " here " + mtu + ", and its device the operation",
                        "see pair-mtu and pair-transport above; ibv_devinfo -v on both machines");
            case REM_ACCESS_ERR ->
                new Advice(
                        "the other end refuses access to its memory: an adapter or a driver that mixes keys up",
                        "update driver and firmware at " + host);
            case WR_FLUSH_ERR ->
                new Advice(
                        "the queue pair had failed before: the other direction has the cause",
                        "fix the other direction first");
            default -> new Advice(status.get().usualCause(), status.get().remedy());
        };
    }

    /** Returns the address that receives RDMA packets, which may be in another network than the host name's address. */
    private String address() {
        return PeerPort.address(ports.there().gid())
                .map(InetAddress::getHostAddress)
                .orElse(host);
    }

    /** Packets, or their acknowledgements, do not arrive. */
    private Advice lost(Check check, int mtu) {
        if (check == Check.PATH_MTU) {
            int ip = mtu + ROCE_HEADERS;
            return new Advice(
                    "packets of this size are lost and smaller ones arrive: a switch, a bridge, a tunnel or an"
                            + " interface between the ends takes shorter frames than both ports believe",
                    ports.transport() == Transport.INFINIBAND
                            ? "see the MTU of each link: iblinkinfo, and mtu= of the partition in partitions.conf"
                            : "give each switch port and interface on the way an MTU of 4200 or more, or the"
                                    + " interfaces at both ends one of 1500; ping -M do -s " + (ip - IP_AND_UDP) + " "
                                    + address()
                                    + " shows whether such frames pass");
        }
        if (check == Check.LOAD || check == Check.LARGE_MESSAGE) {
            return new Advice(
                    "single packets arrive and many do not: the network loses packets under load",
                    "see PFC and ECN on adapters and switches (rdma4j doctor: flow-control, ecn), then cables");
        }
        return switch (ports.transport()) {
            case ROCE -> lostRoce();
            case INFINIBAND ->
                new Advice(
                        "packets between these ports are lost: another partition, another subnet, or a subnet manager"
                                + " that has no path",
                        "sminfo; ibtracert " + "LID LID of both; see pair-partition and pair-subnet above");
            case SRD ->
                new Advice(
                        "packets of SRD do not arrive, though TCP does: usually a security group blocks them",
                        "see that the security group of each instance allows all traffic to and from itself, in and out");
            default ->
                new Advice("the connection broke", "ping " + host + "; see the kernel's log of both machines: dmesg");
        };
    }

    private Advice lostRoce() {
        if (connectedByCm) {
            return new Advice(
                    "the connection by rdma_cm carries data, and packets between these GIDs do not arrive: there is no"
                            + " way between " + ports.here().name() + " (GID index "
                            + ports.here().gidIndex() + ") and " + ports.there().name() + " (GID index "
                            + ports.there().gidIndex() + ")",
                    "choose a device or GID that reaches the other one: --device and --gid-index, here and there"
                            + " (show_gids or ibv_devinfo -v list them); see the addresses under pair-gid and the"
                            + " route: ip route get");
        }
        return new Advice(
                "packets of RoCE do not arrive, though TCP does: a firewall drops UDP port 4791 at one end or between,"
                        + " the GIDs are on networks without a route, or another VLAN is needed",
                LET_ROCE_PASS + "; also in the security group of a cloud; then see pair-gid and pair-vlan above");
    }

    private Advice ofConnection(Failure failure) {
        String meaning = switch (failure.name()) {
            case "ADDR_ERROR" -> "no RDMA device of this machine, or no neighbour, is known for this address";
            case "ROUTE_ERROR" -> "there is a device for the address, and no way from it to the other end";
            case "UNREACHABLE" ->
                ports.transport() == Transport.ROCE
                        ? "the request was not answered: a firewall drops UDP port 4791, or the other end's port is down"
                        : "the request was not answered: the other end's port is down, or nothing runs there any more";
            case "REJECTED", "INVALID_SERVICE_ID" ->
                "the other machine answers, and the program there does not listen at this address any more";
            case "DISCONNECTED" -> "the other end ended the connection while it was made";
            default -> "the ends could not be connected by rdma_cm";
        };
        String remedy = failure.remedy();
        if (failure.name().equals("UNREACHABLE") && ports.transport() == Transport.ROCE) {
            remedy = LET_ROCE_PASS + "; rdma link shows the ports' states";
        }
        return new Advice(meaning, remedy);
    }
}
