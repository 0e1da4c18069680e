// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.base.Timeouts;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.EnhancedConnectionEstablishment;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.QueuePairAttributesConfig;
import io.github.rdma4j.verbs.QueuePairConfig;
import io.github.rdma4j.verbs.QueuePairState;
import io.github.rdma4j.verbs.UnsupportedVerbException;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.ibv_ece;
import io.github.rdma4j.verbs.bindings.rdma_cm_id;
import io.github.rdma4j.verbs.bindings.rdma_cm_join_mc_attr_ex;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.ClosePlace;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * One end of an rdma_cm connection ({@code struct rdma_cm_id}), comparable to a TCP socket. Its methods start
 * operations and return at once; the events of its {@link EventChannel} report the results. For calls that wait, see
 * {@link SynchronousId}.
 *
 * <p>The steps of a client: {@link #resolveAddress}, {@link CmEventType#ADDR_RESOLVED}, {@link #resolveRoute},
 * {@link CmEventType#ROUTE_RESOLVED}, a queue pair, {@link #connect}, {@link CmEventType#ESTABLISHED}. The steps of a
 * server: {@link #bind}, {@link #listen}; then for each {@link CmEventType#CONNECT_REQUEST} the event's new id, a queue
 * pair, {@link #accept}, {@link CmEventType#ESTABLISHED}. Either side ends the connection with {@link #disconnect}, and
 * both receive {@link CmEventType#DISCONNECTED}.
 *
 * <p>An id can be closed in every state, also while its events wait. Closing a listening id closes the requests that
 * were neither accepted nor rejected.
 *
 * <p>Thread safety: all methods may be called from any thread; they wait briefly for other calls on the same channel.
 *
 * @since 0.1.0
 */
public final class ConnectionId implements AutoCloseable {
    private static final String BINDING = "resolveAddress, or bind, or a request";
    private static final int ADDRESS_AND_FLAGS = 0x3;
    private static final int EVENT_COMMUNICATION_ESTABLISHED = 4;
    private static final int EADDRNOTAVAIL = 99;
    private static final int EISCONN = 106;

    private static final String INTERFACE = "the interface of a link-local address of this host, as in fe80::1%eth0";
    private static final String IN_ORDER =
            "see that this holds: an id goes through its steps once and in order, so another connection or listener needs"
                    + " another id";
    private static final String MULTICAST_NEEDS =
            "a datagram id that is bound to a device by bind or resolveAddress and whose route is not resolved, and a"
                    + " group that it has not joined";

    private final MemorySegment id;
    private final PortSpace portSpace;
    private volatile EventChannel channel;
    /** Null before the close, or if places are not recorded. */
    private ClosePlace closePlace;

    private volatile boolean closed;
    private volatile boolean listens;
    private volatile Object attachment;
    private final ConnectionOptions options = new ConnectionOptions(this);

    // Guarded by the channel's lock.
    /** Null if there is none. */
    private ManagedQueuePair managed;

    private final Set<ConnectionId> unanswered = new LinkedHashSet<>();
    private ConnectionId listener;
    private ConnectionParameters request;
    private boolean replied;
    private final JoinedGroups groups = new JoinedGroups();

    ConnectionId(EventChannel channel, MemorySegment id, PortSpace portSpace) {
        this.channel = channel;
        this.id = id.reinterpret(rdma_cm_id.sizeof());
        this.portSpace = portSpace;
    }

    static int milliseconds(Duration timeout) {
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("a timeout of " + TimeText.of(timeout) + " is not positive");
        }
        return Math.clamp(TimeUnit.NANOSECONDS.toMillis(Timeouts.nanos(timeout)), 1, Integer.MAX_VALUE);
    }

    /**
     * Starts to resolve a destination to a local device and port (rdma_resolve_addr(3)), from a source that the routing
     * table chooses. {@link CmEventType#ADDR_RESOLVED} or {@link CmEventType#ADDR_ERROR} follows.
     *
     * @param destination the address of an interface of the peer that has an RDMA device, or a multicast group's
     * @param timeout how long the kernel tries
     * @throws VerbsException if no RDMA device can reach it; some failures are reported by the event
     */
    public void resolveAddress(InetSocketAddress destination, Duration timeout) {
        resolve("rdma_resolve_addr(" + destination + ")", null, destination, timeout);
    }

    /**
     * Starts to resolve a destination to a local device and port, from a given source.
     *
     * @param source the address of a local interface that has an RDMA device; port 0 selects a free port
     * @param destination an address of the same family
     * @param timeout how long the kernel tries
     * @throws VerbsException if no RDMA device can reach it; some failures are reported by the event
     */
    public void resolveAddress(InetSocketAddress source, InetSocketAddress destination, Duration timeout) {
        resolve("rdma_resolve_addr(from %s to %s)".formatted(source, destination), source, destination, timeout);
    }

    private void resolve(String operation, InetSocketAddress source, InetSocketAddress destination, Duration timeout) {
        int milliseconds = milliseconds(timeout);
        try {
            call(
                    operation,
                    needsInterface(source)
                            ? INTERFACE
                            : "an id that has not been resolved, connected or set to listen, and addresses of one"
                                    + " family",
                    arena -> CmCalls.resolveAddress(
                            segment(),
                            source == null
                                    ? MemorySegment.NULL
                                    : SocketAddresses.write(arena, SocketAddresses.toConnectFrom(source, destination)),
                            SocketAddresses.write(arena, destination),
                            milliseconds));
        } catch (VerbsException e) {
            boolean loopback =
                    !destination.isUnresolved() && destination.getAddress().isLoopbackAddress();
            throw loopback && e.errno() == Errno.EINVAL
                    ? CmStatus.loopbackDestination(operation)
                    : CmStatus.unresolved(operation, e, source, destination);
        }
    }

    /**
     * Starts to find the path to the resolved destination (rdma_resolve_route(3)). {@link CmEventType#ROUTE_RESOLVED}
     * or {@link CmEventType#ROUTE_ERROR} follows.
     *
     * @param timeout how long the kernel tries
     * @throws IllegalStateException if the address has not been resolved
     */
    public void resolveRoute(Duration timeout) {
        int milliseconds = milliseconds(timeout);
        call("rdma_resolve_route(" + this + ")", "the event ADDR_RESOLVED before, and once only", arena -> {
            requireDevice("rdma_resolve_route", "resolveAddress and its event ADDR_RESOLVED");
            return CmCalls.resolveRoute(segment(), milliseconds);
        });
    }

    /**
     * Binds the id to a local address and port (rdma_bind_addr(3)).
     *
     * <p>The wildcard address is for ids that listen. As with Java's sockets, the wildcard address of either family
     * accepts IPv4 and IPv6, and {@link #localAddress()} returns {@code ::}. It accepts only its own family if
     * {@link ConnectionOptions#addressFamilyOnly} was called before, if this JVM has no IPv6, and on a host with an
     * iWARP device, which listens for one family at a time. A client that needs a certain local port names it as the
     * source of {@link #resolveAddress(InetSocketAddress, InetSocketAddress, Duration) resolveAddress}.
     *
     * <p>A loopback address (127.0.0.0/8, ::1) is refused with ENODEV. The kernel treats it as the wildcard address, so
     * an id meant for this host only would listen on every RDMA device.
     *
     * @param address the address of an interface that has an RDMA device, which the id is bound to, or the wildcard
     *     address; port 0 selects a free port
     * @throws VerbsException if there is no RDMA device at the address, or the port is in use
     */
    public void bind(InetSocketAddress address) {
        String operation = "rdma_bind_addr(" + address + ")";
        if (!address.isUnresolved() && address.getAddress().isLoopbackAddress()) {
            throw CmStatus.loopback(operation);
        }
        try {
            call(operation, needsToBind(address), arena -> {
                int errno = CmCalls.bind(segment(), SocketAddresses.write(arena, local(address, arena)));
                if (errno == Errno.EACCES) {
                    throw Failures.of(
                            operation,
                            errno,
                            "this process may not use ports below 1024",
                            "use a port of 1024 or above, or 0 for a free port; or give the process CAP_NET_BIND_SERVICE");
                }
                return errno;
            });
        } catch (VerbsException e) {
            throw CmStatus.unresolved(operation, e, address, null);
        }
    }

    /** Returns the address to bind. For the wildcard address the kernel accepts both families only if it is IPv6's. */
    private InetSocketAddress local(InetSocketAddress address, SegmentAllocator arena) {
        if (!SocketAddresses.isWildcard(address) || options.isFamilyChosen() || hasIwarpDevice()) {
            return address;
        }
        InetSocketAddress local = SocketAddresses.toBind(address);
        if (local.getAddress() instanceof Inet6Address) {
            // For hosts with net.ipv6.bindv6only=1. If the id's state forbids the option, the kernel also refuses to
            // bind it.
            CmCalls.setOption(
                    segment(),
                    ConnectionOptions.OPTION_ID,
                    ConnectionOptions.ADDRESS_FAMILY_ONLY,
                    arena.allocateFrom(ValueLayout.JAVA_INT, 0),
                    Integer.BYTES);
        }
        return local;
    }

    private static boolean hasIwarpDevice() {
        return Device.list().stream().anyMatch(device -> device.transportType() == TransportType.IWARP);
    }

    private String needsToBind(InetSocketAddress address) {
        if (needsInterface(address)) {
            return INTERFACE;
        }
        String local = portSpace() == PortSpace.IPOIB ? "an IP-over-InfiniBand interface" : "a local interface";
        return "an id that has not been bound, and an address of " + local;
    }

    private static boolean needsInterface(InetSocketAddress local) {
        return local != null
                && local.getAddress() instanceof Inet6Address ipv6
                && ipv6.isLinkLocalAddress()
                && ipv6.getScopeId() == 0;
    }

    /**
     * Listens for requests at the bound address, or at any address (rdma_listen(3)). Each request is reported by
     * {@link CmEventType#CONNECT_REQUEST}.
     *
     * @param backlog how many requests the kernel keeps until their events are taken; further requests are rejected
     * @throws VerbsException if another id listens there
     */
    public void listen(int backlog) {
        if (backlog < 1) {
            throw new IllegalArgumentException("a backlog of " + backlog + " requests");
        }
        call(
                "rdma_listen(%s, backlog=%d)".formatted(this, backlog),
                "an id that does not listen yet, and has not been resolved or connected",
                arena -> CmCalls.listen(segment(), backlog));
        listens = true;
    }

    boolean listens() {
        return listens;
    }

    /**
     * Requests a connection from the peer or, for datagrams, looks up the peer's queue pair (rdma_connect(3)).
     * {@link CmEventType#ESTABLISHED} follows, or {@link CmEventType#REJECTED}, {@link CmEventType#UNREACHABLE},
     * {@link CmEventType#CONNECT_ERROR}; for an id without a queue pair, {@link CmEventType#CONNECT_RESPONSE}. On iWARP
     * the kernel moves every queue pair, also one that the program moves elsewhere, so there is no CONNECT_RESPONSE.
     * SoftiWARP connects by TCP within this call.
     *
     * @param configuration sets what differs from the defaults
     * @throws VerbsException on iWARP also if the peer cannot be reached, or no program listens there (ECONNREFUSED)
     * @throws IllegalArgumentException if there is too much private data, or a count is above the device's limit
     * @throws IllegalStateException if the route has not been resolved, or there is no queue pair
     */
    public void connect(Consumer<ConnectConfig> configuration) {
        ConnectConfig config = new ConnectConfig();
        configuration.accept(config);
        ConnectConfig.checkPrivateData(
                "connect", portSpace(), config.privateData(), portSpace().maxConnectData());
        String needs = "the event ROUTE_RESOLVED before, and once only" + needsOfIwarp();
        call("rdma_connect(" + this + ")", needs, arena -> {
            MemorySegment context = requireDevice("rdma_connect", "resolveAddress and resolveRoute");
            config.settle(CmDevices.of(context), null);
            name(config, !portSpace().isDatagram());
            return CmCalls.connect(segment(), config.write(arena));
        });
    }

    /** Elsewhere the kernel accepts any number, because the program moves the queue pair. */
    private String needsOfIwarp() {
        boolean iwarp = device().stream().anyMatch(bound -> bound.device().transportType() == TransportType.IWARP);
        return iwarp ? "; on iWARP, which has no datagrams, an open queue pair of the device as well" : "";
    }

    /** Names the queue pair to the peer; handle() throws if it is closed. */
    private void name(ConnectConfig config, boolean required) {
        if (managed() != null && managed().queuePair().handle() != 0) {
            config.queuePairNumber(managed().queuePair().number());
            config.sharedReceiveQueue(managed().hasSharedReceiveQueue());
        } else if (required && config.queuePairNumber() == 0) {
            throw new IllegalStateException(
                    "%s has no queue pair: first comes createQueuePair or useQueuePair, or the number of one"
                            .formatted(this));
        }
    }

    /**
     * Accepts the request that this id came with (rdma_accept(3)). {@link CmEventType#ESTABLISHED} follows, except for
     * datagrams.
     *
     * @param configuration sets what differs from the defaults, which are the peer's requested values within the
     *     device's limits
     * @throws IllegalArgumentException if there is too much private data, or a count is above the device's limit
     * @throws IllegalStateException if there is no queue pair, or the id is bound to no device
     * @throws ConnectionException if the peer has given up
     * @throws VerbsException if the id did not come with a request, or the request was already answered (EINVAL)
     */
    public void accept(Consumer<ConnectConfig> configuration) {
        ConnectConfig config = new ConnectConfig();
        configuration.accept(config);
        ConnectConfig.checkPrivateData(
                "accept", portSpace(), config.privateData(), portSpace().maxAcceptData());
        String operation = "rdma_accept(" + this + ")";
        String moreOfIwarp = needsOfIwarp();
        call(operation, "a request that was not answered yet" + moreOfIwarp, arena -> {
            MemorySegment context = requireDevice("rdma_accept", "a request");
            config.settle(CmDevices.of(context), request);
            name(config, true);
            if (replied) {
                // Before the queue pair is moved: the peer would be notified of a refusal.
                return Errno.EINVAL;
            }
            if (managed() != null && !portSpace().isDatagram()) {
                managed().accept(this, config);
            }
            int errno = CmCalls.accept(segment(), config.write(arena));
            if (errno != 0 && managed() != null) {
                managed().abandon();
            }
            if (errno == Errno.EINVAL && awaitsAnswer() && moreOfIwarp.isEmpty()) {
                throw CmStatus.requestGone(Failures.of(operation, errno));
            }
            return answered(errno);
        });
    }

    /**
     * Returns whether the id came with a request that is not answered yet. For datagrams, the kernel does not notice if
     * the peer has given up. Called with the channel's lock held.
     */
    boolean awaitsAnswer() {
        return request != null && !replied;
    }

    /**
     * Rejects the request that this id came with (rdma_reject(3)). The id must still be closed.
     *
     * @param privateData the data that the peer receives, at most {@link PortSpace#maxRejectData()} bytes
     * @throws IllegalArgumentException if there is too much private data
     */
    public void reject(byte... privateData) {
        ConnectConfig.checkPrivateData(
                "reject", portSpace(), privateData, portSpace().maxRejectData());
        call(
                "rdma_reject(" + this + ")",
                "a request that was not answered yet",
                arena -> answered(CmCalls.reject(
                        segment(), arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData), (byte) privateData.length)));
    }

    /**
     * Rejects the request because of its vendor options (rdma_reject_ece(3)): the peer receives
     * {@link RejectReason#VENDOR_OPTION_NOT_SUPPORTED}. The id must still be closed.
     *
     * @param privateData the data that the peer receives, at most {@link PortSpace#maxRejectData()} bytes
     * @throws IllegalArgumentException if there is too much private data
     */
    public void rejectEce(byte... privateData) {
        ConnectConfig.checkPrivateData(
                "reject", portSpace(), privateData, portSpace().maxRejectData());
        call(
                "rdma_reject_ece(" + this + ")",
                "a request that was not answered yet",
                arena -> answered(CmCalls.rejectEce(
                        segment(), arena.allocateFrom(ValueLayout.JAVA_BYTE, privateData), (byte) privateData.length)));
    }

    private int answered(int errno) {
        if (errno == 0) {
            replied = true;
            answered();
        }
        return errno;
    }

    /**
     * Completes a connection whose queue pair the program moves itself, after {@link CmEventType#CONNECT_RESPONSE}
     * (rdma_establish(3)). The queue pair must be ready to receive.
     */
    public void establish() {
        call(
                "rdma_establish(" + this + ")",
                "the event CONNECT_RESPONSE before",
                arena -> CmCalls.establish(segment()));
    }

    /**
     * Notifies the connection manager that data has arrived on the queue pair (rdma_notify(3) with IBV_EVENT_COMM_EST).
     * A server's connection is then established even if the client's last message of the handshake is lost. Does
     * nothing if it is established already.
     */
    public void notifyCommunicationEstablished() {
        call("rdma_notify(" + this + ", COMM_EST)", "a connection that was accepted", arena -> {
            int errno = CmCalls.notify(segment(), EVENT_COMMUNICATION_ESTABLISHED);
            return errno == EISCONN ? 0 : errno;
        });
    }

    /**
     * Ends the connection (rdma_disconnect(3)): {@link CmEventType#DISCONNECTED} follows on both sides. Outstanding
     * requests complete as flushed.
     *
     * @throws IllegalStateException if the id is not bound to a device
     */
    public void disconnect() {
        call("rdma_disconnect(" + this + ")", "a connection that is made", arena -> {
            requireDevice("rdma_disconnect", "a connection");
            if (managed() != null && managed().queuePair().isOpen()) {
                managed().shutDown();
            }
            return CmCalls.disconnect(segment());
        });
    }

    /**
     * Starts to join a multicast group as a full member (rdma_join_multicast(3)); the queue pair of this id is attached
     * to it with the event. {@link CmEventType#MULTICAST_JOIN} or {@link CmEventType#MULTICAST_ERROR} follows.
     *
     * @param group the group's IP address
     * @throws UnsupportedVerbException for an IPv6 group over RoCE v2, which the kernel does not support
     */
    public void joinMulticast(InetSocketAddress group) {
        String operation = "rdma_join_multicast(%s, %s)".formatted(this, group);
        call(operation, MULTICAST_NEEDS, arena -> {
            int errno = groups.join(
                    group,
                    MulticastMembership.FULL_MEMBER,
                    key -> CmCalls.joinMulticast(segment(), SocketAddresses.write(arena, group), key));
            return requireKernelJoins(operation, group, errno);
        });
    }

    /**
     * Starts to join a multicast group (rdma_join_multicast_ex(3)). {@link CmEventType#MULTICAST_JOIN} or
     * {@link CmEventType#MULTICAST_ERROR} follows.
     *
     * <p>The id must be bound to a device, by {@link #bind} or {@link #resolveAddress}, and its route must not be
     * resolved yet.
     *
     * @param group the group's IP address
     * @param membership whether to also receive from the group
     * @throws UnsupportedVerbException for an IPv6 group over RoCE v2, which the kernel does not support
     */
    public void joinMulticast(InetSocketAddress group, MulticastMembership membership) {
        String operation = "rdma_join_multicast_ex(%s, %s, %s)".formatted(this, group, membership);
        call(operation, MULTICAST_NEEDS, arena -> {
            MemorySegment attributes = rdma_cm_join_mc_attr_ex.allocate(arena);
            rdma_cm_join_mc_attr_ex.comp_mask(attributes, ADDRESS_AND_FLAGS);
            rdma_cm_join_mc_attr_ex.join_flags(attributes, membership.code());
            rdma_cm_join_mc_attr_ex.addr(attributes, SocketAddresses.write(arena, group));
            int errno = groups.join(group, membership, key -> CmCalls.joinMulticastEx(segment(), attributes, key));
            return requireKernelJoins(operation, group, errno);
        });
    }

    /** Returns the errno again. rdma_cm sends IGMP for a group of RoCE v2, and does not support MLD. */
    private static int requireKernelJoins(String operation, InetSocketAddress group, int errno) {
        if (errno == Errno.ENOTSUPP && group.getAddress() instanceof Inet6Address) {
            throw new UnsupportedVerbException(
                    operation,
                    errno,
                    "the kernel joins no IPv6 group over RoCE v2",
                    "join an IPv4 group, from an IPv4 address of the device");
        }
        return errno;
    }

    /**
     * Leaves a multicast group (rdma_leave_multicast(3)); the queue pair of this id is detached from it.
     *
     * @param group the address that was joined
     */
    public void leaveMulticast(InetSocketAddress group) {
        String operation = "rdma_leave_multicast(%s, %s)".formatted(this, group);
        call(operation, "a group that was joined", arena -> {
            groups.leave(group, managed());
            int errno = CmCalls.leaveMulticast(segment(), SocketAddresses.write(arena, group));
            if (errno == EADDRNOTAVAIL) {
                throw Failures.of(
                        operation, errno, "this id has not joined that group", "give address and port as to the join");
            }
            return errno;
        });
    }

    /** {@return the settings of this id (rdma_set_option(3))} */
    public ConnectionOptions options() {
        return options;
    }

    /**
     * Moves the id to another channel (rdma_migrate_id(3)), with its events that were not taken. The id of a request
     * becomes independent of the listening id. Move a listening id before requests can arrive: the kernel (6.1) loses
     * requests that were not taken. Threads that wait on the target, and pollers, are notified of the moved events. A
     * program with its own poll(2) loop must poll the target itself, because the kernel does not announce them.
     *
     * @param target the channel for future events
     */
    public void migrate(EventChannel target) {
        while (true) {
            EventChannel current = channel();
            if (current == target) {
                return;
            }
            // Always in the same order, otherwise two threads could wait for each other.
            EventChannel first = current.fileDescriptor() < target.fileDescriptor() ? current : target;
            EventChannel second = first == current ? target : current;
            boolean moved = first.locked(() -> second.locked(() -> {
                if (current != channel()) {
                    return false;
                }
                call(
                        "rdma_migrate_id(%s, to %s)".formatted(this, target),
                        "an open id",
                        arena -> CmCalls.migrate(segment(), target.segment()));
                answered();
                // They stay behind, under another channel's lock.
                unanswered.forEach(child -> child.listener = null);
                unanswered.clear();
                current.remove(segment());
                target.add(segment(), this);
                moved(target);
                return true;
            }));
            if (moved) {
                target.announce();
                return;
            }
        }
    }

    /** Makes this id independent of the listening id. */
    private void answered() {
        if (listener != null) {
            listener.unanswered.remove(this);
            listener = null;
        }
    }

    /** Applies an event to its id, and does what the event requires; called with the channel's lock held. */
    CmEvent digest(CmEvent event) {
        if (event.type() == CmEventType.CONNECT_REQUEST) {
            listener = event.listener().orElseThrow();
            listener.unanswered.add(this);
            request = event.connectionParameters().orElse(null);
        } else if (event.type() == CmEventType.CONNECT_RESPONSE && managed() != null) {
            return managed().complete(event);
        } else if (event.type() == CmEventType.MULTICAST_JOIN && managed() != null) {
            return groups.joined(event, managed().queuePair());
        } else if (event.type() == CmEventType.REJECTED && managed() != null) {
            managed().abandon();
        }
        return event;
    }

    /**
     * Closes the unanswered requests of this id and the queue pair that it created, then the id itself
     * (rdma_destroy_id(3)). Operations in progress are abandoned, and a connection ends. Does nothing if it is closed
     * already.
     *
     * @throws VerbsException if the kernel refuses; the id then remains open
     */
    @Override
    public void close() {
        ClosePlace place = ClosePlace.of(this);
        EventChannel.close(this::lockChannel, this::ownedQueuePairs, () -> {
            destroy(place);
            return true;
        });
    }

    /**
     * Returns the queue pairs that the close of this id closes, in this order. Called with the channel's lock held.
     */
    List<QueuePair> ownedQueuePairs() {
        List<QueuePair> owned = new ArrayList<>();
        for (ConnectionId child : new ArrayList<>(unanswered).reversed()) {
            owned.addAll(child.ownedQueuePairs());
        }
        if (isOpen() && managed != null && managed.owned()) {
            owned.add(managed.queuePair());
        }
        return owned;
    }

    /**
     * Closes the id, whose queue pairs are closed, with the place of the close that the program called. Called with the
     * channel's lock held.
     */
    void destroy(ClosePlace place) {
        if (!isOpen()) {
            return;
        }
        for (ConnectionId child : new ArrayList<>(unanswered).reversed()) {
            child.destroy(place);
        }
        Failures.check("rdma_destroy_id(" + this + ")", CmCalls.destroyId(segment()));
        ended(place);
        answered();
        channel().remove(segment());
    }

    /** Returns the queue pair that this id moves, or null. Called with the channel's lock held. */
    ManagedQueuePair managed() {
        return managed;
    }

    QueuePairStep step(QueuePairState state) {
        try {
            return QueuePairStep.of(segment(), state, toString());
        } catch (VerbsException e) {
            throw e.errno() == Errno.EINVAL && awaitsAnswer() ? CmStatus.requestGone(e) : e;
        }
    }

    /**
     * Creates a queue pair of the port space's type for this id, and moves it to INIT, where it accepts receives; a
     * datagram queue pair moves to RTS. This id then moves it, as after {@link #useQueuePair}, and closes it. This
     * method replaces rdma_create_qp(3) and rdma_create_qp_ex(3), and the close replaces rdma_destroy_qp(3).
     *
     * @param domain a domain of the device that this id is bound to; of {@link #device()}, or of another context of the
     *     same device
     * @param configuration sets what differs from the defaults; the completion queue is required. The port is the id's
     *     port
     * @return the queue pair
     * @throws IllegalArgumentException if the domain belongs to another device, or a value is out of range
     * @throws IllegalStateException if this id is not bound to a device, or has a queue pair
     * @throws ConnectionException if the peer has given up its request meanwhile
     * @throws VerbsException if the device refuses
     */
    public QueuePair createQueuePair(ProtectionDomain domain, Consumer<QueuePairConfig> configuration) {
        locked(() -> requireDevice("rdma_create_qp", BINDING));
        int port = port();
        QueuePair queuePair = domain.createQueuePair(portSpace().queuePairType(), config -> {
            config.port(port);
            configuration.accept(config);
        });
        try {
            manage(new ManagedQueuePair(queuePair, true));
            return queuePair;
        } catch (Throwable e) {
            SynchronousId.closeAfter(e, queuePair);
            throw e;
        }
    }

    /**
     * Lets this id move a queue pair through its states: to INIT now (a datagram queue pair to RTS), to RTR and RTS
     * when it connects or accepts, to the error state when it is rejected or
     * {@linkplain ConnectionId#disconnect() disconnected}. Its owner can still close it at any time, before or after
     * this id.
     *
     * <p>A program that moves the queue pair itself does not call this: it sets the queue pair's number in the
     * {@link ConnectConfig}, takes the attributes of each step from {@link #queuePairAttributes}, and ends with
     * {@link ConnectionId#establish()}.
     *
     * @param queuePair a queue pair in state RESET, of the type of the port space, and of the device that this id is
     *     bound to
     * @throws IllegalArgumentException if it is of another type or device
     * @throws IllegalStateException if this id is not bound to a device, or has a queue pair
     * @throws ConnectionException if the peer has given up its request meanwhile
     * @throws VerbsException if the device refuses
     */
    public void useQueuePair(QueuePair queuePair) {
        manage(new ManagedQueuePair(queuePair, false));
    }

    private void manage(ManagedQueuePair candidate) {
        locked(() -> {
            candidate.requireSuitable(this, CmDevices.of(requireDevice("useQueuePair", BINDING)));
            if (managed != null && managed.queuePair().isOpen()) {
                throw new IllegalStateException("%s has a queue pair: %s".formatted(this, managed.queuePair()));
            }
            candidate.prepare(this);
            managed = candidate;
            return null;
        });
    }

    /** {@return the queue pair that this id moves; empty if there is none, or it is closed} */
    public Optional<QueuePair> queuePair() {
        return locked(() ->
                Optional.ofNullable(managed).map(ManagedQueuePair::queuePair).filter(QueuePair::isOpen));
    }

    /**
     * Returns the attributes for the next step of a queue pair that the program moves itself (rdma_init_qp_attr(3)),
     * for {@link QueuePair#modify}: {@code queuePair.modify(id.queuePairAttributes(RTR))}.
     *
     * @param state INIT, RTR or RTS: the state that it moves to
     * @return a configuration that sets the state and the attributes
     * @throws ConnectionException if the peer has given up its request meanwhile
     * @throws VerbsException if the connection has not reached that state. If an id is only resolved, the kernel
     *     returns the attributes of INIT also for RTR and RTS; {@link QueuePair#modify} then names the missing ones
     */
    public Consumer<QueuePairAttributesConfig> queuePairAttributes(QueuePairState state) {
        return locked(() -> step(state));
    }

    /**
     * Sets the options of enhanced connection establishment that the next connect or accept sends to the peer
     * (rdma_set_local_ece(3)). If the id moves the queue pair, it sets them automatically.
     *
     * @param ece the options of the program's queue pair
     */
    public void setLocalEce(EnhancedConnectionEstablishment ece) {
        call("rdma_set_local_ece(%s, %s)".formatted(this, ece), "a vendor id that is not 0", arena -> {
            MemorySegment native_ = ibv_ece.allocate(arena);
            ibv_ece.vendor_id(native_, ece.vendorId());
            ibv_ece.options(native_, ece.options());
            return CmCalls.setLocalEce(segment(), native_);
        });
    }

    /**
     * {@return the options of enhanced connection establishment that the peer sent (rdma_get_remote_ece(3)); zeros if
     * none}
     */
    public EnhancedConnectionEstablishment remoteEce() {
        return locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment native_ = ibv_ece.allocate(arena);
                Failures.check("rdma_get_remote_ece(" + this + ")", CmCalls.getRemoteEce(segment(), native_));
                return new EnhancedConnectionEstablishment(
                        ibv_ece.vendor_id(native_), ibv_ece.options(native_), ibv_ece.comp_mask(native_));
            }
        });
    }

    /** Runs a call while this id can neither be closed nor move to another channel. */
    <T> T locked(Supplier<T> call) {
        ReentrantLock lock = lockChannel();
        try {
            if (closed) {
                throw new IllegalStateException(this + " is closed", closePlace);
            }
            return call.get();
        } finally {
            lock.unlock();
        }
    }

    /** Locks the channel; the caller must unlock it. */
    ReentrantLock lockChannel() {
        while (true) {
            EventChannel current = channel;
            current.lock().lock();
            if (current == channel) {
                return current.lock();
            }
            current.lock().unlock();
        }
    }

    /** Runs a native call that returns 0 or an errno. After EINVAL, the exception says what the call requires. */
    void call(String operation, String needs, ToIntFunction<SegmentAllocator> native_) {
        locked(() -> {
            try (Arena arena = Arena.ofConfined()) {
                int errno = native_.applyAsInt(arena);
                if (errno != 0) {
                    boolean refused = errno == Errno.EINVAL;
                    throw Failures.of(
                            operation,
                            errno,
                            refused ? "it needs " + needs : "",
                            refused ? IN_ORDER : CmStatus.remedyOfCall(errno));
                }
                return null;
            }
        });
    }

    MemorySegment requireDevice(String operation, String before) {
        MemorySegment context = rdma_cm_id.verbs(id);
        if (context.address() == 0) {
            throw new IllegalStateException(
                    "%s: %s is not bound to a device; first comes %s".formatted(operation, this, before));
        }
        return context;
    }

    /** Called with the locks of both channels held. */
    void moved(EventChannel target) {
        channel = target;
    }

    /** Called with the channel's lock held, after the native id is destroyed. */
    void ended(ClosePlace place) {
        closePlace = place;
        closed = true;
    }

    MemorySegment segment() {
        return id;
    }

    /** {@return the port space of its address and port} */
    public PortSpace portSpace() {
        return portSpace;
    }

    /** {@return the channel of its events} */
    public EventChannel channel() {
        return channel;
    }

    /** {@return the object that was last passed to {@link #attach}; initially null} */
    public Object attachment() {
        return attachment;
    }

    /**
     * Attaches an object to this id, for the program's event loop.
     *
     * @param object anything, or null
     */
    public void attach(Object object) {
        attachment = object;
    }

    /** {@return the device that the id is bound to, as rdma_cm has opened it; empty before it is bound} */
    public Optional<DeviceContext> device() {
        return locked(() -> Optional.of(rdma_cm_id.verbs(id))
                .filter(context -> context.address() != 0)
                .map(CmDevices::of));
    }

    /** {@return the device's port, from 1; 0 before the id is bound to a device} */
    public int port() {
        return locked(() -> Byte.toUnsignedInt(rdma_cm_id.port_num(id)));
    }

    /** False if the device is not known yet, or no longer there. */
    boolean isOnInfiniBand() {
        try {
            Optional<DeviceContext> device = device();
            return device.isPresent() && device.get().port(port()).linkLayer() == LinkLayer.INFINIBAND;
        } catch (VerbsException | IllegalStateException e) {
            return false;
        }
    }

    /** {@return the local address and port; empty before they are known} */
    public Optional<InetSocketAddress> localAddress() {
        return locked(() -> IdAddresses.local(id));
    }

    /** {@return the peer's address and port; empty before they are known} */
    public Optional<InetSocketAddress> peerAddress() {
        return locked(() -> IdAddresses.peer(id));
    }

    /** {@return the local GID; all zeros before it is known} */
    public Gid localGid() {
        return locked(() -> IdAddresses.localGid(id));
    }

    /** {@return the peer's GID; all zeros before it is known} */
    public Gid peerGid() {
        return locked(() -> IdAddresses.peerGid(id));
    }

    /** {@return whether {@link ConnectionId#close()} has not been called yet} */
    public boolean isOpen() {
        return !closed;
    }

    /**
     * Returns the native pointer, for a call that this library does not wrap. It is valid until the id is closed; its
     * use is not guarded.
     *
     * @return the address of the {@code struct rdma_cm_id}
     * @throws IllegalStateException if the id is closed
     */
    public long handle() {
        return locked(id::address);
    }

    /** {@return port space and addresses, as far as they are known} */
    @Override
    public String toString() {
        ReentrantLock lock = lockChannel();
        try {
            return "connection id of port space %s%s".formatted(portSpace, closed ? "" : IdAddresses.describe(id));
        } finally {
            lock.unlock();
        }
    }
}
