// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.TimeText;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The client's part of the handshake over TCP. */
final class TcpConnector {
    private TcpConnector() {}

    static Endpoint connect(InetSocketAddress server, EndpointConfig config, Duration timeout) {
        NativeLibraries.requireSystem();
        String operation = "connecting to %s over TCP".formatted(server);
        long start = System.nanoTime();
        StreamSocket socket = StreamSocket.connect(operation, config.localAddress(), server);
        try (EventPoller poller = EventPoller.open()) {
            TcpLink unnamed = new TcpLink(socket);
            poller.add(unnamed);
            socket.arm(true);
            await(operation, poller, timeout, start);
            int errno = socket.connectFailure();
            if (errno != 0) {
                throw new VerbsException(
                        operation, errno, "", "see that an endpoint server over TCP listens there, and the firewall");
            }
            return greet(operation, new TcpLink(socket), poller, config, timeout, start);
        } catch (Throwable e) {
            CloseAll.after(e, socket::close);
            throw e;
        }
    }

    private static Endpoint greet(
            String operation, TcpLink link, EventPoller poller, EndpointConfig config, Duration timeout, long start) {
        try (TcpHandshake words = new TcpHandshake(link.socket())) {
            words.say(Failover.greeting(config, config.hello()));
            byte[] greeting = null;
            while (greeting == null) {
                boolean sent = words.sendRest();
                greeting = words.heard();
                if (greeting == null) {
                    link.socket().takeEvent();
                    link.socket().arm(!sent);
                    await(operation, poller, timeout, start);
                }
            }
            Hello peer = Connector.understood(operation, greeting, config);
            if (!config.isFailover()) {
                return endpoint(link, config, new Exposures(), peer);
            }
            Failover.require(operation, greeting);
            return Failover.endpoint(
                    true, link, config, new Exposures(), peer, place -> Connector.domain(place.device(), config));
        }
    }

    private static void await(String operation, EventPoller poller, Duration timeout, long start) {
        Duration rest = Duration.ofNanos(Math.max(0, Engine.nanos(timeout) - (System.nanoTime() - start)));
        int ready;
        try {
            ready = poller.select(rest, source -> {});
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException(operation);
        }
        if (ready == 0) {
            throw new EndpointException(
                    operation,
                    "no answer within " + TimeText.of(timeout),
                    "see that the server's program accepts clients, and the firewall, or allow more time");
        }
    }

    /** An endpoint over a connection whose two sides have greeted each other. */
    static Endpoint endpoint(TcpLink link, EndpointConfig config, Exposures exposures, Hello peer) {
        TcpCarrier carrier = new TcpCarrier(link, config, exposures);
        try {
            return EndpointAssembly.over(
                    link, carrier, new Memories.Served(exposures, config.protectionDomain()), config, peer);
        } catch (Throwable e) {
            CloseAll.after(e, carrier::close, carrier::free);
            throw e;
        }
    }
}
