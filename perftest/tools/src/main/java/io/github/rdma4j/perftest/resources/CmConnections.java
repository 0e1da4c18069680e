// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.resources;

import static io.github.rdma4j.verbs.QueuePairState.INIT;
import static io.github.rdma4j.verbs.QueuePairState.RTR;
import static io.github.rdma4j.verbs.QueuePairState.RTS;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.perftest.options.ConnectionType;
import io.github.rdma4j.perftest.options.RunParameters;
import io.github.rdma4j.perftest.options.Verb;
import io.github.rdma4j.perftest.wire.MeetingPoint;
import io.github.rdma4j.verbs.Destination;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairAttributesConfig;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.CmEventType;
import io.github.rdma4j.verbs.cm.ConnectConfig;
import io.github.rdma4j.verbs.cm.ConnectionId;
import io.github.rdma4j.verbs.cm.ConnectionParameters;
import io.github.rdma4j.verbs.cm.EventChannel;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.RejectReason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The rdma_cm connections of a test's queue pairs (-R). The client connects them one after the other; the server
 * accepts as many as it has queue pairs, in the order of arrival. Closing this disconnects them.
 *
 * <p>This class changes the states of connected queue pairs instead of librdmacm, so that -u applies to them on every
 * kernel. Datagram queue pairs are only resolved. If both sides send, the client's first datagram gives the server its
 * address.
 */
public final class CmConnections implements AutoCloseable {
    private static final int MIN_RNR_TIMER = 12;

    /** The status of an InfiniBand SIDR_REP message. */
    private static final int NO_SUCH_SERVICE = 1;

    /** TCP's error when no program listens; from linux/errno.h. */
    private static final int ECONNREFUSED = 111;

    /** C servers start to listen shortly after they have announced it. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final RunParameters parameters;
    private final RunDevice device;
    private final InetAddress server;
    private final Duration timeout;
    private final EventChannel channel = EventChannel.create();
    private final PortSpace portSpace;
    private ConnectionId listening;

    /**
     * Creates an object without connections.
     *
     * @param server on a client, the server's address that has answered
     */
    public CmConnections(RunParameters parameters, RunDevice device, InetAddress server) {
        this.parameters = parameters;
        this.device = device;
        this.server = server;
        this.timeout = parameters.peer().timeout();
        this.portSpace = parameters.connection() == ConnectionType.UD ? PortSpace.UDP : PortSpace.TCP;
    }

    /** Starts to listen, on a server. The client must not connect before. */
    public void listen() {
        if (parameters.isServer()) {
            listening = channel.createId(portSpace);
            listening.bind(parameters.peer().meetingPoint().listeningAddress());
            listening.listen(parameters.queues().queuePairs());
        }
    }

    /**
     * Connects queue pairs that are in their first state.
     *
     * @return where the datagrams of each go; null where there are none
     * @throws RunFailedException when the peer does not connect, or refuses
     */
    List<Destination> connect(RunResources resources) {
        List<Destination> destinations = new ArrayList<>();
        int count = resources.shape().queuePairs();
        if (parameters.isServer()) {
            accept(resources, count, destinations);
        } else {
            for (int i = 0; i < count; i++) {
                destinations.add(connect(resources, i));
            }
        }
        return destinations;
    }

    private void accept(RunResources resources, int count, List<Destination> destinations) {
        int established = 0;
        while (established < count) {
            CmEvent event = next("waiting for connection " + (established + 1) + " of " + count);
            if (event.type() == CmEventType.CONNECT_REQUEST && destinations.size() < count) {
                ConnectionId id = event.id();
                CmRoute.of(id, id.localAddress().orElseThrow().getAddress().getHostAddress())
                        .requireOn(device.deviceName(), parameters.path().devicePort());
                destinations.add(accept(event, resources, destinations.size()));
                // Datagrams have no connection that could be established.
                established += portSpace.isDatagram() ? 1 : 0;
            } else if (event.type() == CmEventType.ESTABLISHED) {
                established++;
            } else if (event.type() != CmEventType.CONNECT_REQUEST) {
                throw failed(event);
            } else {
                event.id().reject();
            }
        }
        listening.close();
    }

    private Destination accept(CmEvent request, RunResources resources, int index) {
        ConnectionId id = request.id();
        QueuePair queuePair = resources.queuePair(index);
        if (!portSpace.isDatagram()) {
            ConnectionParameters wanted = request.connectionParameters().orElseThrow();
            int responderResources = Math.min(outstanding(), wanted.responderResources());
            int initiatorDepth = Math.min(outstanding(), wanted.initiatorDepth());
            move(
                    id,
                    queuePair,
                    config -> config.maxDestinationReadAtomic(responderResources),
                    config -> config.maxReadAtomic(initiatorDepth));
            id.accept(config -> configure(config, queuePair, responderResources, initiatorDepth));
            return null;
        }
        id.useQueuePair(queuePair);
        if (!parameters.bothWays()) {
            id.accept(config -> configure(config, queuePair, 0, 0));
            return null;
        }
        DatagramHandshake handshake = new DatagramHandshake(resources, index, timeout);
        handshake.expect();
        id.accept(config -> configure(config, queuePair, 0, 0));
        return handshake.receive(id.port());
    }

