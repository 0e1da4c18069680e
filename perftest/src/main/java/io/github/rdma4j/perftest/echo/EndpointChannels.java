// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.RunFailedException;
import io.github.rdma4j.verbs.endpoint.ClosedByPeerException;
import io.github.rdma4j.verbs.endpoint.ConnectionLostException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointGroup;
import io.github.rdma4j.verbs.endpoint.EndpointSelector;
import io.github.rdma4j.verbs.endpoint.MessageHandler;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Endpoints of a client, served by an {@link EndpointSelector}. */
final class EndpointChannels implements Channels {
    private static final Duration LOOK = Duration.ofMillis(10);

    private final EndpointSelector selector = EndpointSelector.open();
    private final EndpointGroup group;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private Receiver receiver;
    private int moves;

    /**
     * Connects.
     *
     * @param limit how long each connection may take
     */
    EndpointChannels(EchoSetting setting, Duration limit) {
        group = EndpointGroup.open(setting.connections());
        try {
            InetSocketAddress server = new InetSocketAddress(setting.address(), setting.port());
            for (int i = 0; i < setting.connections(); i++) {
                connect(server, setting, limit);
            }
            awaitRdma(setting, limit);
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    /**
     * Configures an endpoint of either side; everything else keeps its default. A group is used only with several
     * connections over RDMA: TCP does not support groups, and failover refuses them.
     */
    static void configure(EchoSetting setting, EndpointGroup group, EndpointConfig config) {
        boolean ofRdmaAlone = setting.transport().ofEndpoints() == io.github.rdma4j.verbs.endpoint.Transport.RDMA;
        if (setting.connections() > 1 && ofRdmaAlone) {
            config.group(group);
        }
        config.transport(setting.transport().ofEndpoints())
                .integrity(setting.transport() == Transport.ENDPOINT_SUMS)
                .receiveBuffers(setting.depth())
                .sendDepth(setting.depth())
                .maxMessageSize(setting.size());
    }

    /** With failover an endpoint begins over TCP, but the measurement is about RDMA. */
    private void awaitRdma(EchoSetting setting, Duration limit) {
        if (setting.transport() != Transport.ENDPOINT_FAILOVER) {
            return;
        }
        long begin = System.nanoTime();
        Optional<Endpoint> other = overTcp();
        while (other.isPresent()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                Optional<RuntimeException> why = other.get().rdmaFailure();
                throw new RunFailedException(
                        "an endpoint with failover is still over TCP after " + limit.toSeconds() + " s"
                                + why.map(reason -> ": " + reason.getMessage()).orElse(""),
                        "leave failover out with --over rdma,tcp, or give more time with --timeout");
            }
            selector.select(LOOK);
            other = overTcp();
        }
        moves = 0;
    }

    private Optional<Endpoint> overTcp() {
        return endpoints.stream()
                .filter(one -> one.transport() == io.github.rdma4j.verbs.endpoint.Transport.TCP)
                .findFirst();
    }

    private void connect(InetSocketAddress server, EchoSetting setting, Duration limit) {
        Endpoint endpoint = Endpoint.connect(
                server,
                config -> {
                    configure(setting, group, config);
                    config.onMove(_ -> moves++);
                },
                limit);
        int connection = endpoints.size();
        endpoints.add(endpoint);
        // One for each connection, made here: none is made while messages are measured.
        MessageHandler handler = message -> receiver.received(connection, message.segment());
        selector.add(endpoint, ready -> take(ready, handler));
    }

    private static void take(Endpoint endpoint, MessageHandler handler) {
        try {
            if (endpoint.poll(handler) == Endpoint.CLOSED_BY_PEER) {
                throw closed();
            }
        } catch (ConnectionLostException lost) {
            throw lost(lost);
        }
    }

    private static RunFailedException closed() {
        return RunFailedException.ofLostPeer(
                "the server has closed an endpoint in the middle of the run", "see what it has printed");
    }

    private static RunFailedException lost(ConnectionLostException lost) {
        return RunFailedException.ofLostPeer(
                "the connection of an endpoint was lost: " + lost.getMessage(),
                "see what the server has printed, and whether its process was killed");
    }

    @Override
    public int connections() {
        return endpoints.size();
    }

    @Override
    public boolean trySend(int connection, MemorySegment message) {
        try {
            return switch (endpoints.get(connection).trySend(message)) {
                case Endpoint.OK -> true;
                case Endpoint.CLOSED_BY_PEER -> throw closed();
                default -> false;
            };
        } catch (ClosedByPeerException _) {
            throw closed();
        } catch (ConnectionLostException lost) {
            throw lost(lost);
        }
    }

    @Override
    public int moves() {
        return moves;
    }

    /** Messages have already been sent. */
    @Override
    public void flush() {}

    /**
     * Spins as the client of {@link TcpChannels} does: on Linux a sleep ends 50 µs late, which would be added to the
     * latency of the message that is due.
     */
    @Override
    public void takeIn(long nanoseconds, Receiver hearer) {
        receiver = hearer;
        long now = System.nanoTime();
        long milliseconds = TimeUnit.NANOSECONDS.toMillis(nanoseconds);
        if (milliseconds > 0) {
            selector.select(now, TimeUnit.MILLISECONDS.toNanos(milliseconds));
        } else {
            long end = now + nanoseconds;
            while (selector.select(now, 0) == 0 && now - end < 0) {
                Thread.onSpinWait();
                now = System.nanoTime();
            }
        }
    }

    @Override
    public void close() {
        selector.close();
        endpoints.forEach(Endpoint::close);
        group.close();
    }
}
