// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.options.Tool;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.LineReader;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The end of {@code compare --serve}: waits for one comparison, runs its servers, and ends. It refuses any other
 * connection.
 */
public final class CompareServer {
    private static final int BACKLOG = 16;

    private final ServedMachine.Preparation preparation;
    private final Consumer<String> progress;
    private final String version;

    /**
     * Creates a server that does not listen yet.
     *
     * @param preparation prepares this machine
     * @param progress receives the command to type on the other machine, a line for each refused connection, and the
     *     end
     */
    public CompareServer(ServedMachine.Preparation preparation, Consumer<String> progress) {
        this(preparation, progress, BuildInfo.version());
    }

    /** Creates a server that reports another version of rdma4j, for tests. */
    CompareServer(ServedMachine.Preparation preparation, Consumer<String> progress, String version) {
        this.preparation = preparation;
        this.progress = progress;
        this.version = version;
    }

    /**
     * Serves one comparison.
     *
     * @param port to listen on; 0 for any free port
     * @param patience the longest wait for the other end
     * @throws PerftestException when no peer connects, or the comparison does not complete
     * @throws VerbsException when there is no such device
     */
    public void serve(int port, Duration patience) {
        int taken = port;
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port), BACKLOG);
            taken = socket.getLocalPort();
            progress.accept("waiting on TCP port " + taken + " for at most " + patience.toSeconds()
                    + " s. On the other machine, run: rdma4j compare --peer HOST"
                    + (taken == Protocol.COMPARE.port() ? "" : ":" + taken)
                    + ", with an address of this machine's RDMA interface");
            Reception.serveOne(Protocol.COMPARE, socket, new Limits(patience), this::receive);
        } catch (SocketTimeoutException _) {
            throw new CompareException(
                    "no peer connected within " + patience.toSeconds() + " s (--timeout)",
                    "on the other machine, run rdma4j compare --peer with this machine's address; allow TCP port "
                            + taken);
        } catch (IOException failure) {
            throw new CompareException(
                    "TCP port " + port + ": " + failure.getMessage(),
                    "find the program that uses the port with ss -ltnp 'sport = " + port + "', or choose another"
                            + " port with --port");
        }
    }

    /** Returns the conversation with the other end; empty if it cannot be served. */
    private Optional<Runnable> receive(Line line) {
        String client = line.remoteAddress().getHostAddress();
        return handshake(line, client) ? Optional.of(() -> converse(line, client)) : Optional.empty();
    }

    /** Returns whether the other end can be served. */
    private boolean handshake(Line line, String client) {
        try {
            Message hello = line.receive(PeerFields.HANDSHAKE_TIMEOUT);
            line.send(new Message(Message.Kind.HELLO, new Fields().with(PeerFields.VERSION, version)));
            String other = hello.fields().text(PeerFields.VERSION, "?");
            if (hello.kind() == Message.Kind.HELLO && hello.version() == Message.VERSION && other.equals(version)) {
                return true;
            }
            progress.accept("refused " + client + ": it runs rdma4j " + other + ", and this machine runs " + version
                    + ". Install the same version on both machines");
        } catch (PeerLostException | BadMessageException failure) {
            progress.accept("refused " + client + ": " + failure.getMessage());
        }
        return false;
    }

    private void converse(Line line, String client) {
        try {
            Message message = line.receive(PeerFields.HANDSHAKE_TIMEOUT);
            if (message.kind() != Message.Kind.MACHINE) {
                throw outOfTurn(message);
            }
            Request request = Request.of(message.fields());
            LineReader hearing = new LineReader(line);
            try (InterruptHook _ = new InterruptHook(() -> bye(line, "it was ended by a signal", ""));
                    ServedMachine machine = preparation.prepare(request, line.localAddress());
                    ServedOrders orders = new ServedOrders(machine, PeerFields.GRACE)) {
                line.send(new Message(Message.Kind.MACHINE, MachineFields.of(machine.describe())));
                progress.accept("serving " + client + ": "
                        + request.tools().stream().map(Tool::command).collect(Collectors.joining(", ")) + " on "
                        + machine.describe().environment().device());
                Optional<String> reason = obey(line, hearing, orders, machine::close);
                if (reason.isPresent()) {
                    throw new CompareException(
                            client + " gave up after " + orders.served() + " runs: " + reason.get(),
                            "read what the other end printed, and start both ends again");
                }
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

    /**
     * Carries out the other end's orders until it closes the connection.
     *
     * @param kill stops the servers that an order has started, to abort the order
     * @return why the other end aborts; empty if it is done
     */
    static Optional<String> obey(Line line, LineReader hearing, ServedOrders orders, Runnable kill) {
        Message message = hearing.take(orders.patience());
        while (message.kind() == Message.Kind.ORDER) {
            Optional<Fields> answer = carryOut(message.fields(), hearing, orders, kill);
            answer.ifPresent(fields -> line.send(new Message(Message.Kind.ANSWER, fields)));
            message = hearing.take(orders.patience());
            if (answer.isEmpty() && message.kind() != Message.Kind.BYE) {
                throw outOfTurn(message);
            }
        }
        if (message.kind() != Message.Kind.BYE) {
            throw outOfTurn(message);
        }
        return message.fields().has(PeerFields.REASON)
                ? Optional.of(message.fields().text(PeerFields.REASON))
                : Optional.empty();
    }

    /**
     * Carries out an order while the other end waits for the answer. Any message before the answer means that the other
     * end has gone.
     *
     * @return the answer; empty if the order was aborted
     */
    private static Optional<Fields> carryOut(Fields order, LineReader hearing, ServedOrders orders, Runnable kill) {
        AtomicBoolean over = new AtomicBoolean();
        hearing.something().thenRun(() -> {
            if (!over.getAndSet(true)) {
                kill.run();
            }
        });
        Fields answer;
        boolean killed;
        try {
            answer = orders.carryOut(order);
        } finally {
            killed = over.getAndSet(true);
        }
        return killed ? Optional.empty() : Optional.of(answer);
    }

    private static BadMessageException outOfTurn(Message message) {
        return new BadMessageException("the other end sent " + message.kind() + " out of turn");
    }

    static void bye(Line line, String reason, String remedy) {
        try {
            line.send(new Message(
                    Message.Kind.BYE,
                    new Fields().with(PeerFields.REASON, reason).with(PeerFields.REMEDY, remedy)));
        } catch (PeerLostException _) {
            // The peer is already gone.
        }
    }
}
