// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import io.github.rdma4j.perftest.talk.Reception;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The end of {@code compare --serve}: waits for one comparison, has its servers, and ends. Whoever else connects is
 * sent away.
 */
public final class CompareServer {
    private static final int BACKLOG = 16;

    private final ServedMachine.Preparation preparation;
    private final Consumer<String> progress;
    private final String version;

    /**
     * Not listening yet.
     *
     * @param preparation makes this machine ready
     * @param progress hears what to type on the other machine, of strangers, and of the end
     */
    public CompareServer(ServedMachine.Preparation preparation, Consumer<String> progress) {
        this(preparation, progress, BuildInfo.version());
    }

    /** As another version of rdma4j. */
    CompareServer(ServedMachine.Preparation preparation, Consumer<String> progress, String version) {
        this.preparation = preparation;
        this.progress = progress;
        this.version = version;
    }

    /**
     * Serves one comparison.
     *
     * @param port to listen at; 0 takes a free one
     * @param patience the longest wait for the other end
     * @throws PerftestException when nobody comes, or the comparison does not come to its end
     * @throws VerbsException when there is no such device
     */
    public void serve(int port, Duration patience) {
        int taken = port;
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port), BACKLOG);
            taken = socket.getLocalPort();
            progress.accept("waiting at TCP port " + taken + " for at most " + patience.toSeconds()
                    + " s. On the other machine: rdma4j compare --peer HOST"
                    + (taken == Protocol.COMPARE.port() ? "" : ":" + taken)
                    + ", with an address of this machine's RDMA interface");
            Reception.serveOne(Protocol.COMPARE, socket, new Limits(patience), this::receive);
        } catch (SocketTimeoutException _) {
            throw new CompareException(
                    "nobody came within " + patience.toSeconds() + " s (--timeout)",
                    "on the other machine: rdma4j compare --peer with this machine's address; let TCP port " + taken
                            + " pass");
        } catch (IOException failure) {
            throw new CompareException(
                    "TCP port " + port + ": " + failure.getMessage(),
                    "see who listens there: ss -ltnp 'sport = " + port + "'; give another port with --port");
        }
    }

    /** The conversation with the other end; empty if it is none that can be served. */
    private Optional<Runnable> receive(Line line) {
        String client = line.remoteAddress().getHostAddress();
        return greet(line, client) ? Optional.of(() -> converse(line, client)) : Optional.empty();
    }

    /** Whether the other end is one that can be served. */
    private boolean greet(Line line, String client) {
        try {
            Message hello = line.receive(Words.GREETING);
            line.send(new Message(Message.Kind.HELLO, new Fields().with(Words.VERSION, version)));
            String other = hello.fields().text(Words.VERSION, "?");
            if (hello.kind() == Message.Kind.HELLO && hello.version() == Message.VERSION && other.equals(version)) {
                return true;
            }
            progress.accept("sent " + client + " away: it has rdma4j " + other + ", and this machine " + version
                    + ". Install the same version on both machines");
        } catch (PeerLostException | BadMessageException failure) {
            progress.accept("sent " + client + " away: " + failure.getMessage());
        }
        return false;
    }

    private void converse(Line line, String client) {
        try {
            Message message = line.receive(Words.GREETING);
            if (message.kind() != Message.Kind.MACHINE) {
                throw outOfTurn(message);
            }
            Request request = Request.of(message.fields());
            try (ServedMachine machine = preparation.prepare(request, line.localAddress());
                    ServedOrders orders = new ServedOrders(machine)) {
                line.send(new Message(Message.Kind.MACHINE, MachineFields.of(machine.describe())));
                progress.accept("serving " + client + ": "
                        + request.tools().stream().map(Tool::command).collect(Collectors.joining(", ")) + " on "
                        + machine.describe().environment().device());
                obey(line, orders);
                progress.accept("the comparison of " + client + " has ended after " + orders.served() + " runs");
            }
        } catch (PeerLostException failure) {
            throw new PeerLostException(client + ": " + failure.getMessage());
        } catch (PerftestException failure) {
            bye(line, failure.getMessage(), failure.remedy());
            throw failure;
        } catch (VerbsException failure) {
            // Its message contains the remedy.
            bye(line, failure.getMessage(), "");
            throw failure;
        }
    }

    private static void obey(Line line, ServedOrders orders) {
        while (true) {
            Message message = line.receive(orders.patience());
            switch (message.kind()) {
                case ORDER -> line.send(new Message(Message.Kind.ANSWER, orders.carryOut(message.fields())));
                case BYE -> {
                    return;
                }
                case HELLO, MACHINE, ANSWER -> throw outOfTurn(message);
            }
        }
    }

    private static BadMessageException outOfTurn(Message message) {
        return new BadMessageException("the other end says " + message.kind() + " out of turn");
    }

    private static void bye(Line line, String reason, String remedy) {
        try {
            line.send(new Message(
                    Message.Kind.BYE, new Fields().with(Words.REASON, reason).with(Words.REMEDY, remedy)));
        } catch (PeerLostException _) {
            // It has gone already.
        }
    }
}
