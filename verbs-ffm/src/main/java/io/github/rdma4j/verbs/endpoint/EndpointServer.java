// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.StreamSocket;
import io.github.rdma4j.verbs.internal.endpoint.connect.Acceptor;
import io.github.rdma4j.verbs.internal.endpoint.connect.AdmissionControl;
import io.github.rdma4j.verbs.internal.endpoint.connect.Connector;
import io.github.rdma4j.verbs.internal.endpoint.connect.PathProbe;
import io.github.rdma4j.verbs.internal.endpoint.connect.Reception;
import io.github.rdma4j.verbs.internal.endpoint.connect.SrdService;
import io.github.rdma4j.verbs.internal.endpoint.connect.TcpReception;
import io.github.rdma4j.verbs.internal.endpoint.connect.VerbsReception;
import io.github.rdma4j.verbs.internal.endpoint.engine.CloseAll;
import io.github.rdma4j.verbs.internal.endpoint.engine.EndpointSettings;
import io.github.rdma4j.verbs.internal.endpoint.engine.Exposures;
import io.github.rdma4j.verbs.internal.endpoint.engine.Memories;
import io.github.rdma4j.verbs.internal.endpoint.failover.RoceDialer;
import io.github.rdma4j.verbs.internal.endpoint.rdma.SharedDomain;
import io.github.rdma4j.verbs.internal.endpoint.srd.ElasticFabric;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Listens at an address and makes an {@link Endpoint} of each client. All endpoints share one protection domain for
 * each device, so every client can use memory that is exposed once.
 *
 * <p>Thread safety: any thread may call any method, and several threads can accept at a time. Closing the server ends
 * their waits with an {@link IllegalStateException}; endpoints that it has accepted stay open.
 *
 * @since 0.1.0
 */
public final class EndpointServer implements AutoCloseable {
    /**
     * Clients that wait in the kernel until this server handles them; the kernel may allow fewer (net.core.somaxconn).
     * It drops further clients: over TCP they retry after 1 s, 3 s and 7 s, or are reset.
     */
    private static final int BACKLOG = AdmissionControl.MOST_HANDSHAKES;
    /** How many ports to try that are free for TCP but not for RDMA. */
    private static final int MOST_PORTS = 8;

    /** Null without RDMA, and with an EFA. */
    private final SynchronousId listener;
    /** The EFA whose clients connect over TCP and then use SRD; null if there is none. */
    private final DeviceContext adapter;

    private final InetSocketAddress address;
    private final EndpointSettings config;
    /** The memory that clients over TCP may use; null if there are no such clients. */
    private final Exposures exposures;
    /** Guarded by its own monitor. */
    private final Map<DeviceContext, SharedDomain> domains = new HashMap<>();

    private final AdmissionControl admission;
    private final Acceptor acceptor;
    /** By device; guarded by {@link #domains}. */
    private final Map<DeviceContext, PathProbe> pathProbes = new HashMap<>();

    private volatile VerbsException rdmaFailure;
    private volatile boolean open = true;

    private EndpointServer(
            SynchronousId listener,
            StreamSocket socket,
            EndpointSettings config,
            DeviceContext adapter,
            VerbsException rdmaFailure) {
        this.listener = listener;
        this.adapter = adapter;
        this.config = config;
        this.admission = new AdmissionControl(config);
        this.rdmaFailure = rdmaFailure;
        this.exposures = socket == null ? null : new Exposures();
        this.address = socket == null ? listener.id().localAddress().orElseThrow() : socket.localAddress();
        List<Reception> receptions = new ArrayList<>();
        if (listener != null) {
            boolean both = socket != null;
            receptions.add(new VerbsReception(
                    toString(),
                    listener,
                    config,
                    admission,
                    device -> domainOf(device).share(),
                    exposures,
                    both ? this::pathProbeOf : null,
                    both ? failure -> this.rdmaFailure = failure : null));
        }
        if (socket != null) {
            receptions.add(new TcpReception(
                    toString(),
                    socket,
                    config,
                    admission,
                    exposures,
                    place -> domainOf(place.device()).share(),
                    adapter == null ? null : srdService()));
        }
        this.acceptor = new Acceptor(toString(), receptions);
    }

    private SrdService srdService() {
        boolean both = config.transport() == Transport.RDMA_OR_TCP;
        return new SrdService(
                () -> domainOf(adapter).share(),
                both ? () -> pathProbeOf(adapter) : null,
                both ? failure -> this.rdmaFailure = failure : null);
    }

    /**
     * Binds to an address and listens, with the defaults of {@link EndpointConfig}.
     *
     * @param address of a network interface that has an RDMA device, or the wildcard address; port 0 chooses any port
     * @return the server; close it after use
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws io.github.rdma4j.verbs.VerbsException if there is no RDMA device, or the port is in use
     */
    public static EndpointServer bind(InetSocketAddress address) {
        return bind(address, settings -> {});
    }

