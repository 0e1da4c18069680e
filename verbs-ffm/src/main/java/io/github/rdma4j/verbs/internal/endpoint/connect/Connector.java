// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.connect;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.cm.CmEvent;
import io.github.rdma4j.verbs.cm.ConnectionRejectedException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointException;
import io.github.rdma4j.verbs.endpoint.IncompatiblePeerException;
import io.github.rdma4j.verbs.endpoint.MemoryHandle;
import io.github.rdma4j.verbs.endpoint.NotAdmittedException;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAssembly;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointExceptions;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.group.GroupAccess;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Hello;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Refusal;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.srd.ElasticFabric;
import io.github.rdma4j.verbs.internal.events.EndpointConnectEvent;
import io.github.rdma4j.verbs.internal.events.Recorder;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The client's part of the handshake. */
public final class Connector {
    static final String SPEAK_THE_SAME =
            "check that an endpoint server listens on this port, and use versions of rdma4j that speak the same protocol";

    private Connector() {}

    /**
     * Connects to the first address that answers.
     *
     * @param server the address for messages
     * @param name the name to resolve, of which {@code server} may be an address; null if there is none
     */
    public static Endpoint connect(InetSocketAddress server, String name, EndpointSettings config, Duration timeout) {
        EndpointConnectEvent event = Recorder.isThere() ? EndpointConnectEvent.begun() : null;
        long start = System.nanoTime();
        try {
            EndpointSettings resolved = config.localAddress() == null
                    ? config
                    : config.withLocalAddress(resolved("connecting from", config.localAddress()));
            List<InetSocketAddress> addresses =
                    suitable(addresses("connecting to", server, name), resolved.localAddress());
            Duration rest = name == null ? timeout : left(timeout, start);
            Endpoint endpoint = switch (config.transport()) {
                case RDMA -> connectOverRdma(server, addresses, resolved, rest, false);
                case TCP, RDMA_WITH_FAILOVER -> connectOverTcp(server, addresses, resolved, null, rest);
                case RDMA_OR_TCP -> connectOverEither(server, addresses, resolved, rest);
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

    /** {@return the host name if the address is unresolved; otherwise null} */
    public static String unresolvedName(InetSocketAddress server) {
        return server.isUnresolved() ? server.getHostString() : null;
    }

    /**
     * Returns the name of an address without a query to a name server.
     *
     * @return the name with which the address was created; null if it was created from a number
     */
    public static String nameOf(InetSocketAddress server) {
        String host = server.getHostString();
        return server.isUnresolved() || !host.equals(server.getAddress().getHostAddress()) ? host : null;
    }

    /**
     * Resolves a local address.
     *
     * @param doing the operation, for the message of an exception
     * @param local the address
     */
    public static InetSocketAddress resolved(String doing, InetSocketAddress local) {
        return local.isUnresolved()
                ? addresses(doing, local, local.getHostString()).getFirst()
                : local;
    }

    /** {@return all addresses of a name, first the address of {@code server} if the name still has it} */
    private static List<InetSocketAddress> addresses(String doing, InetSocketAddress server, String name) {
        if (name == null) {
            return List.of(server);
        }
        try {
            List<InetAddress> found = new ArrayList<>(List.of(InetAddress.getAllByName(name)));
            if (found.remove(server.getAddress())) {
                found.addFirst(server.getAddress());
            }
            return found.stream()
                    .map(address -> new InetSocketAddress(address, server.getPort()))
                    .toList();
        } catch (UnknownHostException e) {
            if (!server.isUnresolved()) {
                return List.of(server);
            }
            // The JDK reports a scoped address with a wrong interface as an unknown host.
            boolean isScope = String.valueOf(e.getMessage()).startsWith("no such interface ");
            EndpointException unknown = ACCESS.endpointException(
                    "%s %s:%d".formatted(doing, name, server.getPort()),
                    isScope ? e.getMessage() : "no address is known for the name " + name,
                    isScope
                            ? "name one of this machine's network interfaces behind the %, from ip link"
                            : "check the name ('getent hosts %s'); one that is new may take a while to be known"
                                    .formatted(name));
            unknown.initCause(e);
            throw unknown;
        }
    }

    /** {@return the addresses of the local address's family, or all addresses if there are none} */
    private static List<InetSocketAddress> suitable(List<InetSocketAddress> addresses, InetSocketAddress local) {
        if (local == null || local.getAddress().isAnyLocalAddress()) {
            return addresses;
        }
        boolean ipv6 = local.getAddress() instanceof Inet6Address;
        List<InetSocketAddress> suitable = addresses.stream()
                .filter(address -> address.getAddress() instanceof Inet6Address == ipv6)
                .toList();
        return suitable.isEmpty() ? addresses : suitable;
    }

    private static Duration left(Duration timeout, long start) {
        return Duration.ofNanos(Math.max(0, Timeouts.nanos(timeout) - (System.nanoTime() - start)));
    }

    /** @param adapter the EFA for SRD; null to use TCP */
    private static Endpoint connectOverTcp(
            InetSocketAddress server,
            List<InetSocketAddress> addresses,
            EndpointSettings config,
            DeviceContext adapter,
            Duration timeout) {
        return inTurn(
                server, addresses, timeout, (address, limit) -> TcpConnector.connect(address, config, adapter, limit));
    }

    private static Endpoint connectOverRdma(
            InetSocketAddress server,
            List<InetSocketAddress> addresses,
            EndpointSettings config,
            Duration timeout,
            boolean onTrial) {
        DeviceContext adapter = ElasticFabric.find(config).orElse(null);
        if (adapter != null) {
            ElasticFabric.require(adapter, config);
            return connectOverTcp(server, addresses, config, adapter, timeout);
        }
        return inTurn(server, addresses, timeout, (address, limit) -> connectOverRdma(address, config, limit, onTrial));
    }

    /**
     * Tries the addresses in turn, each for an equal part of the remaining time. A refusal by a server ends the
     * attempt.
     */
    private static Endpoint inTurn(
            InetSocketAddress server,
            List<InetSocketAddress> addresses,
            Duration timeout,
            BiFunction<InetSocketAddress, Duration, Endpoint> attempt) {
        if (addresses.size() == 1) {
            return attempt.apply(addresses.getFirst(), timeout);
        }
        long start = System.nanoTime();
        List<VerbsException> failures = new ArrayList<>();
        for (InetSocketAddress address : addresses) {
            try {
                return attempt.apply(address, left(timeout, start).dividedBy(addresses.size() - failures.size()));
            } catch (WaitInterruptedException | NotAdmittedException | IncompatiblePeerException e) {
                throw e;
            } catch (VerbsException e) {
                failures.add(e);
            }
        }
        EndpointException none = ACCESS.endpointException(
                "connecting to " + server,
                "none of its %d addresses can be reached (%s)"
                        .formatted(
                                addresses.size(),
                                failures.stream().map(Connector::cause).collect(Collectors.joining("; "))),
                failures.stream()
                        .map(VerbsException::remedy)
                        .filter(remedy -> !remedy.isEmpty())
                        .distinct()
                        .collect(Collectors.joining("; or ")));
        none.initCause(failures.removeFirst());
        failures.forEach(none::addSuppressed);
        throw none;
    }

    private static Endpoint connectOverEither(
            InetSocketAddress server, List<InetSocketAddress> addresses, EndpointSettings config, Duration timeout) {
        long start = System.nanoTime();
        long half = Timeouts.nanos(timeout) / 2;
        RuntimeException rdma;
        try {
            Duration limit =
                    Duration.ofNanos(Math.min(Timeouts.nanos(config.times().rdma()), half));
            return connectOverRdma(server, addresses, config, limit, true);
        } catch (WaitInterruptedException | NotAdmittedException e) {
            // A client that is not admitted over RDMA would not be admitted over TCP either.
            throw e;
        } catch (RuntimeException e) {
            rdma = e;
        }
        try {
            return ACCESS.withRdmaFailure(connectOverTcp(server, addresses, config, null, left(timeout, start)), rdma);
        } catch (WaitInterruptedException e) {
            e.addSuppressed(rdma);
            throw e;
        } catch (RuntimeException tcp) {
            throw neither("connecting to " + server, rdma, tcp);
        }
    }

    /** A peer that is incompatible over one transport is incompatible over both: then the exception says so. */
    static EndpointException neither(String operation, RuntimeException rdma, RuntimeException tcp) {
        String explanation = "neither over RDMA (%s) nor over TCP (%s)".formatted(cause(rdma), cause(tcp));
        String remedy = Stream.of(remedy("RDMA", rdma), remedy("TCP", tcp))
                .filter(each -> !each.isEmpty())
                .collect(Collectors.joining("; ", "fix one of the two: ", ""));
        boolean incompatible = rdma instanceof IncompatiblePeerException || tcp instanceof IncompatiblePeerException;
        EndpointException neither = incompatible
                ? ACCESS.incompatiblePeer(operation, explanation, remedy)
                : ACCESS.endpointException(operation, explanation, remedy);
        neither.initCause(rdma);
        neither.addSuppressed(tcp);
        return neither;
    }

    /** {@return the message without the remedy} */
    private static String cause(RuntimeException failure) {
        return failure instanceof VerbsException verbs ? verbs.problem() : String.valueOf(failure.getMessage());
    }

    /** {@return the remedy; empty if the failure has none} */
    private static String remedy(String way, RuntimeException failure) {
        String remedy = failure instanceof VerbsException verbs ? verbs.remedy() : "";
        return remedy.isEmpty() ? "" : way + ": " + remedy;
    }

    private static Endpoint connectOverRdma(
            InetSocketAddress server, EndpointSettings config, Duration timeout, boolean onTrial) {
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
            byte[] hello = established.privateData();
            Hello peer = understood("connecting to " + server, hello, config);
            Endpoint endpoint = EndpointAssembly.ofClient(
                    link, link.isIwarp(), link.transport(config), Memories.of(link.domain()), config, peer);
            MemoryHandle place = onTrial ? PathProbe.placeIn(hello) : null;
            if (place != null) {
                // If the next step fails, the endpoint closes the link.
                link = null;
                PathProbe.tryOut(endpoint, place, left(timeout, start));
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

    /** Decodes the server's hello. Throws if it is a refusal, or not compatible with this side. */
    static Hello understood(String operation, byte[] hello, EndpointSettings config) {
        if (Hello.isRefusal(hello)) {
            throw EndpointExceptions.refused(operation, Hello.refusalOf(hello));
        }
        String problem = Hello.problem(hello);
        if (!problem.isEmpty()) {
            throw ACCESS.incompatiblePeer(operation, problem, SPEAK_THE_SAME);
        }
        Hello peer = Hello.parse(hello);
        if (peer.integrity() != config.sizes().integrity()) {
            throw EndpointExceptions.refused(
                    operation, config.sizes().integrity() ? Refusal.SUMS_UNWANTED : Refusal.SUMS_WANTED);
        }
        return peer;
    }

    /** {@return the domain of an endpoint, or of all endpoints of a server; counts one more user} */
    public static SharedDomain domain(DeviceContext device, EndpointSettings config) {
        if (config.protectionDomain() != null) {
            return SharedDomain.of(config.protectionDomain());
        }
        return config.group() == null
                ? SharedDomain.allocate(device)
                : GroupAccess.ACCESS.queues(config.group(), device).shareDomain();
    }

    private static Duration rest(InetSocketAddress server, Duration timeout, long start) {
        Duration rest = Duration.ofNanos(Timeouts.nanos(timeout) - (System.nanoTime() - start));
        if (!rest.isPositive()) {
            throw ACCESS.endpointException(
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

    /** Explains a refusal: its private data has the version of an endpoint server, and perhaps the reason. */
    private static RuntimeException explained(InetSocketAddress server, ConnectionRejectedException refusal) {
        byte[] data = refusal.privateData();
        boolean hasReason = Hello.isRefusal(data) && Hello.refusalOf(data) != Refusal.ANOTHER_PROTOCOL;
        if (!Hello.isHello(data) || Hello.versionOf(data) == Hello.VERSION && !hasReason) {
            return refusal;
        }
        EndpointException explained = hasReason
                ? EndpointExceptions.refused("connecting to " + server, Hello.refusalOf(data))
                : ACCESS.incompatiblePeer("connecting to " + server, Hello.problem(data), SPEAK_THE_SAME);
        explained.initCause(refusal);
        return explained;
    }
}
