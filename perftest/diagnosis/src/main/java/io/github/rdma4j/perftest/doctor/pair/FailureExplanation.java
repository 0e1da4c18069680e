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
            "allow it at both ends: iptables -I INPUT -p udp --dport 4791 -j ACCEPT, or nft add rule inet filter"
                    + " input udp dport 4791 accept";
    private static final String UNKNOWN_STATUS = "this version of rdma4j has no explanation for the status";

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
                advice.remedy.isEmpty() ? "compare the messages that both ends printed" : advice.remedy);
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
                        "data was changed or lost on the way, which the network's checksums should prevent",
                        "run the test again; if it fails again, replace cable and transceiver, and update the"
                                + " adapters' firmware");
            case REFUSED ->
                new Advice(
                        failure.name().equals("ETIMEDOUT") || failure.name().equals("EHOSTUNREACH")
                                ? "the kernel of that end cannot find the other end's GID: it is on another"
                                        + " Ethernet segment or VLAN without a route, or no machine has that"
                                        + " address"
                                : "the cause is on the machine that refused",
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
                        "packets arrive, but the receiving end posted no receive in time; the network is not the"
                                + " cause",
                        "check that the receiving machine is not overloaded, and run the test again");
            case REM_INV_REQ_ERR ->
                new Advice(
                        "the other end received the request and rejected it as invalid: both queue pairs must use"
                                + " the same path MTU, here " + mtu + ", and its device must support the operation",
                        "see pair-mtu and pair-transport above, and compare ibv_devinfo -v on both machines");
            case REM_ACCESS_ERR ->
                new Advice(
                        "the other end refuses access to its memory although the key is right: an adapter or driver"
                                + " has a bug",
                        "update driver and firmware at " + host);
            case WR_FLUSH_ERR ->
                new Advice(
                        "the queue pair had already failed: the other direction shows the cause",
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
                    "packets of this size are lost while smaller ones arrive: a switch, bridge, tunnel or interface"
                            + " on the path has a smaller MTU than the two ports",
                    ports.transport() == Transport.INFINIBAND
                            ? "check the MTU of each link with iblinkinfo, and mtu= of the partition in"
                                    + " partitions.conf"
                            : "give each switch port and interface on the path an MTU of 4200 or more, or the"
                                    + " interfaces at both ends an MTU of 1500; ping -M do -s " + (ip - IP_AND_UDP)
                                    + " "
                                    + address()
                                    + " shows whether such packets pass");
        }
        if (check == Check.LOAD || check == Check.LARGE_MESSAGE) {
            return new Advice(
                    "single packets arrive, but the network loses packets under load",
                    "check PFC and ECN on adapters and switches (rdma4j doctor: flow-control, ecn), then cables");
        }
        return switch (ports.transport()) {
            case ROCE -> lostRoce();
            case INFINIBAND ->
                new Advice(
                        "packets between these ports are lost: the ports are in different partitions or subnets, or"
                                + " the subnet manager has no path",
                        "run sminfo, and ibtracert with the LIDs of both ports; see pair-partition and pair-subnet"
                                + " above");
            case SRD ->
                new Advice(
                        "SRD packets do not arrive, although TCP works: usually a security group blocks them",
                        "let the security group of each instance allow all traffic to and from itself, in and out");
            default ->
                new Advice(
                        "the connection broke",
                        "run ping " + host + "; look at the kernel's log of both machines:" + " dmesg");
        };
    }

    private Advice lostRoce() {
        if (connectedByCm) {
            return new Advice(
                    "the connection by rdma_cm carries data, but packets between these GIDs do not arrive: there is"
                            + " no path between " + ports.here().name() + " (GID index "
                            + ports.here().gidIndex() + ") and " + ports.there().name() + " (GID index "
                            + ports.there().gidIndex() + ")",
                    "choose devices or GIDs that reach each other: --device and --gid-index, here and there"
                            + " (show_gids or ibv_devinfo -v lists them); check the addresses under pair-gid and"
                            + " the route: ip route get");
        }
        return new Advice(
                "RoCE packets do not arrive, although TCP works: a firewall at one end or on the path drops UDP"
                        + " port 4791, the networks of the GIDs have no route, or the ends are in different VLANs",
                LET_ROCE_PASS + "; in a cloud, also allow it in the security group; then see pair-gid and pair-vlan"
                        + " above");
    }

    private Advice ofConnection(Failure failure) {
        String meaning = switch (failure.name()) {
            case "ADDR_ERROR" ->
                "this machine has no RDMA device with a route to this address, or does not find"
                        + " the address on the network";
            case "ROUTE_ERROR" ->
                "this machine has a device for the address, but no path from the device to the" + " other end";
            case "UNREACHABLE" ->
                ports.transport() == Transport.ROCE
                        ? "the request was not answered: a firewall drops UDP port 4791, or the other port is down"
                        : "the request was not answered: the other end's port is down, or its program has ended";
            case "REJECTED", "INVALID_SERVICE_ID" ->
                "the other machine answers, but the program there no longer listens at this address";
            case "DISCONNECTED" -> "the other end closed the connection while it was being established";
            default -> "rdma_cm could not connect the ends";
        };
        String remedy = failure.remedy();
        if (failure.name().equals("UNREACHABLE") && ports.transport() == Transport.ROCE) {
            remedy = LET_ROCE_PASS + "; rdma link shows the ports' states";
        }
        return new Advice(meaning, remedy);
    }
}
