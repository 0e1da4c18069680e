// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.pair.ClockOffset;
import io.github.rdma4j.perftest.doctor.pair.Comparison;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.doctor.pair.PortPair;
import io.github.rdma4j.perftest.exit.ConnectFailure;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The testing end: connects to the other end over TCP, compares the machines, and tests the traffic. It always ends
 * within its timeout with findings, and closes everything that it has opened.
 */
public final class PeerClient {
    private static final int QUESTIONS = 8;

    /** A doctor sends its first message at once. Another program on that port may never send one. */
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(5);

    private final PeerEnd me;
    private final PeerAddress address;
    private final Limits limits;
    private final Duration whole;
    private final Duration load;
    private final List<Finding> findings = new ArrayList<>();
    private Optional<PeerMachine> there = Optional.empty();
    private boolean connected;

    private PeerClient(PeerEnd me, PeerAddress address, Duration whole, Duration load) {
        this.me = me;
        this.address = address;
        this.whole = whole;
        this.limits = new Limits(whole);
        this.load = load;
    }

    /**
     * Tests.
     *
     * @param me this end
     * @param address of the other one
     * @param whole how long all of it may take
     * @param load how long to write; zero for not at all
     */
    public static PeerReport test(PeerEnd me, PeerAddress address, Duration whole, Duration load) {
        PeerClient client = new PeerClient(me, address, whole, load);
        client.connect();
        return new PeerReport(
                PeerReport.Role.CLIENT,
                address.toString(),
                me.machine(),
                client.there,
                client.findings,
                PeerReport.outcome(client.findings, client.connected));
    }

    private void connect() {
        try (Socket socket = address.connect(limits.step())) {
            try (Line line = new Line(Protocol.DOCTOR, socket)) {
                speak(line);
            }
        } catch (IOException failure) {
            unreachable(failure);
        }
    }

    private void unreachable(IOException failure) {
        String start = "on that machine, run rdma4j doctor --serve --port " + address.port();
        ConnectFailure kind = ConnectFailure.of(failure);
        String remedy = kind.remedy(address.host());
        fail(
                Check.PEER_TCP,
                address.toString(),
                switch (kind) {
                    case NOBODY_LISTENS -> "no program accepts connections there (" + failure.getMessage() + ")";
                    case NO_ANSWER -> "no answer within " + Limits.STEP.toSeconds() + " s";
                    case NO_ADDRESS -> "no address is known for the name " + address.host();
                    default -> failure.getMessage();
                },
                switch (kind) {
                    case NOBODY_LISTENS -> "the machine answers, but no doctor listens on this port";
                    case NO_ROUTE ->
                        "this machine has no route to " + address.host() + ": an interface is down, or a route is"
                                + " missing or rejects the address";
                    case UNREACHABLE ->
                        "no machine answers for this address on its network, this machine's network interface has"
                                + " lost its link, or a router or firewall refuses the connection";
                    case NO_INTERFACE ->
                        "a link-local address needs the interface of this machine that leads to the peer";
                    case NO_ADDRESS -> "the name is wrong, or the name service has no entry for it";
                    default -> "the machine is down, its address is wrong, or a firewall drops TCP to this port";
                },
                switch (kind) {
                    case NOBODY_LISTENS -> start;
                    case NO_ROUTE, UNREACHABLE, NO_INTERFACE -> remedy;
                    case NO_ADDRESS ->
                        "give --peer the IP address, or check /etc/hosts and resolvectl query " + address.host();
                    default -> "run ping " + address.host() + "; allow TCP port " + address.port() + "; " + start;
                });
    }

    private void speak(Line line) {
        try {
            if (!handshake(line)) {
                return;
            }
        } catch (PeerLostException | BadMessageException failure) {
            wrongProgram(failure.getMessage());
            return;
        }
        Remote remote = new Remote(line, limits);
        try {
            converse(line, remote);
            line.send(new Message(
                    Message.Kind.BYE,
                    new Fields().with("outcome", outcome().name()).with("trouble", trouble())));
        } catch (PeerLostException failure) {
            peerLost(failure.getMessage() + last(remote));
        } catch (BadMessageException failure) {
            fail(
                    Check.PEER_TCP,
                    address.toString(),
                    failure.getMessage() + last(remote),
                    "the other end violates the protocol",
                    failure.remedy());
            bye(line, failure.getMessage());
        }
    }

    private static String last(Remote remote) {
        return remote.last().isEmpty() ? "" : "; the last request to it was " + remote.last();
    }

    private static void bye(Line line, String reason) {
        try {
            line.send(new Message(Message.Kind.BYE, new Fields().with("reason", reason)));
        } catch (PeerLostException _) {
            // The other end has already gone.
        }
    }

