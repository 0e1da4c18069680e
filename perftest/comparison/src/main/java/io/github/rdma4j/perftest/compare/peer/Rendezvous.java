// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * Accepts the hosts of one job, each once, and refuses all others. As between two {@code ib_write_bw}, the connections
 * are neither authenticated nor encrypted.
 */
public final class Rendezvous implements AutoCloseable {
    private static final int BACKLOG = 1024;
    private static final int POLL_MILLIS = 200;

    private final ServerSocket socket;
    private final String job;
    private final Arrival[] arrivals;
    private final Duration patience;
    private final Consumer<String> progress;
    private final BlockingQueue<Integer> arrived = new LinkedBlockingQueue<>();

    /**
     * A host that has arrived.
     *
     * @param host its own name; may be empty
     * @param servers carries out orders; null if the host cannot
     * @param failure why it cannot take part; null if it can
     */
    public record Arrival(String host, RemoteServers servers, String failure) {}

    /**
     * Starts to listen.
     *
     * @param port the TCP port; 0 for any free port
     * @param job identifies the job
     * @param ranks the number of its hosts
     * @param patience how long this end may be silent while it has other hosts to do
     * @param progress receives a line for each refused connection
     * @throws PerftestException when the port is in use
     */
    public Rendezvous(int port, String job, int ranks, Duration patience, Consumer<String> progress) {
        this.job = job;
        this.arrivals = new Arrival[ranks];
        this.patience = patience;
        this.progress = progress;
        try {
            socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port), BACKLOG);
            socket.setSoTimeout(POLL_MILLIS);
        } catch (IOException failure) {
            throw new CompareException(
                    "rank 0 cannot wait on TCP port " + port + ": " + failure.getMessage(),
                    "find the program that uses the port with ss -ltnp 'sport = " + port + "', or choose another"
                            + " port with --port on all hosts");
        }
    }

    /** Returns the TCP port. */
    public int port() {
        return socket.getLocalPort();
    }

    /**
     * Waits for the hosts, and then accepts no more.
     *
     * @param limit the longest wait
     * @param count receives the number of hosts that have arrived, whenever it has changed
     * @return the hosts by rank; null for a host that has not arrived
     */
    public Arrival[] await(Duration limit, IntConsumer count) {
        Limits limits = new Limits(limit);
        int here = 0;
        while (here < arrivals.length && !limits.left().isZero() && !socket.isClosed()) {
            try {
                Socket accepted = socket.accept();
                // A silent one must not keep the others waiting.
                Thread.ofPlatform().daemon().name("rdma4j-rendezvous").start(() -> receive(accepted));
            } catch (SocketTimeoutException _) {
                // No host has connected in this moment.
            } catch (IOException failure) {
                throw new CompareException("rank 0 cannot accept connections: " + failure.getMessage(), "");
            }
            for (; arrived.poll() != null; here++) {
                count.accept(here + 1);
            }
        }
        synchronized (this) {
            close();
            return arrivals.clone();
        }
    }

    private void receive(Socket accepted) {
        String from = accepted.getInetAddress().getHostAddress();
        Line line = null;
        try {
            line = new Line(Protocol.MESH, accepted);
            Fields hello = handshake(line);
            if (!settle(line, hello)) {
                line.close();
            }
        } catch (IOException | PeerLostException | BadMessageException | CompareException failure) {
            progress.accept("refused " + from + ": " + failure.getMessage());
            if (line != null) {
                if (failure instanceof CompareException reason) {
                    CompareServer.bye(line, reason.getMessage(), reason.remedy());
                }
                line.close();
            }
        }
    }

    /** Returns the first message of a host of this job. */
    private Fields handshake(Line line) {
        Message hello = line.receive(PeerFields.HANDSHAKE_TIMEOUT);
        Fields fields = hello.fields();
        String version = fields.text(PeerFields.VERSION, "?");
        if (hello.kind() != Message.Kind.HELLO
                || hello.version() != Message.VERSION
                || !version.equals(BuildInfo.version())) {
            String reason = "it runs rdma4j " + version + ", and rank 0 runs " + BuildInfo.version();
            giveUp(fields, reason);
            throw new CompareException(reason, "install the same version on all hosts");
        }
        if (!fields.text(PeerFields.JOB).equals(job)) {
            throw new CompareException(
                    "it belongs to " + fields.text(PeerFields.JOB) + ", and rank 0 to " + job,
                    "give all hosts the same list of hosts, and each job its own --port");
        }
        int rank = fields.integer(PeerFields.RANK, 0, arrivals.length - 1);
        synchronized (this) {
            if (arrivals[rank] != null) {
                throw new CompareException("rank " + rank + " has arrived already", "start one process on each host");
            }
            // Nobody else may take the rank while this host prepares itself.
            arrivals[rank] = new Arrival(fields.text(PeerFields.HOST), null, "it did not describe its device in time");
        }
        return fields;
    }

    /** Does not wait for a host of this job that runs another version. */
    private void giveUp(Fields hello, String reason) {
        int rank;
        try {
            rank = hello.integer(PeerFields.RANK, 0, arrivals.length - 1);
            if (!hello.text(PeerFields.JOB).equals(job)) {
                return;
            }
            synchronized (this) {
                if (socket.isClosed() || arrivals[rank] != null) {
                    return;
                }
                arrivals[rank] = new Arrival(hello.text(PeerFields.HOST), null, reason);
            }
        } catch (BadMessageException _) {
            // It is not a host of a mesh, or of a version with other fields.
            return;
        }
        arrived.add(rank);
    }

    /** Returns whether the host takes part. */
    private boolean settle(Line line, Fields hello) {
        int rank = hello.integer(PeerFields.RANK, 0, arrivals.length - 1);
        String host = hello.text(PeerFields.HOST);
        Arrival arrival;
        try {
            line.send(new Message(
                    Message.Kind.HELLO,
                    new Fields()
                            .with(PeerFields.VERSION, BuildInfo.version())
                            .with(PeerFields.PATIENCE, patience.toSeconds())));
            Message machine = line.receive(PeerFields.GRACE);
            arrival = machine.kind() == Message.Kind.MACHINE
                    ? new Arrival(
                            host,
                            RemoteServers.accepted(
                                    line,
                                    MachineFields.read(line.remoteAddress().getHostAddress(), machine.fields())),
                            null)
                    : new Arrival(host, null, machine.fields().text(PeerFields.REASON, "it gave up"));
        } catch (PeerLostException | BadMessageException failure) {
            arrival = new Arrival(host, null, failure.getMessage());
        }
        synchronized (this) {
            if (socket.isClosed()) {
                CompareServer.bye(line, "rank 0 has begun without this host", "start all hosts together");
                return false;
            }
            arrivals[rank] = arrival;
        }
        arrived.add(rank);
        return arrival.servers() != null;
    }

    /** Accepts no more hosts. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException _) {
            // It is not needed any more.
        }
    }
}
