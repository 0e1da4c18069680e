// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Compares the readings of two machines. A difference that breaks or slows the connection becomes a finding with both
 * values.
 */
public final class Comparison {
    private static final String EXCHANGED = "what each end reported about its machine";
    private static final int MEMBERSHIP = 0x8000;
    private static final int FULL_KEY = 0x7fff;
    /** Characters of a GID that are its subnet prefix. */
    private static final int PREFIX = 19;

    private final PeerMachine here;
    private final PeerMachine there;
    private final String host;

    /**
     * A comparison.
     *
     * @param here this end
     * @param there the other end
     * @param host the other end, as the user calls it
     */
    public Comparison(PeerMachine here, PeerMachine there, String host) {
        this.here = here;
        this.there = there;
        this.host = host;
    }

    /** Compares the machines. */
    public List<Finding> machines() {
        List<Finding> findings = new ArrayList<>();
        findings.add(
                here.rdma4j().equals(there.rdma4j())
                        ? ok(Check.PEER_VERSION, "both ends run rdma4j " + here.rdma4j())
                        : new Finding(
                                Check.PEER_VERSION,
                                "",
                                EXCHANGED,
                                FindingState.WARNING,
                                both(here.rdma4j(), there.rdma4j()),
                                "the versions differ, so one end may lack a feature that the other uses",
                                "install the same version on both machines"));
        findings.add(health("here", here));
        findings.add(health(host, there));
        return findings;
    }

    private static Finding health(String where, PeerMachine machine) {
        String source = "rdma4j doctor";
        return machine.failures().isEmpty()
                ? new Finding(
                        Check.PEER_HEALTH,
                        where,
                        source,
                        FindingState.OK,
                        "doctor finds nothing broken on that machine",
                        "",
                        "")
                : new Finding(
                        Check.PEER_HEALTH,
                        where,
                        source,
                        FindingState.WARNING,
                        machine.failures().getFirst()
                                + (machine.failures().size() > 1
                                        ? ", and " + (machine.failures().size() - 1) + " more"
                                        : ""),
                        "something is broken on that machine, regardless of the peer",
                        "run rdma4j doctor on that machine to see all problems");
    }

    /** Compares the two ports. */
    public List<Finding> ports(PortPair ports) {
        List<Finding> findings = new ArrayList<>();
        findings.add(port("here", ports.here()));
        findings.add(port(host, ports.there()));
        findings.add(transport(ports));
        if (ports.here().transport() != ports.there().transport()) {
            return findings;
        }
        findings.add(mtu(ports));
        if (ports.transport() == Transport.ROCE) {
            findings.addAll(new RoceComparison(ports, host).findings());
        }
        if (ports.transport() == Transport.INFINIBAND) {
            findings.add(partition(ports));
            findings.add(subnet(ports));
        }
        return findings;
    }

    private static Finding port(String where, PeerPort port) {
        String subject = where + ": " + port.name();
        String seen = port.state() + ", " + port.transport()
                + (port.networkInterface().isEmpty() ? "" : " on " + port.networkInterface());
        return port.usable()
                ? new Finding(Check.PAIR_PORT, subject, EXCHANGED, FindingState.OK, seen, "", "")
                : new Finding(
                        Check.PAIR_PORT,
                        subject,
                        EXCHANGED,
                        FindingState.FAIL,
                        port.state().isEmpty() ? "its state cannot be read" : seen,
                        port.state().equals("ACTIVE")
                                ? "the port is up, but has no GID or cannot be opened"
                                : "only an active port carries data",
                        "run rdma4j doctor on that machine to see why"
                                + (port.networkInterface().isEmpty()
                                        ? ""
                                        : "; try ip link set " + port.networkInterface() + " up"));
    }

    private Finding transport(PortPair ports) {
        String mine = ports.here().transport().toString();
        String theirs = ports.there().transport().toString();
        return mine.equals(theirs)
                ? ok(Check.PAIR_TRANSPORT, "both ports use " + mine)
                : new Finding(
                        Check.PAIR_TRANSPORT,
                        "",
                        EXCHANGED,
                        FindingState.FAIL,
                        both(mine, theirs),
                        "ports with different transports cannot communicate",
                        "choose devices with the same transport: --device, here or there");
    }

