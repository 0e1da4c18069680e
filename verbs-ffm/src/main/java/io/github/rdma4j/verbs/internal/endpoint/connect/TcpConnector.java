// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EventPoller;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAssembly;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.failover.Failover;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdAddress;
import io.github.rdma4j.verbs.internal.endpoint.srd.SrdLink;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpHandshake;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpLink;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpTransport;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import io.github.rdma4j.verbs.internal.explain.RouteDiagnosis;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Supplier;

/** The client's part of the handshake over TCP. */
final class TcpConnector {
    private static final int ENETUNREACH = 101;
    private static final int ETIMEDOUT = 110;
    private static final int ECONNREFUSED = 111;
    private static final int EHOSTUNREACH = 113;

    /** The last word of a client over SRD: the path works, and the server may use it. */
    static final byte[] READY = {1};

    private TcpConnector() {}

    /** The handshake with a server. */
    private record Exchange(
            String operation, TcpLink link, TcpHandshake words, EventPoller poller, Duration timeout, long start) {
        /** Sends what is queued, and waits for an answer. */
        byte[] await(Supplier<byte[]> answer) {
            while (true) {
                boolean sent = words.sendRest();
                byte[] bytes = answer.get();
                if (bytes != null) {
                    return bytes;
                }
                link.socket().takeEvent();
                link.socket().arm(!sent);
                TcpConnector.await(operation, poller, timeout, start, TcpConnector::notAccepted);
            }
        }
    }

    /**
     * Connects.
     *
     * @param adapter the EFA for SRD; null to use TCP
     */
    static Endpoint connect(
            InetSocketAddress server, EndpointSettings config, DeviceContext adapter, Duration timeout) {
        NativeLibraries.requireSystem();
        String operation = "connecting to %s over TCP".formatted(server);
        long start = System.nanoTime();
        StreamSocket socket = begin(operation, config, server);
        try (EventPoller poller = EventPoller.open()) {
            TcpLink unnamed = new TcpLink(socket);
            poller.add(unnamed);
            socket.arm(true);
            await(operation, poller, timeout, start, () -> unanswered(config, server));
            int errno = socket.connectFailure();
            if (errno != 0) {
                throw refused(operation, errno, config, server);
            }
            TcpLink link = new TcpLink(socket);
            try (TcpHandshake words = new TcpHandshake(socket, operation)) {
                Exchange exchange = new Exchange(operation, link, words, poller, timeout, start);
                return adapter == null ? greet(exchange, config) : greetOverSrd(exchange, config, adapter);
            }
        } catch (Throwable e) {
            CloseAll.after(e, socket::close);
            throw e;
        }
    }

    private static Endpoint greet(Exchange exchange, EndpointSettings config) {
        String operation = exchange.operation;
        TcpLink link = exchange.link;
        exchange.words.queueHello(Failover.hello(config, config.hello()));
        byte[] hello = exchange.await(exchange.words::receiveHello);
        Hello peer = Connector.understood(operation, hello, config);
        if (!config.isFailover()) {
            return endpoint(link, config, new Exposures(), peer);
        }
        Failover.require(operation, hello);
        return Failover.endpoint(
                true, link, config, new Exposures(), peer, place -> Connector.domain(place.device(), config));
    }

    /** Offers SRD; a server that does not use it gets a client over TCP, unless this side takes SRD alone. */
    private static Endpoint greetOverSrd(Exchange exchange, EndpointSettings config, DeviceContext adapter) {
        boolean only = config.transport() == Transport.RDMA;
        TcpHandshake words = exchange.words;
        SrdLink srd = new SrdLink(exchange.link, Connector.domain(adapter, config), config);
        Endpoint endpoint = null;
        try {
            words.queueHello(Hello.withDatagrams(config.hello().toBytes(), only));
            words.queueMore(srd.address(null));
            byte[] hello = exchange.await(words::receiveHello);
            Hello peer = Connector.understood(exchange.operation, hello, config);
            if (!Hello.hasDatagrams(hello)) {
                SrdLink unused = srd;
                srd = null;
                unused.giveUp();
                return ACCESS.withRdmaFailure(
                        endpoint(exchange.link, config, new Exposures(), peer),
                        SrdService.notOffered(exchange.operation));
            }
            srd.connect(exchange.await(() -> words.receiveMore(0, SrdAddress.BYTES)));
            MemoryHandle probe = srd.probe();
            if (probe != null && probe.length() != PathProbe.BYTES) {
                throw ACCESS.incompatiblePeer(
                        exchange.operation, "the peer's handshake is damaged", "use the same version of rdma4j");
            }
            SrdLink ready = srd;
            srd = null;
            endpoint = SrdService.endpoint(ready, Memories.of(ready.domain()), config, peer);
            if (!only && probe != null) {
                Duration rest = exchange.timeout.minusNanos(System.nanoTime() - exchange.start);
                PathProbe.tryOut(endpoint, probe, rest);
            }
            // The kernel's buffer always has space for one byte more.
            words.queueMore(READY);
            words.sendRest();
            return endpoint;
        } catch (Throwable e) {
            if (srd != null) {
                CloseAll.after(e, srd::giveUp);
            } else if (endpoint != null) {
                CloseAll.after(e, endpoint::abort);
            }
            throw e;
        }
    }

