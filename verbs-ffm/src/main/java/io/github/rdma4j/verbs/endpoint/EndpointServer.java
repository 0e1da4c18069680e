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
 * Waits for clients at an address, and makes an {@link Endpoint} of each. All of them share one protection domain (per
 * device), so what is exposed once, all clients can use.
 *
 * <p>Thread safety: all methods may be called from any thread; several can accept at a time. Closing the server ends
 * their waits with an {@link IllegalStateException}, and leaves the endpoints that it has accepted open.
 *
 * @since 0.1.0
 */
public final class EndpointServer implements AutoCloseable {
    /**
     * So many clients wait in the kernel until they are looked at; it may allow fewer (net.core.somaxconn). Of more the
     * kernel forgets some: over TCP they ask again after 1 s, 3 s, 7 s, or are reset.
     */
    private static final int BACKLOG = Doorkeeper.MOST_HANDSHAKES;
    /** So many are tried that TCP has free and RDMA not. */
    private static final int MOST_PORTS = 8;

    /** Null without RDMA. */
    private final SynchronousId listener;

    private final InetSocketAddress address;
    private final EndpointConfig config;
    /** The memory that clients over TCP may use; null if there are none. */
    private final Exposures exposures;
    /** Guarded by itself. */
    private final Map<DeviceContext, SharedDomain> domains = new HashMap<>();

    private final Doorkeeper doorkeeper;
    private final Acceptor acceptor;
    /** By device; guarded by {@link #domains}. */
    private final Map<DeviceContext, Canary> canaries = new HashMap<>();

    private volatile VerbsException rdmaFailure;
    private volatile boolean open = true;

