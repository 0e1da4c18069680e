// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.peer;

import io.github.rdma4j.perftest.environment.BuildInfo;
import io.github.rdma4j.perftest.exit.ConnectFailure;
import io.github.rdma4j.perftest.exit.InterruptHook;
import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.talk.BadMessageException;
import io.github.rdma4j.perftest.talk.Fields;
import io.github.rdma4j.perftest.talk.Limits;
import io.github.rdma4j.perftest.talk.Line;
import io.github.rdma4j.perftest.talk.LineReader;
import io.github.rdma4j.perftest.talk.Message;
import io.github.rdma4j.perftest.talk.PeerAddress;
import io.github.rdma4j.perftest.talk.PeerLostException;
import io.github.rdma4j.perftest.talk.Protocol;
import io.github.rdma4j.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * A host of a job: connects to the job's {@link Rendezvous} and carries out its orders.
 *
 * @param job identifies the job
 * @param rank the number of this host, from 0
 * @param host its name
 */
public record Member(String job, int rank, String host) {
    /** The longest time that rank 0 may be silent. */
    public static final int MOST_SECONDS = 1_000_000;

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    /**
     * Carries out the orders of one job.
     *
     * @param address where the job meets
     * @param patience the longest wait for the other end to accept this host
     * @param preparation prepares this machine, given the address by which it reaches the other end
     * @throws PerftestException when the other end does not answer, refuses this host, or gives up
     * @throws VerbsException when there is no device
     */
    public void serve(PeerAddress address, Duration patience, Function<InetAddress, ServedMachine> preparation) {
        try (Line line = connect(address, patience)) {
            Duration grace = handshake(line, address);
            LineReader reader = new LineReader(line);
            try (InterruptHook _ = new InterruptHook(() -> CompareServer.bye(line, "it was ended by a signal", ""));
                    ServedMachine machine = preparation.apply(line.localAddress());
                    ServedOrders orders = new ServedOrders(machine, grace)) {
                line.send(new Message(Message.Kind.MACHINE, MachineFields.of(machine.describe())));
                Optional<String> reason = CompareServer.obey(line, reader, orders, machine::close);
                if (reason.isPresent()) {
                    throw new RunFailedException(address.host() + " gave up: " + reason.get(), "");
                }
            } catch (PerftestException failure) {
                CompareServer.bye(line, failure.getMessage(), failure.remedy());
                throw failure;
            } catch (VerbsException failure) {
                // Its message contains the remedy.
                CompareServer.bye(line, failure.getMessage(), "");
                throw failure;
            }
        }
    }

    /** Connects, as soon as the other end listens and its name is known. */
    private Line connect(PeerAddress address, Duration patience) {
        Limits limits = new Limits(patience);
        while (true) {
            try {
                return new Line(
                        Protocol.MESH,
                        address.connect(limits.left().compareTo(Limits.STEP) < 0 ? atLeast(limits) : Limits.STEP));
            } catch (IOException failure) {
                if (limits.left().isZero()) {
                    throw unreachable(address, patience, failure);
                }
                LockSupport.parkNanos(RETRY_NANOS);
            }
        }
    }

    private PerftestException unreachable(PeerAddress address, Duration patience, IOException failure) {
        ConnectFailure kind = ConnectFailure.of(failure);
        boolean unknown = kind == ConnectFailure.NO_ADDRESS;
        String remedy = unknown
                ? "correct the list of hosts, or give --server the IP address of rank 0; a pod has a name only until"
                        + " it ends"
                : kind.remedy(address.host());
        return RunFailedException.ofLostPeer(
                "rank " + rank + " has not reached rank 0 at " + address + " within " + patience.toSeconds() + " s: "
                        + (unknown ? "no address is known for the name " + address.host() : failure.getMessage()),
                remedy.isEmpty()
                        ? "check that rank 0 was started, that it has not begun without this host (--arrival), and that TCP"
                                + " port " + address.port() + " is allowed"
                        : remedy);
    }

    private static Duration atLeast(Limits limits) {
        return limits.left().plusMillis(1);
    }

    /** Returns how long the other end may be silent. */
    private Duration handshake(Line line, PeerAddress address) {
        line.send(new Message(
                Message.Kind.HELLO,
                new Fields()
                        .with(PeerFields.VERSION, BuildInfo.version())
                        .with(PeerFields.JOB, job)
                        .with(PeerFields.RANK, rank)
                        .with(PeerFields.HOST, host)));
        Message answer;
        try {
            answer = line.receive(PeerFields.GRACE);
        } catch (PeerLostException failure) {
            throw new PeerLostException(
                    address + " does not answer as rank 0 of rdma4j mesh does: " + failure.getMessage());
        } catch (BadMessageException failure) {
            throw new RunFailedException(
                    address + " does not answer as rank 0 of rdma4j mesh does: " + failure.getMessage(),
                    "check that --server and --port (default " + Protocol.MESH.port() + ") name rank 0");
        }
        if (answer.kind() != Message.Kind.HELLO || answer.version() != Message.VERSION) {
            throw new RunFailedException(
                    "rank 0 at " + address + " refuses rank " + rank + ": "
                            + answer.fields().text(PeerFields.REASON, "it runs another version of rdma4j"),
                    answer.fields().text(PeerFields.REMEDY, "install the same version on all hosts"));
        }
        return Duration.ofSeconds(answer.fields().integer(PeerFields.PATIENCE, 1, MOST_SECONDS));
    }
}
