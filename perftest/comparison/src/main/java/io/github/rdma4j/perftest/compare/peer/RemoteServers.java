// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.compare.plan.Deadline;
import io.github.rdma4j.perftest.compare.plan.RunOrder;
import io.github.rdma4j.perftest.compare.result.Metric;
import io.github.rdma4j.perftest.compare.result.ServerMachine;
import io.github.rdma4j.perftest.compare.runner.ServerEnd;
import io.github.rdma4j.perftest.compare.runner.ServerProgram;
import io.github.rdma4j.perftest.compare.runner.Serving;
import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.environment.CpuTime;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.ConnectFailure;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.LineReader;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/**
 * The servers on another machine that runs {@code compare --serve}; {@link CompareServer} is its side. Closing this
 * ends the other side.
 */
public final class RemoteServers implements ServerEnd, AutoCloseable {
    private final Line line;
    private final LineReader reader;
    private final ServerMachine machine;
    private final Duration grace;
    private String lost;

    private RemoteServers(Line line, LineReader reader, ServerMachine machine, Duration grace) {
        this.line = line;
        this.reader = reader;
        this.machine = machine;
        this.grace = grace;
    }

    /**
     * Connects to the other machine, and makes it prepare its servers.
     *
     * @param address its address
     * @param request the tools that are needed there
     * @throws PerftestException when no server of this version listens there, or something is missing
     */
    public static RemoteServers connect(PeerAddress address, Request request) {
        return connect(address, request, BuildInfo.version());
    }

    /** Connects as another version of rdma4j; for tests. */
    static RemoteServers connect(PeerAddress address, Request request, String version) {
        Line line = connect(address);
        try {
            handshake(line, address, version);
            line.send(new Message(Message.Kind.MACHINE, request.fields()));
            LineReader reader = new LineReader(line);
            Message answer = receive(reader, PeerFields.GRACE, Message.Kind.MACHINE, address.host());
            return new RemoteServers(
                    line,
                    reader,
                    MachineFields.read(line.remoteAddress().getHostAddress(), answer.fields()),
                    PeerFields.GRACE);
        } catch (RuntimeException | Error failure) {
            line.close();
            throw failure;
        }
    }

    /**
     * Takes a connection on which the other machine waits for orders.
     *
     * @param machine its description
     */
    static RemoteServers accepted(Line line, ServerMachine machine) {
        return accepted(line, machine, PeerFields.GRACE);
    }

    /** Takes a connection with another limit for an answer; for tests. */
    static RemoteServers accepted(Line line, ServerMachine machine, Duration grace) {
        return new RemoteServers(line, new LineReader(line), machine, grace);
    }

    private static Line connect(PeerAddress address) {
        try {
            return new Line(Protocol.COMPARE, address.connect(Limits.STEP));
        } catch (IOException failure) {
            throw unreachable(address, failure);
        }
    }

    private static CompareException unreachable(PeerAddress address, IOException failure) {
        String start = "on that machine, run rdma4j compare --serve"
                + (address.port() == Protocol.COMPARE.port() ? "" : " --port " + address.port());
        String pass =
                "run ping " + address.host() + "; allow TCP port " + address.port() + " in its firewall; " + start;
        ConnectFailure kind = ConnectFailure.of(failure);
        return switch (kind) {
            case NOBODY_LISTENS ->
                new CompareException(
                        address + ": no program accepts connections there (" + failure.getMessage() + ")",
                        start,
                        failure);
            case NO_ANSWER ->
                new CompareException(address + ": no answer within " + Limits.STEP.toSeconds() + " s", pass, failure);
            case NO_ADDRESS ->
                new CompareException(
                        "no address is known for the name " + address.host(), "give --peer its IP address", failure);
            case NO_INTERFACE ->
                new CompareException(address + ": " + failure.getMessage(), kind.remedy(address.host()), failure);
            case NO_ROUTE ->
                new CompareException(
                        "this machine has no route to " + address + ": " + failure.getMessage(),
                        kind.remedy(address.host()),
                        failure);
            case UNREACHABLE ->
                new CompareException(
                        address + " cannot be reached: " + failure.getMessage(), kind.remedy(address.host()), failure);
            case OTHER -> new CompareException(address + ": " + failure.getMessage(), pass, failure);
        };
    }

    private static void handshake(Line line, PeerAddress address, String version) {
        Message hello;
        try {
            line.send(new Message(Message.Kind.HELLO, new Fields().with(PeerFields.VERSION, version)));
            hello = line.receive(PeerFields.HANDSHAKE_TIMEOUT);
        } catch (PeerLostException | BadMessageException failure) {
            throw new CompareException(
                    address + " does not answer as rdma4j compare --serve does: " + failure.getMessage(),
                    "check that compare --serve waits there, serves no other peer, and has this port (default "
                            + Protocol.COMPARE.port() + ")",
                    failure);
        }
        String other = hello.fields().text(PeerFields.VERSION, "?");
        if (hello.kind() != Message.Kind.HELLO || hello.version() != Message.VERSION || !other.equals(version)) {
            throw new CompareException(
                    address.host() + " runs rdma4j " + other + ", and this machine runs " + version,
                    "install the same version on both machines");
        }
    }

    private static Message receive(LineReader reader, Duration limit, Message.Kind expected, String host) {
        Message message;
        try {
            message = reader.take(limit);
        } catch (PeerLostException failure) {
            throw new PeerLostException(host + ": " + failure.getMessage());
        }
        if (message.kind() == Message.Kind.BYE) {
            throw new CompareException(
                    "on " + host + ": " + message.fields().text(PeerFields.REASON, "it gave up"),
                    message.fields().text(PeerFields.REMEDY, ""));
        }
        if (message.kind() != expected) {
            throw new BadMessageException(host + " sent " + message.kind() + " instead of " + expected);
        }
        return message;
    }