    private Outcome outcome() {
        return PeerReport.outcome(findings, connected);
    }

    private long trouble() {
        return findings.stream().filter(Finding::isTrouble).count();
    }

    private void wrongProgram(String what) {
        fail(
                Check.PEER_TCP,
                address.toString(),
                "a program accepts connections there; " + what,
                "another program listens on this port, or a doctor that already serves another peer",
                "find the program on that machine with ss -ltnp 'sport = " + address.port()
                        + "', or run rdma4j doctor --serve --port N there with a free port, and here give --peer "
                        + address.host()
                        + ":N");
    }

    private void peerLost(String what) {
        fail(
                Check.PEER_TCP,
                address.toString(),
                what,
                "the other end disappeared: its doctor was ended, or its machine is down",
                "read what the other end printed, and start both ends again");
        connected = false;
    }

    private boolean handshake(Line line) {
        line.send(new Message(
                Message.Kind.HELLO,
                new Fields().with("rdma4j", me.machine().rdma4j()).with("seconds", whole.toSeconds())));
        Message hello = line.receive(limits.atMost(HANDSHAKE_TIMEOUT));
        if (hello.version() == Message.VERSION && hello.kind() == Message.Kind.HELLO) {
            return true;
        }
        fail(
                Check.PEER_VERSION,
                address.toString(),
                "protocol " + Message.VERSION + " of rdma4j " + me.machine().rdma4j() + " here, protocol "
                        + hello.version() + " of rdma4j " + hello.fields().text("rdma4j", "?") + " there",
                "the two doctors use different protocols",
                "install the same version on both machines");
        return false;
    }

    private void converse(Line line, Remote remote) {
        line.send(new Message(Message.Kind.MACHINE, me.machine().fields()));
        Message received = line.receive(limits.atMost(Limits.STEP.multipliedBy(3)));
        if (received.kind() != Message.Kind.MACHINE) {
            throw new BadMessageException(
                    "the other end sent " + received.kind() + " instead of a description of its machine");
        }
        PeerMachine theirs = PeerMachine.of(received.fields());
        there = Optional.of(theirs);
        Comparison comparison = new Comparison(me.machine(), theirs, address.host());
        findings.addAll(comparison.machines());
        clock(remote);
        Optional<PortPair> ports = PortPair.choose(me.machine(), theirs, line.localAddress(), line.remoteAddress());
        if (ports.isEmpty()) {
            boolean mine = me.machine().ports().isEmpty();
            fail(
                    Check.PAIR_PORT,
                    mine ? "here" : address.host(),
                    "there is no RDMA port",
                    "both machines need an RDMA port, and --device must name an existing device",
                    "run rdma4j doctor on that machine to see why");
            return;
        }
        findings.addAll(comparison.ports(ports.get()));
        if (ports.get().isUsable()) {
            connected = test(line, remote, ports.get());
        }
    }

    private void clock(Remote remote) {
        List<ClockOffset> offsets = new ArrayList<>();
        for (int i = 0; i < QUESTIONS; i++) {
            long requested = Orders.nanosecondsNow();
            long begin = System.nanoTime();
            long answered = remote.order(Order.TIME).fields().number("nanoseconds", 0, Long.MAX_VALUE);
            offsets.add(ClockOffset.of(requested, answered, System.nanoTime() - begin));
        }
        ClockOffset best = ClockOffset.best(offsets);
        findings.add(new Finding(
                Check.PEER_TCP,
                address.toString(),
                "the exchange over TCP",
                FindingState.OK,
                "a doctor answers in " + ClockOffset.words(best.roundTrip()),
                "",
                ""));
        findings.add(Comparison.clock(best));
    }

    private boolean test(Line line, Remote remote, PortPair ports) {
        Findings wire = new Findings(ports, address.host());
        try {
            Remote.Answer answer = remote.order(
                    Order.USE_PORT, new Fields().with("port", ports.there().name()));
            if (!answer.isGood()) {
                wire.failedThere(Check.RC_CONNECTION, address.host(), answer.failure(), ports.mtu());
                return false;
            }
            try (DeviceContext context = DeviceContext.open(ports.here().device())) {
                Connections connections = new Connections(remote, ports, context, line.remoteAddress(), me.chosen());
                return new WireProbes(remote, connections, context, me.counters(), load, wire).run();
            }
        } catch (VerbsException failure) {
            wire.failedHere(Check.RC_CONNECTION, "here", Failures.of(failure), ports.mtu());
            return false;
        } finally {
            findings.addAll(wire.all());
        }
    }

    private void fail(Check check, String subject, String seen, String meaning, String remedy) {
        findings.add(new Finding(check, subject, "the exchange over TCP", FindingState.FAIL, seen, meaning, remedy));
    }
}
