// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.RemoteMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The tests over the wire, ordered so that the first failure is the basic one. Tests that a failure makes impossible
 * are skipped.
 */
final class WireProbes {
    private static final int SHORT = 64;
    private static final int NUMBER = 41;
    private static final String POLL = "ibv_poll_cq";

    private final Remote remote;
    private final Connections connections;
    private final DeviceContext context;
    private final Function<PeerPort, Map<String, Long>> counters;
    private final Duration load;
    private final Findings findings;

    /**
     * Creates the tests without running them.
     *
     * @param context this end's device
     * @param counters reads the counters of a port
     * @param load how long to write; zero to skip the load test
     * @param findings receives the findings
     */
    WireProbes(
            Remote remote,
            Connections connections,
            DeviceContext context,
            Function<PeerPort, Map<String, Long>> counters,
            Duration load,
            Findings findings) {
        this.remote = remote;
        this.connections = connections;
        this.context = context;
        this.counters = counters;
        this.load = load;
        this.findings = findings;
    }

    /**
     * Tests.
     *
     * @return whether the ends can be connected, by rdma_cm or without it
     */
    boolean run() {
        Transport transport = findings.ports().transport();
        if (transport == Transport.SRD) {
            return srd();
        }
        boolean byCm = connects(Check.CM_CONNECTION, connections.byCm(findings), "by rdma_cm");
        if (byCm) {
            findings.connectedByCm();
        }
        boolean byHand = false;
        if (transport == Transport.IWARP) {
            findings.note(
                    Check.RC_CONNECTION,
                    "the transport",
                    "not tested: iWARP connects only by rdma_cm",
                    "programs must use rdma_cm or endpoints on these machines",
                    "");
        } else {
            byHand = connects(
                    Check.RC_CONNECTION,
                    connections.byHand(Check.RC_CONNECTION, findings.ports().mtu(), findings),
                    "by queue pair numbers and GIDs");
        }
        if (!byCm && !byHand) {
            return false;
        }
        oneSided(byHand);
        new DatagramProbe(remote, context, findings).run(transport, byHand);
        if (pathMtu(transport, byHand)) {
            largeMessage(byHand);
            if (!load.isZero()) {
                again(Check.LOAD, byHand).ifPresent(made -> new LoadProbe(remote, counters, findings).run(made, load));
            }
        }
        return true;
    }

    /** EFA has no connections, its sends are short, and its packets have one size. */
    private boolean srd() {
        if (!connects(
                Check.SRD,
                connections.byHand(Check.SRD, findings.ports().mtu(), findings),
                "by an address handle at each end")) {
            return false;
        }
        oneSided(true);
        if (!load.isZero()) {
            again(Check.LOAD, true).ifPresent(made -> {
                if (made.hasWrites()) {
                    new LoadProbe(remote, counters, findings).run(made, load);
                } else {
                    made.close();
                }
            });
        }
        return true;
    }

    /** Tests a connection, and a message in each direction. */
    private boolean connects(Check check, Optional<Connection> made, String how) {
        if (made.isEmpty()) {
            return false;
        }
        try (Connection connection = made.get()) {
            if (connection.sendThere(check, SHORT, findings) && connection.sendBack(check, SHORT, findings)) {
                findings.ok(check, "", POLL, "connected " + how + ", and a message arrived each way");
                return true;
            }
            return false;
        }
    }

    private Optional<Connection> again(Check check, boolean byHand) {
        if (byHand) {
            return connections.byHand(check, findings.ports().mtu(), findings);
        }
        // The successful steps of rdma_cm have been reported before.
        Findings steps = new Findings(findings.ports(), findings.host());
        Optional<Connection> made = connections.byCm(steps);
        steps.all().stream().filter(Finding::isTrouble).forEach(findings::add);
        return made;
    }

    /** Short ones: whether long packets pass is found out later. */
    private void oneSided(boolean byHand) {
        again(Check.RDMA_WRITE, byHand).ifPresent(made -> {
            try (Connection connection = made) {
                boolean alive = write(connection) && read(connection);
                if (alive) {
                    atomics(connection);
                }
            }
        });
    }