    private EndpointServer(
            SynchronousId listener, StreamSocket socket, EndpointConfig config, VerbsException rdmaFailure) {
        this.listener = listener;
        this.config = config;
        this.doorkeeper = new Doorkeeper(config);
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
                    doorkeeper,
                    device -> domainOf(device).share(),
                    exposures,
                    both ? this::canaryOf : null,
                    both ? failure -> this.rdmaFailure = failure : null));
        }
        if (socket != null) {
            receptions.add(new TcpReception(
                    toString(),
                    socket,
                    config,
                    doorkeeper,
                    exposures,
                    place -> domainOf(place.device()).share()));
        }
        this.acceptor = new Acceptor(toString(), receptions);
    }

    /**
     * Takes an address and waits for clients, with the defaults of {@link EndpointConfig}.
     *
     * @param address of a network interface that has an RDMA device, or the wildcard address; port 0 takes any
     * @return the server, to be closed
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws io.github.rdma4j.verbs.VerbsException if there is no RDMA device, or the port is in use
     */
    public static EndpointServer bind(InetSocketAddress address) {
        return bind(address, settings -> {});
    }

    /**
     * Takes an address and waits for clients (rdma_bind_addr(3), rdma_listen(3); over TCP bind(2), listen(2)).
     *
     * <p>As with Java's sockets, the wildcard address ({@code new InetSocketAddress(port)}) takes clients over IPv4 and
     * IPv6. It takes one family alone where the other one is switched off or {@code java.net.preferIPv4Stack} is set,
     * and over RDMA its own family on a host with an iWARP device, which listens for one family at a time. A name that
     * is not resolved is looked up; the server takes its first address.
     *
     * @param address of a network interface that has an RDMA device, or the wildcard address; over TCP any address of
     *     this machine; port 0 takes any
     * @param configuration of the endpoints that it will accept
     * @return the server, to be closed
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws EndpointException if no address is known for the name: the cause is the {@link
     *     java.net.UnknownHostException}
     * @throws io.github.rdma4j.verbs.VerbsException if there is no RDMA device, or the port is in use
     * @throws IllegalArgumentException if the configuration asks for what cannot be had together
     * @throws IllegalStateException if its group or protection domain is closed; over TCP neither is asked
     */
    public static EndpointServer bind(InetSocketAddress address, Consumer<EndpointConfig> configuration) {
        Objects.requireNonNull(address, "address");
        EndpointConfig config = new EndpointConfig();
        configuration.accept(config);
        config.check();
        InetSocketAddress local = Connector.resolved("listening at", address);
        return switch (config.transport()) {
            case RDMA -> bindToRdma(local, config);
            case TCP, RDMA_WITH_FAILOVER -> bindToTcp(local, config);
            case RDMA_OR_TCP -> bindToBoth(local, config);
        };
    }

    private static EndpointServer bindToRdma(InetSocketAddress address, EndpointConfig config) {
        SynchronousId listener = SynchronousId.create(PortSpace.TCP);
        try {
            listener.listen(address, BACKLOG);
            return new EndpointServer(listener, null, config, null);
        } catch (Throwable e) {
            CloseAll.after(e, listener::close);
            throw e;
        }
    }

    private static StreamSocket listen(InetSocketAddress address) {
        NativeLibraries.requireSystem();
        return StreamSocket.listen("listening at %s over TCP".formatted(address), address, BACKLOG);
    }

    private static EndpointServer bindToTcp(InetSocketAddress address, EndpointConfig config) {
        StreamSocket socket = listen(address);
        try {
            return new EndpointServer(null, socket, config, null);
        } catch (Throwable e) {
            CloseAll.after(e, socket::close);
            throw e;
        }
    }

    /** TCP chooses the port, if any will do. Without RDMA, clients come over TCP alone. */
    private static EndpointServer bindToBoth(InetSocketAddress address, EndpointConfig config) {
        StreamSocket socket = listen(address);
        SynchronousId listener = null;
        VerbsException failure = null;
        try {
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
            return new EndpointServer(listener, socket, config, failure);
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

    /** Whether another port may do. */
    private static boolean isTaken(VerbsException failure, InetSocketAddress address, int attempt) {
        return address.getPort() == 0
                && attempt <= MOST_PORTS
                && failure.errnoName().equals("EADDRINUSE");
    }

    /**
     * {@return the address and port; the port is the one that was taken if any was asked for. The wildcard address is
     * {@code ::}, as with Java's channels, where clients over IPv4 and IPv6 are taken}
     */
    public InetSocketAddress address() {
        return address;
    }

    /**
     * Waits for a client, and completes its connection. Clients that speak another protocol, or another version of this
     * one, are refused and told why; those that give up while they connect are forgotten, and so are those that do not
     * complete their connection within {@link EndpointConfig#handshakeTimeout}. Several may connect at a time, and none
     * holds up another.
     *
     * @param timeout how long to wait; zero or less only looks. A handshake that has begun goes on at the next call
     * @return the endpoint, to be closed; empty if no client came in time
     * @throws io.github.rdma4j.verbs.VerbsException if the device or the kernel cannot give what this client needs
     *     (locked memory, file descriptors): this client is refused, and the server goes on. Over TCP a client for whom
     *     there is no descriptor waits: that is tried again, and thrown, every half second. Or, again and again, if the
     *     listener has failed, as that of a device that is taken out does, and there is no other one
     * @throws io.github.rdma4j.verbs.WaitInterruptedException if the thread is interrupted while it waits
     * @throws IllegalStateException if this server is closed, before or meanwhile
     */
    public Optional<Endpoint> accept(Duration timeout) {
        return acceptor.accept(timeout);
    }

    /** {@return what became of the clients until now; of those, too, that were refused} */
    public ServerCounters counters() {
        return doorkeeper.counters();
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

    private Canary canaryOf(DeviceContext device) {
        synchronized (domains) {
            SharedDomain domain = domainOf(device);
            return canaries.computeIfAbsent(device, key -> new Canary(domain.domain()));
        }
    }

    /**
     * Why clients come over TCP alone, with {@link Transport#RDMA_OR_TCP}, from the beginning or since the listener
     * over RDMA has failed, as that of a device that is taken out does; or what failed last for a client that wanted
     * RDMA.
     *
     * @return the failure, with cause and remedy; empty if there is none
     */
    public Optional<VerbsException> rdmaFailure() {
        return Optional.ofNullable(rdmaFailure);
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /** Where clients over TCP alone find what is exposed, and those that move. */
    private Memories memories() {
        if (config.isFailover()) {
            if (address.getAddress().isAnyLocalAddress()) {
                throw new IllegalStateException(this + " listens on all devices: bind it to the address of one, or"
                        + " expose memory by the endpoints");
            }
            try {
                return new Memories.Registered(
                        domainOf(RoceWay.at(address).device()).domain(), exposures);
            } catch (VerbsException e) {
                // Its endpoints find the same, and stay with TCP.
                return new Memories.Served(exposures, config.protectionDomain());
            }
        }
        return listener == null
                ? new Memories.Served(exposures, config.protectionDomain())
                : new Memories.Registered(domain(), exposures);
    }

    /**
     * The domain of all endpoints that are accepted at this address, for memory that they share. It is closed with the
     * last of them and this server, unless the configuration gave it.
     *
     * @return the domain
     * @throws IllegalStateException if the server listens at the wildcard address, and so on no device in particular,
     *     or is closed
     * @throws UnsupportedOperationException over TCP, if the configuration did not give a domain
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
     * @param rights what clients may do, of {@link AccessFlag#REMOTE_READ}, {@link AccessFlag#REMOTE_WRITE} and
     *     {@link AccessFlag#REMOTE_ATOMIC}
     * @return the memory, zeroed; to be closed by the program, or with {@link #protectionDomain()}; over TCP by the
     *     program
     * @throws IllegalStateException if the server listens over RDMA at the wildcard address, or is closed
     * @throws io.github.rdma4j.verbs.VerbsException if the kernel refuses; out of locked memory, the message gives the
     *     limit and the remedy
     */
    public ExposedMemory expose(long size, AccessFlag... rights) {
        requireOpen();
        return memories().expose(size, rights);
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public boolean isOpen() {
        return open;
    }

    /**
     * Ends the waiting for clients; those that wait to be accepted are refused. Does nothing if it is closed already.
     */
    @Override
    public void close() {
        List<Runnable> closes = new ArrayList<>(List.of(acceptor::close));
        synchronized (domains) {
            open = false;
            canaries.values().forEach(canary -> closes.add(canary::close));
            canaries.clear();
            domains.values().forEach(domain -> closes.add(domain::letGo));
            domains.clear();
        }
        // Without this lock, which a thread that accepts takes with the acceptor's held.
        CloseAll.of(closes.toArray(Runnable[]::new));
    }

    /** {@return the address} */
    @Override
    public String toString() {
        return open ? "endpoint server at " + address : "closed endpoint server";
    }
}