    private Finding mtu(PortPair ports) {
        int mine = ports.here().mtu();
        int theirs = ports.there().mtu();
        if (ports.mtu() == 0) {
            return new Finding(
                    Check.PAIR_MTU,
                    "",
                    "ibv_query_port",
                    FindingState.UNKNOWN,
                    both(size(mine), size(theirs)),
                    "a port that is down has no MTU",
                    "fix the port first");
        }
        if (mine == theirs) {
            return new Finding(
                    Check.PAIR_MTU,
                    "",
                    "ibv_query_port",
                    FindingState.OK,
                    "both " + size(mine) + interfaces(ports),
                    "",
                    "");
        }
        PeerPort smaller = mine < theirs ? ports.here() : ports.there();
        PeerPort larger = mine < theirs ? ports.there() : ports.here();
        return new Finding(
                Check.PAIR_MTU,
                "",
                "ibv_query_port",
                FindingState.WARNING,
                both(size(mine), size(theirs)) + interfaces(ports),
                "programs that do not agree on the smaller MTU fail with RETRY_EXC_ERR or REM_INV_REQ_ERR; programs"
                        + " that agree have more headers and less bandwidth",
                ports.transport() == Transport.INFINIBAND
                        ? "set mtu=5 for the partition in the subnet manager's partitions.conf"
                        : (mine < theirs ? "here: " : "at " + host + ": ")
                                + (smaller.networkInterface().isEmpty()
                                        ? "raise the MTU of the port's network interface to "
                                        : "ip link set " + smaller.networkInterface() + " mtu ")
                                + (larger.interfaceMtu() > 0 ? larger.interfaceMtu() : 4200)
                                + ", and do the same on every switch on the path");
    }

    private static String interfaces(PortPair ports) {
        int mine = ports.here().interfaceMtu();
        int theirs = ports.there().interfaceMtu();
        return mine == 0 || theirs == 0 ? "" : " (interfaces: " + mine + " here, " + theirs + " there)";
    }

    private static String size(int mtu) {
        return mtu == 0 ? "not reported" : mtu + " bytes";
    }

    private Finding partition(PortPair ports) {
        String source = "/sys/class/infiniband/*/ports/*/pkeys";
        String seen = values(
                ports,
                port -> port.partitionKeys().isEmpty() ? "not reported" : String.join(" ", port.partitionKeys()));
        if (ports.here().partitionKeys().isEmpty()
                || ports.there().partitionKeys().isEmpty()) {
            return finding(
                    Check.PAIR_PARTITION,
                    source,
                    FindingState.UNKNOWN,
                    seen,
                    "ports that share no partition cannot reach each other",
                    "compare smpquery pkeys LID of both ports");
        }
        boolean shared = ports.here().partitionKeys().stream()
                .anyMatch(mine -> ports.there().partitionKeys().stream().anyMatch(theirs -> match(mine, theirs)));
        return shared
                ? new Finding(Check.PAIR_PARTITION, "", source, FindingState.OK, seen, "", "")
                : finding(
                        Check.PAIR_PARTITION,
                        source,
                        FindingState.FAIL,
                        seen,
                        "the ports share no partition, or are both limited members of it: packets are dropped",
                        "make one of them a full member, in the subnet manager's partitions.conf");
    }

    /** Two keys match if they belong to one partition and at least one has full membership. */
    private static boolean match(String mine, String theirs) {
        try {
            int one = Integer.decode(mine);
            int other = Integer.decode(theirs);
            return (one & FULL_KEY) == (other & FULL_KEY) && ((one | other) & MEMBERSHIP) != 0;
        } catch (NumberFormatException _) {
            return false;
        }
    }

    private Finding subnet(PortPair ports) {
        String source = "/sys/class/infiniband/*/ports/*/gids/0";
        String seen = values(
                ports,
                port -> port.gid().length() < PREFIX
                        ? "not reported"
                        : port.gid().substring(0, PREFIX));
        if (ports.here().gid().length() < PREFIX || ports.there().gid().length() < PREFIX) {
            return finding(
                    Check.PAIR_SUBNET,
                    source,
                    FindingState.UNKNOWN,
                    seen,
                    "ports of different subnets need a router and a global route",
                    "compare ibaddr on both machines");
        }
        return ports.here().gid().regionMatches(0, ports.there().gid(), 0, PREFIX)
                ? new Finding(Check.PAIR_SUBNET, "", source, FindingState.OK, seen, "", "")
                : finding(
                        Check.PAIR_SUBNET,
                        source,
                        FindingState.FAIL,
                        seen,
                        "the ports are on different subnets: packets need a router and a global route",
                        "connect ports of one subnet with --device, or set the same subnet_prefix in opensm.conf");
    }

    /** Checks the offset between the clocks. */
    public static Finding clock(ClockOffset offset) {
        String source = "the exchange over TCP";
        return offset.isApart()
                ? new Finding(
                        Check.PAIR_CLOCK,
                        "",
                        source,
                        FindingState.NOTE,
                        offset.toString(),
                        "times in the logs of the two machines cannot be compared",
                        "synchronize the clocks; chronyc tracking or timedatectl shows their state on each machine")
                : new Finding(Check.PAIR_CLOCK, "", source, FindingState.OK, offset.toString(), "", "");
    }

    private String values(PortPair ports, Function<PeerPort, String> value) {
        return both(value.apply(ports.here()), value.apply(ports.there()));
    }

    private String both(String mine, String theirs) {
        return String.format(Locale.ROOT, "%s here, %s at %s", mine, theirs, host);
    }

    private static Finding ok(Check check, String seen) {
        return new Finding(check, "", EXCHANGED, FindingState.OK, seen, "", "");
    }

    private static Finding finding(
            Check check, String source, FindingState state, String seen, String meaning, String remedy) {
        return new Finding(check, "", source, state, seen, meaning, remedy);
    }
}
