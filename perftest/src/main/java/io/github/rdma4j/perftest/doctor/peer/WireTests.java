// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.pair.ClockOffset;
import io.github.rdma4j.perftest.doctor.pair.CounterGrowth;
import io.github.rdma4j.perftest.doctor.pair.Fields;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.perftest.doctor.peer.Remote.Answer;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.RemoteMemory;
import io.github.rdma4j.verbs.VerbsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** The tests over the wire, in the order in which they would fail. What cannot be tested any more is left out. */
final class WireTests {
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
     * Nothing is tested yet.
     *
     * @param context this end's device
     * @param counters reads the counters of a port
     * @param load how long to write; zero for not at all
     * @param findings receives what is found
     */
    WireTests(
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
     * @return whether the ends can be connected, one way or the other
     */
    boolean run() {
        Transport transport = findings.ports().transport();
        boolean byCm = connects(Check.CM_CONNECTION, connections.byCm(findings), "by rdma_cm");
        if (byCm) {
            findings.connectedByCm();
        }
        boolean byHand = false;
        if (transport == Transport.IWARP) {
            findings.note(
                    Check.RC_CONNECTION,
                    "the transport",
                    "not tried: iWARP connects by rdma_cm alone",
                    "programs need rdma_cm, or endpoints, on these machines",
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
        datagrams(transport, byHand);
        if (pathMtu(transport, byHand)) {
            largeMessage(byHand);
            underLoad(byHand);
        }
        return true;
    }

    /** A connection, and a message each way. */
    private boolean connects(Check check, Optional<Connection> made, String how) {
        if (made.isEmpty()) {
            return false;
        }
        try (Connection connection = made.get()) {
            if (connection.sendThere(check, SHORT, findings) && connection.sendBack(check, SHORT, findings)) {
                findings.ok(check, "", POLL, "connected " + how + ", and a message each way");
                return true;
            }
            return false;
        }
    }

    private Optional<Connection> again(Check check, boolean byHand) {
        if (byHand) {
            return connections.byHand(check, findings.ports().mtu(), findings);
        }
        // What is well with the steps of rdma_cm has been told before.
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

    private boolean write(Connection connection) {
        Check check = Check.RDMA_WRITE;
        RemoteMemory theirs = connection.theirMemory();
        boolean good = connection.good(
                        check,
                        findings.there(),
                        connection.end().write(SHORT, 1, theirs, remote.limits().step()),
                        findings)
                && connection.good(
                        check, findings.there(), remote.order(Order.CHECK, Connection.transfer(SHORT, 1)), findings)
                && connection.good(
                        check, findings.back(), remote.order(Order.WRITE, Connection.transfer(SHORT, 2)), findings)
                && connection.good(check, findings.back(), connection.end().check(SHORT, 2), findings);
        if (good) {
            findings.ok(check, "", POLL, "each way");
        }
        return good;
    }

    private boolean read(Connection connection) {
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
            findings.ok(Check.RDMA_READ, "", POLL, "from " + findings.host());
        }
        return good;
    }

    private void atomics(Connection connection) {
        if (!connection.hasAtomics()) {
            findings.note(
                    Check.ATOMICS,
                    "ibv_query_device",
                    "not tried: a device of the two has no atomic operations",
                    "programs cannot count or lock in the other end's memory",
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
            findings.ok(Check.ATOMICS, "", POLL, "a fetch-and-add at " + findings.host());
        }
    }

    private void datagrams(Transport transport, boolean byHand) {
        if (transport == Transport.IWARP || !byHand) {
            findings.note(
                    Check.DATAGRAMS,
                    "the transport",
                    transport == Transport.IWARP
                            ? "not tried: iWARP has none"
                            : "not tried: queue pairs cannot be connected by hand either",
                    transport == Transport.IWARP ? "programs need connections on these machines" : "",
                    "");
            return;
        }
        try (DatagramEnd mine = new DatagramEnd(context, findings.ports().here())) {
            Answer opened = remote.order(Order.DATAGRAMS_OPEN, WireValues.endpoint(mine.endpoint()));
            if (!opened.isGood()) {
                findings.failedThere(Check.DATAGRAMS, findings.host(), opened.failure(), 0);
                return;
            }
            mine.send(WireValues.endpoint(opened.fields()), remote.limits().step());
            Answer counted = remote.order(Order.DATAGRAMS_COUNT);
            Answer sent = remote.order(Order.DATAGRAMS_SEND);
            if (!counted.isGood() || !sent.isGood()) {
                findings.failedThere(
                        Check.DATAGRAMS, findings.host(), (counted.isGood() ? sent : counted).failure(), 0);
                return;
            }
            int there = counted.fields().integer("count", 0, DatagramEnd.COUNT);
            int back = mine.received(remote.limits().atMost(Duration.ofSeconds(1)));
            remote.order(Order.DATAGRAMS_CLOSE);
            arrived(there, back);
        } catch (VerbsException failure) {
            findings.failedHere(Check.DATAGRAMS, "here", Failures.of(failure), 0);
        }
    }

    private void arrived(int there, int back) {
        String seen = there + " of " + DatagramEnd.COUNT + " arrived at " + findings.host() + ", " + back + " of "
                + DatagramEnd.COUNT + " here";
        if (there == DatagramEnd.COUNT && back == DatagramEnd.COUNT) {
            findings.ok(Check.DATAGRAMS, "", POLL, seen);
        } else if (there == 0 || back == 0) {
            findings.fail(
                    Check.DATAGRAMS,
                    there == 0 ? findings.there() : findings.back(),
                    POLL,
                    seen,
                    "connections work and datagrams do not arrive: a queue key or a filter for datagrams alone",
                    "see the adapter's filters: rdma resource show qp; ethtool -n of the interface");
        } else {
            findings.warning(
                    Check.DATAGRAMS,
                    "",
                    POLL,
                    seen,
                    "datagrams are lost: the network drops packets, which connections only repair",
                    "see PFC and ECN on adapters and switches (rdma4j doctor: flow-control, ecn), then cables");
        }
    }

    /** Messages of several packets at each path MTU. Says whether packets of full size pass, as far as is known. */
    private boolean pathMtu(Transport transport, boolean byHand) {
        if (!byHand) {
            if (transport == Transport.IWARP) {
                findings.note(Check.PATH_MTU, "the transport", "not tried: of iWARP, TCP finds it by itself", "", "");
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
                int length = 3 * mtu + 1;
                if (!connection.sendThere(Check.PATH_MTU, length, findings)
                        || !connection.sendBack(Check.PATH_MTU, length, findings)) {
                    return false;
                }
                passed.add(Integer.toString(mtu));
            }
        }
        findings.ok(Check.PATH_MTU, "", POLL, String.join(", ", passed) + " bytes pass, both ways");
        return true;
    }

    private void largeMessage(boolean byHand) {
        again(Check.LARGE_MESSAGE, byHand).ifPresent(made -> {
            try (Connection connection = made) {
                if (connection.sendThere(Check.LARGE_MESSAGE, RcEnd.ROOM, findings)
                        && connection.sendBack(Check.LARGE_MESSAGE, RcEnd.ROOM, findings)) {
                    findings.ok(Check.LARGE_MESSAGE, "", POLL, "1 MiB each way, and its content is right");
                }
            }
        });
    }

    private void underLoad(boolean byHand) {
        if (load.isZero()) {
            return;
        }
        Optional<Connection> made = again(Check.LOAD, byHand);
        if (made.isEmpty()) {
            return;
        }
        try (Connection connection = made.get()) {
            PeerPort mine = findings.ports().here();
            Map<String, Long> hereBefore = counters.apply(mine);
            Map<String, Long> thereBefore = read(remote.order(Order.COUNTERS));
            RcEnd.Load result = connection
                    .end()
                    .load(
                            connection.theirMemory(),
                            remote.limits().atMost(load),
                            remote.limits().step());
            Map<String, Long> hereAfter = counters.apply(mine);
            Map<String, Long> thereAfter = read(remote.order(Order.COUNTERS));
            if (result.failure().isPresent()) {
                findings.failedHere(
                        Check.LOAD, findings.there(), result.failure().get(), connection.mtu());
            } else {
                findings.ok(
                        Check.LOAD,
                        findings.there(),
                        POLL,
                        String.format(
                                Locale.ROOT,
                                "%,d writes of 64 KiB in %s: %.2f Gb/s",
                                result.messages(),
                                ClockOffset.words(result.nanoseconds()),
                                result.bytes() * 8.0 / result.nanoseconds()));
            }
            findings.add(CounterGrowth.finding(
                    "here: " + mine.name(),
                    hereAfter.size(),
                    CounterGrowth.between(hereBefore, hereAfter),
                    result.messages()));
            findings.add(CounterGrowth.finding(
                    findings.host() + ": " + findings.ports().there().name(),
                    thereAfter.size(),
                    CounterGrowth.between(thereBefore, thereAfter),
                    result.messages()));
        }
    }

    private static Map<String, Long> read(Answer answer) {
        Map<String, Long> counters = new HashMap<>();
        Fields fields = answer.fields();
        int count = fields.integer("counters", 0, PortCounters.MOST);
        for (int i = 0; i < count; i++) {
            counters.put(
                    fields.text("counter." + i + ".name"), fields.number("counter." + i + ".value", 0, Long.MAX_VALUE));
        }
        return counters;
    }
}