    /**
     * Binds to an address and listens (rdma_bind_addr(3), rdma_listen(3); over TCP bind(2), listen(2)).
     *
     * <p>As with Java's sockets, the wildcard address ({@code new InetSocketAddress(port)}) accepts clients over IPv4
     * and IPv6. It accepts only one family if the other is switched off or {@code java.net.preferIPv4Stack} is set, and
     * over RDMA only its own family on a host with an iWARP device. An unresolved name is resolved; the server uses its
     * first address.
     *
     * @param address of a network interface that has an RDMA device, or the wildcard address; over TCP any address of
     *     this machine; port 0 chooses any port
     * @param configuration of the endpoints that it will accept
     * @return the server; close it after use
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws EndpointException if the name cannot be resolved: the cause is the {@link java.net.UnknownHostException}
     * @throws io.github.rdma4j.verbs.VerbsException if there is no RDMA device, or the port is in use
     * @throws IllegalArgumentException if settings contradict each other
     * @throws IllegalStateException if its group or protection domain is closed; not over TCP
     */
    public static EndpointServer bind(InetSocketAddress address, Consumer<EndpointConfig> configuration) {
        Objects.requireNonNull(address, "address");
        EndpointConfig chosen = new EndpointConfig();
        configuration.accept(chosen);
        EndpointSettings config = chosen.settings();
        InetSocketAddress local = Connector.resolved("listening at", address);
        return switch (config.transport()) {
            case RDMA -> bindToRdma(local, config);
            case TCP, RDMA_WITH_FAILOVER -> bindToTcp(local, config, null);
            case RDMA_OR_TCP -> bindToBoth(local, config);
        };
    }

    private static EndpointServer bindToRdma(InetSocketAddress address, EndpointSettings config) {
        Optional<DeviceContext> adapter = ElasticFabric.find(config);
        if (adapter.isPresent()) {
            ElasticFabric.require(adapter.get(), config);
            return bindToTcp(address, config, adapter.get());
        }
        SynchronousId listener = SynchronousId.create(PortSpace.TCP);
        try {
            listener.listen(address, BACKLOG);
            return new EndpointServer(listener, null, config, null, null);
        } catch (Throwable e) {
            CloseAll.after(e, listener::close);
            throw e;
        }
    }

    private static StreamSocket listen(InetSocketAddress address) {
        NativeLibraries.requireSystem();
        return StreamSocket.listen("listening at %s over TCP".formatted(address), address, BACKLOG);
    }

    private static EndpointServer bindToTcp(InetSocketAddress address, EndpointSettings config, DeviceContext adapter) {
        StreamSocket socket = listen(address);
        try {
            return new EndpointServer(null, socket, config, adapter, null);
        } catch (Throwable e) {
            CloseAll.after(e, socket::close);
            throw e;
        }
    }

    /** With port 0, TCP chooses the port. If RDMA fails, the server accepts clients over TCP alone. */
    private static EndpointServer bindToBoth(InetSocketAddress address, EndpointSettings config) {
        StreamSocket socket = listen(address);
        SynchronousId listener = null;
        VerbsException failure = null;
        try {
            DeviceContext adapter = null;
            try {
                adapter = ElasticFabric.find(config).orElse(null);
                if (adapter != null) {
                    ElasticFabric.require(adapter, config);
                    return new EndpointServer(null, socket, config, adapter, null);
                }
            } catch (VerbsException e) {
                return new EndpointServer(null, socket, config, null, e);
            }
            for (int attempt = 1;
                    listener == null && (failure == null || isTaken(failure, address, attempt));
                    attempt++) {
                if (failure != null) {
                    socket.close();
                    socket = listen(address);
                    failure = null;
                }
                SynchronousId opened = null;
                try {
                    opened = SynchronousId.create(PortSpace.TCP);
                    opened.listen(
                            new InetSocketAddress(
                                    address.getAddress(), socket.localAddress().getPort()),
                            BACKLOG);
                    listener = opened;
                } catch (VerbsException e) {
                    failure = e;
                    if (opened != null) {
                        CloseAll.after(e, opened::close);
                    }
                }
            }
            return new EndpointServer(listener, socket, config, null, failure);
        } catch (Throwable e) {
            SynchronousId opened = listener;
            CloseAll.after(e, socket::close, () -> {
                if (opened != null) {
                    opened.close();
                }
            });
            throw e;
        }
    }

    /** Whether another port may work. */
    private static boolean isTaken(VerbsException failure, InetSocketAddress address, int attempt) {
        return address.getPort() == 0
                && attempt <= MOST_PORTS
                && failure.errnoName().equals("EADDRINUSE");
    }

