// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A {@link ConnectionId} with its own event channel, whose calls wait until their operation has ended or a timeout
 * expires. librdmacm calls this synchronous operation, but has no timeouts. For programs with few connections, or with
 * a virtual thread for each. Use {@link #id()} for everything that does not wait.
 *
 * <pre>{@code
 * try (SynchronousId client = SynchronousId.create(PortSpace.TCP)) {
 *     client.resolve(new InetSocketAddress("10.99.0.1", 7471), Duration.ofSeconds(5));
 *     DeviceContext device = client.id().device().orElseThrow();
 *     CompletionQueue queue = device.createCompletionQueue(64);
 *     ProtectionDomain domain = device.allocateProtectionDomain();
 *     QueuePair queuePair = client.id().createQueuePair(domain, config -> config.completionQueue(queue));
 *     client.connect(config -> config.privateData(greeting), Duration.ofSeconds(5));
 * }
 * }</pre>
 *
 * <p>A call whose thread is interrupted ends with a {@link io.github.rdma4j.verbs.WaitInterruptedException}. After it,
 * and after a timeout, the operation is still in progress: close the id, or wait for the event with {@link #await}.
 *
 * <p>Thread safety: one thread at a time, except that {@link #close()} may be called from any thread, at any time, and
 * ends a wait with an {@link IllegalStateException}.
 *
 * @since 0.1.0
 */
public final class SynchronousId implements AutoCloseable {
    /** Each attempt to resolve an address takes twice as long as the previous one, up to the longest. */
    private static final Duration FIRST_ATTEMPT = Duration.ofMillis(250);

    private static final Duration LONGEST_ATTEMPT = Duration.ofSeconds(2);

    private final EventChannel channel;
    private final ConnectionId id;
    private final CmEvent request;
    private boolean disconnected;
    /** A request for which no channel could be created: the next call returns it. */
    private CmEvent kept;

    private SynchronousId(EventChannel channel, ConnectionId id, CmEvent request) {
        this.channel = channel;
        this.id = id;
        this.request = request;
    }

    /**
     * Creates an id with its own channel (rdma_create_id(3) without a channel).
     *
     * @param portSpace the port space of its address and port
     * @return the id
     * @throws io.github.rdma4j.verbs.NativeLibraryException if librdmacm is missing
     * @throws VerbsException if rdma_cm cannot be used
     */
    public static SynchronousId create(PortSpace portSpace) {
        EventChannel channel = EventChannel.create();
        try {
            return new SynchronousId(channel, channel.createId(portSpace), null);
        } catch (Throwable e) {
            closeAfter(e, channel);
            throw e;
        }
    }

    /** {@return the id, for everything that does not wait; do not wait on its channel elsewhere} */
    public ConnectionId id() {
        return id;
    }

    /** {@return the event of the request that this id came with; empty for one that was created} */
    public Optional<CmEvent> request() {
        return Optional.ofNullable(request);
    }

    /**
     * Finds the destination's address and route, from a source that the routing table chooses.
     *
     * @param destination the address of an interface of the peer that has an RDMA device
     * @param timeout the timeout of both steps together
     * @throws ConnectionException if it cannot be reached, or is not resolved in time
     * @throws VerbsException if no RDMA device can reach it
     */
    public void resolve(InetSocketAddress destination, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        route(part -> id.resolveAddress(destination, part), "resolving " + destination, deadline);
    }

    /**
     * Finds the destination's address and route, from a given source.
     *
     * @param source the address of a local interface that has an RDMA device; port 0 selects a free port
     * @param destination an address of the same family
     * @param timeout the timeout of both steps together
     * @throws ConnectionException if it cannot be reached, or is not resolved in time
     * @throws VerbsException if no RDMA device can reach it
     */
    public void resolve(InetSocketAddress source, InetSocketAddress destination, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        route(
                part -> id.resolveAddress(source, destination, part),
                "resolving %s from %s".formatted(destination, source),
                deadline);
    }

    /** As rdma_create_ep(3): does not resolve a route that is known already. */
    void resolve(CmAddress address, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        String operation = "resolving " + address;
        InetSocketAddress destination = address.destination().orElseThrow();
        Consumer<Duration> attempt = address.source()
                .<Consumer<Duration>>map(source -> part -> id.resolveAddress(source, destination, part))
                .orElse(part -> id.resolveAddress(destination, part));
        if (address.route().length == 0) {
            route(attempt, operation, deadline);
        } else {
            address(attempt, operation, deadline);
            id.options().infiniBandPath(address.route());
            expect(CmEventType.ROUTE_RESOLVED, operation, deadline);
        }
    }

    private void route(Consumer<Duration> attempt, String operation, Deadline deadline) {
        address(attempt, operation, deadline);
        // So that the kernel times out first, and reports the cause.
        id.resolveRoute(deadline.atLeastOneMillisecond().multipliedBy(7).dividedBy(8));
        expect(CmEventType.ROUTE_RESOLVED, operation, deadline);
    }

    /**
     * Resolves in several attempts, because the kernel sends at most three requests (ARP) within one. If the reply
     * arrives at once, as between two interfaces of one machine, the kernel notices it only at the end of the attempt:
     * addr.c's process_one_req() sets the end of the attempt after the wake-up that arrived during the request.
     */
    private void address(Consumer<Duration> attempt, String operation, Deadline deadline) {
        Duration part = FIRST_ATTEMPT;
        while (true) {
            Duration remaining = deadline.atLeastOneMillisecond();
            boolean last = remaining.compareTo(part) <= 0;
            attempt.accept(last ? remaining : part);
            try {
                expect(CmEventType.ADDR_RESOLVED, operation, deadline);
                return;
            } catch (ConnectionException e) {
                // After the deadline an attempt may still be in progress, and the kernel refuses another one.
                boolean over = last || deadline.remaining().isZero();
                if (over || e.errno() != Errno.ETIMEDOUT) {
                    throw e;
                }
            }
            Duration longer = part.multipliedBy(2);
            part = longer.compareTo(LONGEST_ATTEMPT) < 0 ? longer : LONGEST_ATTEMPT;
        }
    }

    /**
     * Connects or, for datagrams, looks up the peer's queue pair (rdma_connect(3)). The id must have a resolved route
     * and a queue pair.
     *
     * @param configuration sets what differs from the defaults
     * @param timeout how long to wait for the peer
     * @return the event {@link CmEventType#ESTABLISHED}, with the peer's private data
     * @throws ConnectionRejectedException if the peer refuses
     * @throws ConnectionException if the peer cannot be reached, or does not respond in time
     */
    public CmEvent connect(Consumer<ConnectConfig> configuration, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        try {
            id.connect(configuration);
        } catch (VerbsException e) {
            throw CmStatus.ofConnect("connecting " + id, e);
        }
        return expect(CmEventType.ESTABLISHED, "connecting " + id, deadline);
    }

    /**
     * Binds the id to a local address and listens for requests there (rdma_bind_addr(3), rdma_listen(3)).
     *
     * @param address the address of an interface that has an RDMA device, or the wildcard address; port 0 selects a
     *     free port
     * @param backlog how many requests the kernel keeps until they are taken
     * @throws VerbsException if there is no RDMA device at the address, such as 127.0.0.1, or the port is in use
     */
    public void listen(InetSocketAddress address, int backlog) {
        id.bind(address);
        id.listen(backlog);
    }

    /**
     * Waits for a request (rdma_get_request(3)).
     *
     * @param timeout how long to wait
     * @return the request: an id that needs a queue pair and an accept, or a reject, and a close. It does not depend on
     *     this id. Empty if none arrived in time
     * @throws VerbsException if the process has no file descriptor for it (EMFILE); the next call then returns it
     * @throws IllegalStateException if this id does not listen
     */
    public Optional<SynchronousId> getRequest(Duration timeout) {
        if (kept != null) {
            return Optional.of(independent(kept));
        }
        if (!id.listens()) {
            throw new IllegalStateException("rdma_get_request: %s does not listen; first comes listen".formatted(id));
        }
        Deadline deadline = new Deadline(timeout);
        while (true) {
            Optional<CmEvent> event = channel.nextEvent(deadline.remaining());
            if (event.isEmpty()) {
                return Optional.empty();
            }
            CmEvent found = event.get();
            if (found.type() == CmEventType.CONNECT_REQUEST) {
                return Optional.of(independent(found));
            }
            // Other events concern requests whose peers gave up before they were taken.
            if (found.id() == id && found.type().isFailure()) {
                throw CmStatus.failure("listening on " + id, found);
            }
        }
    }

    private SynchronousId independent(CmEvent event) {
        kept = event;
        EventChannel own = EventChannel.create();
        kept = null;
        try {
            event.id().migrate(own);
            return new SynchronousId(own, event.id(), event);
        } catch (Throwable e) {
            closeAfter(e, event.id());
            closeAfter(e, own);
            throw e;
        }
    }

    /** A second failure is added to the first, and must not prevent the next close. */
    static void closeAfter(Throwable failure, AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) {
            failure.addSuppressed(e);
        }
    }

    /**
     * Accepts the request that this id came with (rdma_accept(3)), and waits until the connection is established. For
     * datagrams it does not wait.
     *
     * @param configuration sets what differs from the defaults
     * @param timeout how long to wait for the peer
     * @throws ConnectionException if the peer has given up, or does not respond in time
     */
    public void accept(Consumer<ConnectConfig> configuration, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        id.accept(configuration);
        if (!id.portSpace().isDatagram()) {
            expect(CmEventType.ESTABLISHED, "accepting " + id, deadline);
        }
    }

    /**
     * Ends the connection (rdma_disconnect(3)), and waits until both sides have ended it. Returns at once if the peer
     * has ended it, and for datagrams, which have no connection.
     *
     * @param timeout how long to wait for the peer
     * @throws ConnectionException if the peer does not respond in time
     */
    public void disconnect(Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        id.disconnect();
        if (!disconnected && !id.portSpace().isDatagram()) {
            expect(CmEventType.DISCONNECTED, "disconnecting " + id, deadline);
        }
    }

    /**
     * Joins a multicast group (rdma_join_multicast_ex(3)). {@link #id()} must be bound to a device before, for instance
     * by {@link ConnectionId#bind}. After {@link #resolve} the kernel refuses a join.
     *
     * @param group the group's IP address
     * @param membership whether to also receive from the group
     * @param timeout how long to wait
     * @return the address of the group
     * @throws ConnectionException if it cannot be joined, or not in time
     */
    public DatagramParameters joinMulticast(InetSocketAddress group, MulticastMembership membership, Duration timeout) {
        Deadline deadline = new Deadline(timeout);
        id.joinMulticast(group, membership);
        return expect(CmEventType.MULTICAST_JOIN, "joining %s with %s".formatted(group, id), deadline)
                .datagramParameters()
                .orElseThrow();
    }

    /**
     * Waits for an event, such as {@link CmEventType#DISCONNECTED} by the peer. Earlier events are dropped, except
     * failures.
     *
     * @param type the type to wait for
     * @param timeout how long to wait
     * @return the event
     * @throws ConnectionRejectedException if the peer refused instead
     * @throws ConnectionException if something failed instead, or nothing arrived in time (errno ETIMEDOUT)
     */
    public CmEvent await(CmEventType type, Duration timeout) {
        return expect(type, "waiting for %s of %s".formatted(type, id), new Deadline(timeout));
    }

    private CmEvent expect(CmEventType type, String operation, Deadline deadline) {
        while (true) {
            CmEvent event = channel.nextEvent(deadline.remaining())
                    .orElseThrow(() -> nothingCame(type, operation, deadline.timeout()));
            disconnected |= event.type() == CmEventType.DISCONNECTED;
            if (event.type() == type) {
                return event;
            }
            if (event.type().isFailure() || event.type() == CmEventType.DISCONNECTED) {
                throw CmStatus.failure(operation, event);
            }
        }
    }

    private ConnectionException nothingCame(CmEventType awaited, String operation, Duration timeout) {
        boolean infiniBand = id.isOnInfiniBand();
        Explanation ofThisHost = CmStatus.ofThisHost(Errno.ETIMEDOUT, id);
        String nothing = CmStatus.explainSilence(awaited, timeout, infiniBand);
        return new ConnectionException(
                operation,
                null,
                Errno.ETIMEDOUT,
                ofThisHost.isEmpty() ? nothing : nothing + ": " + ofThisHost.cause(),
                ofThisHost.isEmpty() ? CmStatus.remedyOfSilence(awaited, infiniBand) : ofThisHost.remedy());
    }

    /**
     * Moves the id to a channel of the program, and closes this object without closing the id.
     *
     * @param target the channel for future events
     * @return the id
     * @throws IllegalArgumentException if it is this object's own channel, with which the id would be closed
     */
    public ConnectionId migrate(EventChannel target) {
        if (target == channel) {
            throw new IllegalArgumentException(
                    "%s cannot move to its own channel, which is closed by this: create another one".formatted(this));
        }
        id.migrate(target);
        channel.close();
        return id;
    }

    /** {@return whether {@link #close()} has not been called yet} */
    public boolean isOpen() {
        return channel.isOpen();
    }

    /** Closes the id and its channel; a connection ends. Does nothing if it is closed already. */
    @Override
    public void close() {
        channel.close();
    }

    /** {@return the text of {@link ConnectionId#toString()}} */
    @Override
    public String toString() {
        return "synchronous " + id;
    }
}