    /** Returns the description of the other machine. */
    public ServerMachine machine() {
        return machine;
    }

    /** Returns the address of this machine by which it reaches the other one. */
    public InetAddress localAddress() {
        return line.localAddress();
    }

    /** Returns the address of the other machine. */
    public InetAddress remoteAddress() {
        return line.remoteAddress();
    }

    /** Returns whether the connection uses IPv6, which C's tools do only with an option. */
    public boolean isIpv6() {
        return line.remoteAddress() instanceof Inet6Address;
    }

    @Override
    public String host() {
        return machine.address();
    }

    @Override
    public int freePort() {
        return order(Order.PORT, new Fields(), grace).integer(PeerFields.PORT, 1, 65_535);
    }

    /** Returns the busy time of both machines. */
    @Override
    public long busy() {
        long there = order(Order.BUSY, new Fields(), grace).number(PeerFields.BUSY, CpuTime.UNKNOWN, Long.MAX_VALUE);
        return CpuTime.sum(CpuTime.ofTheMachine(), there);
    }

    @Override
    public Serving serve(ServerProgram program, RunOrder order, Deadline deadline) {
        // The other machine has its own device.
        String run = order.at(null, order.devicePort(), -1).encode();
        order(
                Order.SERVE,
                new Fields().with(PeerFields.PROGRAM, program.name()).with(PeerFields.RUN, run),
                patience(deadline));
        return new There();
    }

    /**
     * Makes the other machine, which is a host of a mesh, run the client of a server.
     *
     * @param host the server's address
     * @throws PerftestException when the run fails
     */
    public Map<Metric, Double> measure(RunOrder order, String host) {
        String run = order.at(null, order.devicePort(), -1).encode();
        Fields answer = order(
                Order.MEASURE,
                new Fields().with(PeerFields.RUN, run).with(PeerFields.HOST, host),
                patience(order.deadline()));
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        for (Metric metric : Metric.values()) {
            if (answer.has(PeerFields.FIGURE + metric.ordinal())) {
                figures.put(metric, figure(answer.text(PeerFields.FIGURE + metric.ordinal())));
            }
        }
        return figures;
    }

    private static double figure(String text) {
        try {
            double value = Double.parseDouble(text);
            if (value > 0 && Double.isFinite(value)) {
                return value;
            }
        } catch (NumberFormatException _) {
            // Reported below.
        }
        throw new BadMessageException("the other end's figure is not a positive number");
    }

    /** Returns the counters of the other machine's port that show loss. */
    public Map<String, Long> counters() {
        Fields answer = order(Order.COUNTERS, new Fields(), grace);
        Map<String, Long> counters = new TreeMap<>();
        for (int i = 0; i < PeerFields.MOST_COUNTERS && answer.has(PeerFields.COUNTER + i); i++) {
            String[] parts = answer.text(PeerFields.COUNTER + i).split(" ", 2);
            if (parts.length < 2 || !parts[0].matches("\\d{1,18}")) {
                throw new BadMessageException("the other end's counter is not a number and a name");
            }
            counters.put(parts[1], Long.parseLong(parts[0]));
        }
        return counters;
    }

    private Duration patience(Deadline deadline) {
        return Duration.ofNanos(deadline.remainingNanoseconds()).plus(grace);
    }

    private Fields order(Order order, Fields fields, Duration limit) {
        Fields answer = exchange(new Message(Message.Kind.ORDER, fields.with(PeerFields.ORDER, order.name())), limit);
        if (answer.has(PeerFields.FAILURE)) {
            throw new CompareException(
                    "on " + machine.title() + ": " + answer.text(PeerFields.FAILURE),
                    answer.text(PeerFields.REMEDY, ""));
        }
        return answer;
    }

    /**
     * Sends an order and returns its answer. Answers have no number, so a late one would be taken for the answer to the
     * next order: the first order without an answer ends the connection.
     */
    private Fields exchange(Message order, Duration limit) {
        if (lost != null) {
            throw new PeerLostException(lost);
        }
        try {
            line.send(order);
            return receive(reader, limit, Message.Kind.ANSWER, machine.address())
                    .fields();
        } catch (PerftestException failure) {
            lost = failure.getMessage();
            abort(lost);
            throw failure;
        }
    }

    private final class There implements Serving {
        private boolean over;

        @Override
        public long finish(Deadline deadline) {
            over = true;
            return order(Order.FINISH, new Fields(), patience(deadline))
                    .number(PeerFields.CPU, CpuTime.UNKNOWN, Long.MAX_VALUE);
        }

        @Override
        public String complaint() {
            over = true;
            try {
                return order(Order.STOP, new Fields(), grace).text(PeerFields.COMPLAINT);
            } catch (PerftestException failure) {
                return failure.getMessage();
            }
        }

        /** During a run, the other machine sends a message only if it aborts. */
        @Override
        public CompletableFuture<?> ended() {
            return reader.something();
        }

        @Override
        public void check() {
            if (ended().isDone()) {
                receive(reader, Duration.ZERO, Message.Kind.BYE, machine.address());
            }
        }

        @Override
        public void close() {
            if (!over) {
                complaint();
            }
        }
    }

    /** Reports to the other machine, instead of {@link #close}, that the comparison is incomplete. */
    public void abort(String reason) {
        end(new Fields().with(PeerFields.REASON, reason));
    }

    @Override
    public void close() {
        end(new Fields());
    }

    /** Ends the connection, and only once. */
    private void end(Fields reason) {
        try {
            line.send(new Message(Message.Kind.BYE, reason));
        } catch (PeerLostException _) {
            // The peer is already gone.
        }
        line.close();
    }
}