    /**
     * {@return the address and port; with port 0 the chosen port. As with Java's channels, the wildcard address is
     * {@code ::} if the server accepts IPv4 and IPv6}
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Waits for a client and completes its connection. Clients of another protocol or protocol version are refused with
     * the reason. Clients that give up, or do not complete their connection within {@link
     * EndpointConfig#handshakeTimeout}, are dropped. Several clients may connect at a time without delaying each other.
     *
     * @param timeout how long to wait; zero or less does not wait. The next call continues a handshake that has begun
     * @return the endpoint, which you close after use; empty if no client came in time
     * @throws io.github.rdma4j.verbs.VerbsException if the device or the kernel lacks what this client needs (locked
     *     memory, file descriptors): this client is refused and the server continues. Over TCP a client for which there
     *     is no descriptor waits; the server retries, and throws again, every half second. Also thrown, on each call,
     *     if the listener has failed and there is no other one, for example because the device was removed
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this server is closed, before or during the call
     */
    public Optional<Endpoint> accept(Duration timeout) {
        return acceptor.accept(timeout);
    }

    /** {@return how many clients were accepted and refused, and why} */
    public ServerCounters counters() {
        return admission.counters();
    }

    Acceptor acceptor() {
        return acceptor;
    }

    private SharedDomain domainOf(DeviceContext context) {
        synchronized (domains) {
            requireOpen();
            return domains.computeIfAbsent(
                    config.protectionDomain() == null
                            ? context
                            : config.protectionDomain().context(),
                    device -> Connector.domain(device, config));
        }
    }

    private PathProbe pathProbeOf(DeviceContext device) {
        synchronized (domains) {
            SharedDomain domain = domainOf(device);
            return pathProbes.computeIfAbsent(device, key -> new PathProbe(domain.domain()));
        }
    }

    /**
     * Returns why a server with {@link Transport#RDMA_OR_TCP} accepts clients over TCP alone: RDMA failed when the
     * server was bound, or the listener failed later, for example because the device was removed. Otherwise returns the
     * last failure of a client that wanted RDMA.
     *
     * @return the failure, with its cause and what to do; empty if there is none
     */
    public Optional<VerbsException> rdmaFailure() {
        return Optional.ofNullable(rdmaFailure);
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /** The registry of exposed memory for clients over TCP alone, and for clients that move between transports. */
    private Memories memories() {
        if (config.isFailover()) {
            if (address.getAddress().isAnyLocalAddress()) {
                throw new IllegalStateException(this + " listens on all devices: bind it to the address of one, or"
                        + " expose memory by the endpoints");
            }
            try {
                return new Memories.Registered(
                        domainOf(RoceDialer.at(address).device()).domain(), exposures);
            } catch (VerbsException e) {
                // Its endpoints fail in the same way and stay on TCP.
                return new Memories.Served(exposures, config.protectionDomain());
            }
        }
        if (adapter != null) {
            return new Memories.Registered(domainOf(adapter).domain(), exposures);
        }
        return listener == null
                ? new Memories.Served(exposures, config.protectionDomain())
                : new Memories.Registered(domain(), exposures);
    }

    /**
     * Returns the protection domain of all endpoints that are accepted at this address, for memory that they share. It
     * closes with the last of them and this server, unless the configuration provided it.
     *
     * @return the domain
     * @throws IllegalStateException if the server listens at the wildcard address, and so on no particular device, or
     *     is closed
     * @throws UnsupportedOperationException over TCP, if the configuration did not provide a domain
     */
    public ProtectionDomain protectionDomain() {
        requireOpen();
        return memories().domain();
    }

    private ProtectionDomain domain() {
        return domainOf(listener.id()
                        .device()
                        .orElseThrow(() -> new IllegalStateException(this
                                + " listens on all devices: bind it to the address of one, or"
                                + " use Endpoint.protectionDomain")))
                .domain();
    }

    /**
     * Allocates memory that all clients can use.
     *
     * @param size in bytes, above 0
     * @param rights what clients may do: {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and {@link
     *     AccessFlag#REMOTE_ATOMIC}
     * @return the memory, zeroed. Close it after use. Closing {@link #protectionDomain()} closes it as well, but not
     *     over TCP
     * @throws IllegalStateException if the server listens over RDMA at the wildcard address, or is closed
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel refuses; if locked memory is exhausted, the message
     *     contains the limit and what to do
     */
    public ExposedMemory expose(long size, AccessFlag... rights) {
        requireOpen();
        return memories().expose(size, rights);
    }

    /** {@return whether this server has not been closed} */
    public boolean isOpen() {
        return open;
    }

    /**
     * Stops listening and refuses the clients that wait to be accepted. Does nothing if this server is already closed.
     */
    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>(List.of(acceptor::close));
        synchronized (domains) {
            open = false;
            pathProbes.values().forEach(pathProbe -> closes.add(pathProbe::close));
            pathProbes.clear();
            domains.values().forEach(domain -> closes.add(domain::letGo));
            domains.clear();
        }
        // Not under this lock: an accepting thread takes it while it holds the acceptor's lock.
        CloseAll.of(closes.toArray(Runnable[]::new));
    }

    /** {@return the address} */
    @Override
    public String toString() {
        return open ? "endpoint server at " + address : "closed endpoint server";
    }
}