    private Destination connect(RunResources resources, int index) {
        QueuePair queuePair = resources.queuePair(index);
        long begin = System.nanoTime();
        while (true) {
            ConnectionId id = resolve();
            if (portSpace.isDatagram()) {
                id.useQueuePair(queuePair);
            } else if (device.isIwarp()) {
                toInit(id, queuePair);
            }
            CmEvent answer;
            try {
                id.connect(config -> configure(config, queuePair, outstanding(), outstanding()));
                answer = next("connecting " + id);
            } catch (VerbsException refusal) {
                if (refusal.errno() != ECONNREFUSED || isOver(begin)) {
                    throw refusal;
                }
                // SoftiWARP connects by TCP within the call: there is no event.
                id.close();
                pause();
                continue;
            }
            if (answer.type() == CmEventType.CONNECT_RESPONSE) {
                // The server's answer contains the most outstanding reads.
                move(id, queuePair, config -> {}, config -> {});
                id.establish();
                return null;
            }
            if (answer.type() == CmEventType.ESTABLISHED && !portSpace.isDatagram()) {
                // On iWARP the kernel has changed the state of the queue pair.
                return null;
            }
            if (answer.type() == CmEventType.ESTABLISHED) {
                Destination destination =
                        answer.datagramParameters().orElseThrow().destination(resources.domain());
                if (parameters.bothWays()) {
                    new DatagramHandshake(resources, index, timeout).send(destination);
                }
                return destination;
            }
            if (!isNotListening(answer) || isOver(begin)) {
                throw failed(answer);
            }
            id.close();
            if (portSpace.isDatagram()) {
                // The next id moves the queue pair through its states again.
                queuePair.modify(config -> config.state(QueuePairState.RESET));
            }
            pause();
        }
    }

    private boolean isOver(long begin) {
        return System.nanoTime() - begin > timeout.toNanos();
    }

    /**
     * Returns whether no server listens: from the reject reason of a connection, the resolution status of datagrams, or
     * the TCP status of iWARP.
     */
    private boolean isNotListening(CmEvent answer) {
        if (device.isIwarp()) {
            return answer.status() == -ECONNREFUSED;
        }
        return portSpace.isDatagram()
                ? answer.type() == CmEventType.UNREACHABLE && answer.status() == NO_SUCH_SERVICE
                : answer.rejectReason() == RejectReason.INVALID_SERVICE_ID;
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private ConnectionId resolve() {
        MeetingPoint where = parameters.peer().meetingPoint();
        InetSocketAddress destination = new InetSocketAddress(server, where.port());
        ConnectionId id = channel.createId(portSpace);
        if (parameters.peer().typeOfService() >= 0) {
            id.options().typeOfService(parameters.peer().typeOfService());
        }
        if (where.source() == null) {
            id.resolveAddress(destination, timeout);
        } else {
            id.resolveAddress(where.source(server), destination, timeout);
        }
        expect(CmEventType.ADDR_RESOLVED, "finding the way to " + destination);
        id.resolveRoute(timeout);
        expect(CmEventType.ROUTE_RESOLVED, "finding the way to " + destination);
        return id;
    }

    private void expect(CmEventType type, String what) {
        CmEvent event = next(what);
        if (event.type() != type) {
            throw failed(event);
        }
    }

    private CmEvent next(String what) {
        return channel.nextEvent(timeout)
                .orElseThrow(() -> new RunFailedException(
                        what + " by rdma_cm took longer than " + timeout.toSeconds() + " s (--timeout)",
                        "see whether the peer still runs, and has the same -R and -q"));
    }

    private static RunFailedException failed(CmEvent event) {
        return new RunFailedException(
                "connecting queue pairs by rdma_cm failed: " + event.type()
                        + (event.status() == 0 ? "" : ": " + event.explanation()),
                event.type() == CmEventType.ROUTE_ERROR
                        ? "see that a subnet manager runs and knows both ports (sminfo, saquery)"
                        : "read what the peer printed, and see that it has the same -R and -q");
    }

    /** As in the C tools, only reads and atomics have outstanding requests at the peer. */
    private int outstanding() {
        return parameters.tool().verb() == Verb.READ || parameters.tool().verb() == Verb.ATOMIC
                ? device.outstandingReads()
                : 0;
    }

    private void configure(ConnectConfig config, QueuePair queuePair, int responderResources, int initiatorDepth) {
        config.queuePairNumber(queuePair.number())
                .responderResources(responderResources)
                .initiatorDepth(initiatorDepth)
                .retryCount(parameters.peer().retryCount())
                .rnrRetryCount(parameters.peer().retryCount());
    }

    private void move(
            ConnectionId id,
            QueuePair queuePair,
            Consumer<QueuePairAttributesConfig> toReceive,
            Consumer<QueuePairAttributesConfig> toSend) {
        toInit(id, queuePair);
        if (device.isIwarp()) {
            // The kernel does the rest with the connection.
            return;
        }
        queuePair.modify(id.queuePairAttributes(RTR)
                .andThen(config -> config.minRnrTimer(MIN_RNR_TIMER))
                .andThen(toReceive));
        queuePair.modify(id.queuePairAttributes(RTS)
                .andThen(config -> config.timeout(parameters.path().queuePairTimeout()))
                .andThen(toSend));
    }

    private void toInit(ConnectionId id, QueuePair queuePair) {
        queuePair.modify(id.queuePairAttributes(INIT)
                .andThen(config -> config.remoteAccess(RunQueuePairs.remoteAccess(parameters))));
    }

    @Override
    public void close() {
        channel.close();
    }
}