    private static StreamSocket begin(String operation, EndpointSettings config, InetSocketAddress server) {
        try {
            return StreamSocket.connect(operation, config.localAddress(), server);
        } catch (VerbsException e) {
            throw server.isUnresolved() ? e : refused(operation, e, config, server);
        }
    }

    /** Explains a failure if its cause is this host. */
    private static VerbsException refused(
            String operation, VerbsException failure, EndpointSettings config, InetSocketAddress server) {
        Explanation ofThisHost = ofThisHost(config, server);
        return ofThisHost.isEmpty()
                ? failure
                : new VerbsException(operation, failure.errno(), ofThisHost.cause(), ofThisHost.remedy());
    }

    private static VerbsException refused(
            String operation, int errno, EndpointSettings config, InetSocketAddress server) {
        Explanation explanation = switch (errno) {
            case ECONNREFUSED ->
                new Explanation()
                        .add(
                                "nobody listens at this address and port for TCP",
                                "start the server, and see that its transport is TCP, RDMA_OR_TCP or"
                                        + " RDMA_WITH_FAILOVER; or RDMA, if both machines have an EFA");
            case ETIMEDOUT -> unanswered(config, server);
            case EHOSTUNREACH, ENETUNREACH -> {
                Explanation ofThisHost = ofThisHost(config, server);
                yield ofThisHost.isEmpty()
                        ? new Explanation()
                                .add(
                                        "no host answers for this address, or a router or firewall refuses it",
                                        "see that the server's host is up and has this address (ping it)")
                        : ofThisHost;
            }
            default -> new Explanation();
        };
        return new VerbsException(operation, errno, explanation.cause(), explanation.remedy());
    }

    private static Explanation ofThisHost(EndpointSettings config, InetSocketAddress server) {
        InetSocketAddress local = config.localAddress();
        return RouteDiagnosis.current().of(local == null ? null : local.getAddress(), server.getAddress());
    }

    /** Explains a timeout: the server's kernel answers for a listening program even before the program accepts. */
    private static Explanation unanswered(EndpointSettings config, InetSocketAddress server) {
        Explanation ofThisHost = ofThisHost(config, server);
        return ofThisHost.isEmpty()
                ? new Explanation()
                        .add(
                                "the server's host does not answer",
                                "see that it is up and has this address, and that no firewall drops TCP packets to this"
                                        + " port; or allow more time")
                : ofThisHost;
    }

    private static Explanation notAccepted() {
        return new Explanation()
                .add(
                        "the server's kernel has accepted the connection, and no endpoint server has answered",
                        "see that the server's program accepts clients, and that it is an endpoint server; or allow"
                                + " more time");
    }

    private static void await(
            String operation, EventPoller poller, Duration timeout, long start, Supplier<Explanation> silence) {
        Duration rest = Duration.ofNanos(Math.max(0, Timeouts.nanos(timeout) - (System.nanoTime() - start)));
        int ready;
        try {
            ready = poller.select(rest, source -> {});
        } catch (WaitInterruptedException e) {
            throw new WaitInterruptedException(operation);
        }
        if (ready == 0) {
            Explanation explanation = silence.get();
            throw ACCESS.endpointException(
                    operation,
                    "no answer within %s: %s".formatted(TimeText.of(timeout), explanation.cause()),
                    explanation.remedy());
        }
    }

    /** Creates an endpoint over a connection whose handshake is complete. */
    static Endpoint endpoint(TcpLink link, EndpointSettings config, Exposures exposures, Hello peer) {
        TcpTransport transport =
                new TcpTransport(link, config.sizes(), config.times().silence(), exposures, peer.receiveBuffers());
        try {
            return EndpointAssembly.over(
                    link, transport, new Memories.Served(exposures, config.protectionDomain()), config, peer);
        } catch (Throwable e) {
            CloseAll.after(e, transport::close, transport::free);
            throw e;
        }
    }
}
