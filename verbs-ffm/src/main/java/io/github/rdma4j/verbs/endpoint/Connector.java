// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.TimeText;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;
import io.github.rdma4j.verbs.internal.events.EndpointConnectEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.net.InetSocketAddress;
import java.time.Duration;

/** The client's part of the handshake. */
final class Connector {
    static final String SPEAK_THE_SAME = "use versions of rdma4j that speak the same protocol, on this port";

    private Connector() {}

    static Endpoint connect(InetSocketAddress server, EndpointConfig config, Duration timeout) {
        EndpointConnectEvent event = Recorder.isThere() ? EndpointConnectEvent.begun() : null;
        try {
            Endpoint endpoint = switch (config.transport()) {
                case RDMA -> connectOverRdma(server, config, timeout, false);
                case TCP, RDMA_WITH_FAILOVER -> TcpConnector.connect(server, config, timeout);
                case RDMA_OR_TCP -> connectOverEither(server, config, timeout);
            };
            if (event != null) {
                event.over(server, endpoint, null);
            }
            return endpoint;
        } catch (Throwable e) {
            if (event != null) {
                event.over(server, null, e);
            }
            throw e;
        }
    }

    private static Endpoint connectOverEither(InetSocketAddress server, EndpointConfig config, Duration timeout) {
        long start = System.nanoTime();
        long half = Engine.nanos(timeout) / 2;
        RuntimeException rdma;
        try {
            Duration limit = Duration.ofNanos(Math.min(Engine.nanos(config.rdmaTimeout()), half));
            return connectOverRdma(server, config, limit, true);
        } catch (WaitInterruptedException | NotAdmittedException e) {
            // Who is not let in would not be over TCP either.
            throw e;
        } catch (RuntimeException e) {
            rdma = e;
        }
        try {
            Duration rest = Duration.ofNanos(Math.max(0, Engine.nanos(timeout) - (System.nanoTime() - start)));
            return TcpConnector.connect(server, config, rest).insteadOfRdma(rdma);
        } catch (WaitInterruptedException e) {
            e.addSuppressed(rdma);
            throw e;
        } catch (RuntimeException tcp) {
            throw neither("connecting to " + server, rdma, tcp);
        }
    }

    /** Who is another one over one of the two is no other one over the second. */
    static EndpointException neither(String operation, RuntimeException rdma, RuntimeException tcp) {
        String explanation = "neither over RDMA (%s) nor over TCP (%s)".formatted(cause(rdma), cause(tcp));
        String remedy = "mend one of the two: " + remedy("RDMA", rdma) + "; " + remedy("TCP", tcp);
        boolean incompatible = rdma instanceof IncompatiblePeerException || tcp instanceof IncompatiblePeerException;
        EndpointException neither = incompatible
                ? new IncompatiblePeerException(operation, explanation, remedy)
                : new EndpointException(operation, explanation, remedy);
        neither.initCause(rdma);
        neither.addSuppressed(tcp);
        return neither;
    }

    /** Without the remedy. */
    private static String cause(RuntimeException failure) {
        String message = String.valueOf(failure.getMessage());
        String end = failure instanceof VerbsException verbs ? ". Remedy: " + verbs.remedy() : "";
        return message.endsWith(end) ? message.substring(0, message.length() - end.length()) : message;
    }

    private static String remedy(String way, RuntimeException failure) {
        return way + ": " + (failure instanceof VerbsException verbs ? verbs.remedy() : "see the cause");
    }

    private static Endpoint connectOverRdma(
            InetSocketAddress server, EndpointConfig config, Duration timeout, boolean onTrial) {
        long start = System.nanoTime();
        SynchronousId id = SynchronousId.create(PortSpace.TCP);
        CmLink link = null;
        try {
            if (config.localAddress() == null) {
                id.resolve(server, timeout);
            } else {
                id.resolve(config.localAddress(), server, timeout);
            }
            link = new CmLink(id, domain(id.id().device().orElseThrow(), config), config);
            CmLink ready = link;
            CmEvent established = id.connect(settings -> ready.greet(settings, config), rest(server, timeout, start));
            byte[] greeting = established.privateData();
            Hello peer = understood("connecting to " + server, greeting, config);
            Endpoint endpoint =
                    EndpointAssembly.ofClient(link, link.carrier(config), Memories.of(link.domain()), config, peer);
            MemoryHandle place = onTrial ? Canary.placeIn(greeting) : null;
            if (place != null) {
                // If it fails, the endpoint closes the link.
                link = null;
                Canary.tryOut(
                        endpoint,
                        place,
                        Duration.ofNanos(Math.max(0, Engine.nanos(timeout) - (System.nanoTime() - start))));
            }
            return endpoint;
        } catch (ConnectionRejectedException e) {
            closeAll(e, link, id);
            throw explained(server, e);
        } catch (Throwable e) {
            closeAll(e, link, id);
            throw e;
        }
    }

    /** What the server has said, unless it is a refusal, or nothing that this side can live with. */
    static Hello understood(String operation, byte[] greeting, EndpointConfig config) {
        if (Hello.isRefusal(greeting)) {
            throw EndpointExceptions.refused(operation, Hello.refusalOf(greeting));
        }
        String problem = Hello.problem(greeting);
        if (!problem.isEmpty()) {
            throw new IncompatiblePeerException(operation, problem, SPEAK_THE_SAME);
        }
        Hello peer = Hello.parse(greeting);
        if (peer.integrity() != config.integrity()) {
            throw EndpointExceptions.refused(
                    operation, config.integrity() ? Refusal.SUMS_UNWANTED : Refusal.SUMS_WANTED);
        }
        return peer;
    }

    /** The domain of an endpoint, or of all that a server accepts, with one user more. */
    static SharedDomain domain(DeviceContext device, EndpointConfig config) {
        if (config.protectionDomain() != null) {
            return SharedDomain.of(config.protectionDomain());
        }
        return config.group() == null
                ? SharedDomain.allocate(device)
                : config.group().on(device).shareDomain();
    }

    private static Duration rest(InetSocketAddress server, Duration timeout, long start) {
        Duration rest = Duration.ofNanos(Engine.nanos(timeout) - (System.nanoTime() - start));
        if (!rest.isPositive()) {
            throw new EndpointException(
                    "connecting to " + server,
                    "%s were over when the address was resolved and this side prepared; nothing was sent yet"
                            .formatted(TimeText.of(timeout)),
                    "allow more time");
        }
        return rest;
    }

    static void closeAll(Throwable failure, CmLink link, SynchronousId id) {
        if (link != null) {
            link.closeAfter(failure);
        }
        CloseAll.after(failure, id::close);
    }

    /** An endpoint server says in the private data of its refusal which version it speaks, and perhaps why. */
    private static RuntimeException explained(InetSocketAddress server, ConnectionRejectedException refusal) {
        byte[] data = refusal.privateData();
        boolean said = Hello.isRefusal(data) && Hello.refusalOf(data) != Refusal.ANOTHER_PROTOCOL;
        if (!Hello.isHello(data) || Hello.versionOf(data) == Hello.VERSION && !said) {
            return refusal;
        }
        EndpointException explained = said
                ? EndpointExceptions.refused("connecting to " + server, Hello.refusalOf(data))
                : new IncompatiblePeerException("connecting to " + server, Hello.problem(data), SPEAK_THE_SAME);
        explained.initCause(refusal);
        return explained;
    }
}