    /** Tests writes in each direction. A failure becomes a finding. */
    private boolean writes(Connection connection, Check check, int length) {
        RemoteMemory theirs = connection.theirMemory();
        return connection.good(
                        check,
                        findings.there(),
                        connection
                                .end()
                                .write(length, 1, theirs, remote.limits().step()),
                        findings)
                && connection.good(
                        check, findings.there(), remote.order(Order.CHECK, Connection.transfer(length, 1)), findings)
                && connection.good(
                        check, findings.back(), remote.order(Order.WRITE, Connection.transfer(length, 2)), findings)
                && connection.good(check, findings.back(), connection.end().check(length, 2), findings);
    }

    private boolean write(Connection connection) {
        if (!connection.hasWrites()) {
            return notTried(Check.RDMA_WRITE, "RDMA writes");
        }
        boolean good = writes(connection, Check.RDMA_WRITE, SHORT);
        if (good) {
            findings.ok(Check.RDMA_WRITE, "", POLL, "data arrived in both directions");
        }
        return good;
    }

    /** Returns true, because the connection is as good as before. */
    private boolean notTried(Check check, String operations) {
        findings.note(
                check,
                "efadv_query_device",
                "not tested: one of the two devices has no " + operations,
                "programs must use sends instead",
                "");
        return true;
    }

    private boolean read(Connection connection) {
        if (!connection.hasReads()) {
            return notTried(Check.RDMA_READ, "RDMA reads");
        }
        boolean good = connection.good(
                        Check.RDMA_READ,
                        findings.back(),
                        remote.order(Order.FILL, Connection.transfer(SHORT, 3)),
                        findings)
                && connection.good(
                        Check.RDMA_READ,
                        findings.back(),
                        connection
                                .end()
                                .read(
                                        SHORT,
                                        3,
                                        connection.theirMemory(),
                                        remote.limits().step()),
                        findings);
        if (good) {
            findings.ok(Check.RDMA_READ, "", POLL, "data arrived from " + findings.host());
        }
        return good;
    }

    private void atomics(Connection connection) {
        if (!connection.hasAtomics()) {
            findings.note(
                    Check.ATOMICS,
                    "ibv_query_device",
                    "not tested: one of the two devices has no atomic operations",
                    "programs cannot use counters or locks in the other end's memory",
                    "");
            return;
        }
        boolean good = connection.good(
                        Check.ATOMICS,
                        findings.there(),
                        remote.order(Order.NUMBER, new Fields().with("value", NUMBER)),
                        findings)
                && connection.good(
                        Check.ATOMICS,
                        findings.there(),
                        connection
                                .end()
                                .add(
                                        NUMBER,
                                        connection.theirMemory(),
                                        remote.limits().step()),
                        findings);
        if (good) {
            findings.ok(Check.ATOMICS, "", POLL, "a fetch-and-add worked at " + findings.host());
        }
    }

    /**
     * Tests writes of several packets at each path MTU. Returns whether packets of full size arrive, as far as is
     * known.
     */
    private boolean pathMtu(Transport transport, boolean byHand) {
        if (!byHand) {
            if (transport == Transport.IWARP) {
                findings.note(
                        Check.PATH_MTU, "the transport", "not tested: with iWARP, TCP determines the path MTU", "", "");
            }
            return true;
        }
        List<String> passed = new ArrayList<>();
        for (int mtu = 256; mtu <= findings.ports().mtu(); mtu *= 2) {
            Optional<Connection> made = connections.byHand(Check.PATH_MTU, mtu, findings);
            if (made.isEmpty()) {
                return false;
            }
            try (Connection connection = made.get()) {
                // Three full packets and one of a byte. Receivers check the length of each packet of a write, but not
                // always of a send.
                if (!writes(connection, Check.PATH_MTU, 3 * mtu + 1)) {
                    return false;
                }
                passed.add(Integer.toString(mtu));
            }
        }
        findings.ok(Check.PATH_MTU, "", POLL, String.join(", ", passed) + " bytes arrive in both directions");
        return true;
    }

    private void largeMessage(boolean byHand) {
        again(Check.LARGE_MESSAGE, byHand).ifPresent(made -> {
            try (Connection connection = made) {
                if (connection.sendThere(Check.LARGE_MESSAGE, WireEnd.ROOM, findings)
                        && connection.sendBack(Check.LARGE_MESSAGE, WireEnd.ROOM, findings)) {
                    findings.ok(Check.LARGE_MESSAGE, "", POLL, "1 MiB arrived each way, with the right content");
                }
            }
        });
    }
}
