// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.echo;

import io.github.rdma4j.perftest.exit.TestFailedException;
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

/** Endpoints of a client, served by an {@link EndpointSelector}. */
final class EndpointChannels implements Channels {
    private final EndpointSelector selector = EndpointSelector.open();
    private final EndpointGroup group;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private Receiver receiver;

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
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    /** What an endpoint of either side is to be; everything else has its default. One alone has its own queues. */
    static void configure(EchoSetting setting, EndpointGroup group, EndpointConfig config) {
        if (setting.connections() > 1) {
            config.group(group);
        }
        config.receiveBuffers(setting.depth()).sendDepth(setting.depth()).maxMessageSize(setting.size());
    }

    private void connect(InetSocketAddress server, EchoSetting setting, Duration limit) {
        Endpoint endpoint = Endpoint.connect(server, config -> configure(setting, group, config), limit);
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

    private static TestFailedException closed() {
        return TestFailedException.ofLostPeer(
                "the server has closed an endpoint in the middle of the run", "see what it has printed");
    }

    private static TestFailedException lost(ConnectionLostException lost) {
        return TestFailedException.ofLostPeer(
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

    /** What was sent has left already. */
    @Override
    public void flush() {}

    @Override
    public void takeIn(long nanoseconds, Receiver hearer) {
        receiver = hearer;
        selector.select(Duration.ofNanos(nanoseconds));
    }

    @Override
    public void close() {
        selector.close();
        endpoints.forEach(Endpoint::close);
        group.close();
    }
}
