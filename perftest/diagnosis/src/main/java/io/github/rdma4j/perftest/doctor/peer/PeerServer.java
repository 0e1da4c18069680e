// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.peer;

import io.github.rdma4j.perftest.doctor.check.Check;
import io.github.rdma4j.perftest.doctor.check.Finding;
import io.github.rdma4j.perftest.doctor.check.FindingState;
import io.github.rdma4j.perftest.doctor.check.Outcome;
import io.github.rdma4j.perftest.doctor.pair.Comparison;
import io.github.rdma4j.perftest.doctor.pair.PeerMachine;
import io.github.rdma4j.perftest.doctor.pair.PeerPort;
import io.github.rdma4j.perftest.doctor.pair.PeerReport;
import io.github.rdma4j.perftest.doctor.pair.Transport;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import io.github.rdma4j.perftest.talk.Reception;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The serving end: waits for one doctor, carries out its orders, and ends. It refuses any other connection. */
public final class PeerServer {
    private static final int BACKLOG = 16;
    private static final int MOST_SECONDS = 3600;

    /** A silent connection must not block a doctor for long. */
    private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(3);

    private final PeerEnd me;
    private final int port;
    private final Duration patience;
    private final Consumer<String> progress;
    private final List<Finding> findings = new ArrayList<>();
    private Optional<PeerMachine> there = Optional.empty();
    private Outcome outcome = Outcome.BROKEN;
    private String client = "";

    private PeerServer(PeerEnd me, int port, Duration patience, Consumer<String> progress) {
        this.me = me;
        this.port = port;
        this.patience = patience;
        this.progress = progress;
    }

    /**
     * Serves one doctor.
     *
     * @param me this end
     * @param port to listen on; 0 for any free port
     * @param patience the longest wait for the other end
     * @param progress receives the command to type on the other machine, and a line for each refused connection
     */
    public static PeerReport serve(PeerEnd me, int port, Duration patience, Consumer<String> progress) {
        PeerServer server = new PeerServer(me, port, patience, progress);
        server.listen();
        return new PeerReport(
                PeerReport.Role.SERVER, server.client, me.machine(), server.there, server.findings, server.outcome);
    }

    private void listen() {
        int taken = port;
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port), BACKLOG);
            taken = socket.getLocalPort();
            progress.accept("waiting on TCP port " + taken + " for at most " + patience.toSeconds()
                    + " s. On the other machine, run: rdma4j doctor --peer " + name()
                    + (taken == Protocol.DOCTOR.port() ? "" : ":" + taken));
            Reception.serveOne(Protocol.DOCTOR, socket, new Limits(patience), this::receive);
        } catch (SocketTimeoutException _) {
            fail(
                    "no peer connected within " + patience.toSeconds() + " s (--timeout)",
                    "no doctor has reached this machine",
                    "on the other machine, run rdma4j doctor --peer with this machine's address; allow TCP port "
                            + taken);
        } catch (IOException failure) {
            fail(
                    "TCP port " + port + ": " + failure.getMessage(),
                    "no peer can connect to this end",
                    "find the program that uses the port with ss -ltnp 'sport = " + port + "', or choose another"
                            + " port with --port");
        }
    }

    /** An address that rdma_cm can reach, if there is one. */
    private String name() {
        return me.machine().ports().stream()
                .filter(each -> each.usable() && each.transport() == Transport.ROCE)
                .flatMap(each -> PeerPort.address(each.gid()).stream())
                .filter(address -> !address.isLinkLocalAddress())
                .map(address -> new PeerAddress(address.getHostAddress(), Protocol.DOCTOR.port()).name())
                .findFirst()
                .orElse(me.machine().host().isEmpty() ? "HOST" : me.machine().host());
    }

    /** Returns the conversation with the other end; empty if it is not a doctor. */
    private Optional<Runnable> receive(Line line) {
        String address = line.remoteAddress().getHostAddress();
        return handshake(line, address).map(whole -> () -> {
            client = address;
            converse(line, new Limits(whole.plus(Limits.STEP)));
        });
    }

    /** Returns how long the other end may take; empty if it is not a doctor. */
    private Optional<Duration> handshake(Line line, String address) {
        try {
            Message hello = line.receive(HANDSHAKE_TIMEOUT);
            line.send(new Message(
                    Message.Kind.HELLO, new Fields().with("rdma4j", me.machine().rdma4j())));
            if (hello.version() == Message.VERSION && hello.kind() == Message.Kind.HELLO) {
                return Optional.of(Duration.ofSeconds(hello.fields().number("seconds", 1, MOST_SECONDS)));
            }
            progress.accept("refused " + address + ": it uses protocol " + hello.version() + " (rdma4j "
                    + hello.fields().text("rdma4j", "?") + "), and this end uses protocol " + Message.VERSION
                    + ". Install the same version on both machines");
        } catch (PeerLostException | BadMessageException failure) {
            progress.accept("refused " + address + ": " + failure.getMessage());
        }
        return Optional.empty();
    }

    private void converse(Line line, Limits limits) {
        try (Orders orders = new Orders(me.machine(), me.counters(), limits)) {
            while (true) {
                // Between two orders, the other end may write data for any time within its own timeout.
                Message message = line.receive(limits.left());
                switch (message.kind()) {
                    case MACHINE -> {
                        there = Optional.of(PeerMachine.of(message.fields()));
                        line.send(new Message(Message.Kind.MACHINE, me.machine().fields()));
                    }
                    case ORDER -> line.send(new Message(Message.Kind.ANSWER, orders.carryOut(message.fields())));
                    case BYE -> {
                        served(message.fields());
                        return;
                    }
                    case HELLO, ANSWER ->
                        throw new BadMessageException("the other end sent " + message.kind() + " out of turn");
                }
            }
        } catch (PeerLostException failure) {
            fail(
                    failure.getMessage(),
                    "the testing end disappeared before it was done: its doctor was ended, or its machine is down",
                    "read what the other end printed, and start both ends again");
        } catch (BadMessageException failure) {
            fail(failure.getMessage(), "the other end violates the protocol", failure.remedy());
            try {
                line.send(new Message(Message.Kind.BYE, new Fields().with("reason", failure.getMessage())));
            } catch (PeerLostException _) {
                // The other end has already gone.
            }
        }
    }

    private void served(Fields bye) {
        if (bye.has("reason")) {
            fail(
                    "the other end gave up: " + bye.text("reason"),
                    "the other end could not continue",
                    "read what it printed");
            return;
        }
        String name = bye.text("outcome");
        outcome = Arrays.stream(Outcome.values())
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new BadMessageException("the other end reports the unknown outcome " + name));
        long trouble = bye.number("trouble", 0, MOST_SECONDS);
        findings.add(new Finding(
                Check.PEER_TCP,
                client,
                "the exchange over TCP",
                FindingState.OK,
                "all tests have run; "
                        + (trouble == 0
                                ? "the other end found no problem"
                                : "problems that the other end found and prints: " + trouble),
                "",
                ""));
        there.ifPresent(other -> findings.addAll(new Comparison(me.machine(), other, client).machines()));
    }

    private void fail(String seen, String meaning, String remedy) {
        findings.add(
                new Finding(Check.PEER_TCP, client, "the exchange over TCP", FindingState.FAIL, seen, meaning, remedy));
    }
}
