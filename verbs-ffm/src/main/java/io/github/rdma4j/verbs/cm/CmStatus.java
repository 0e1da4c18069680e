// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import io.github.rdma4j.base.TimeText;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.Errno;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.explain.Explanation;
import io.github.rdma4j.verbs.internal.explain.KernelDevices;
import io.github.rdma4j.verbs.internal.explain.RouteDiagnosis;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Explains the status of an event, and what to do about it. */
final class CmStatus {
    private static final int EADDRINUSE = 98;
    private static final int ENETDOWN = 100;
    private static final int ECONNREFUSED = 111;
    /** A status of InfiniBand's SIDR_REP message. */
    private static final int LOOK_UP_REFUSED = 2;

    /** The errnos of the kernel if this host has no path to an address; EINVAL and EACCES come from routes. */
    private static final Set<Integer> MAY_LIE_HERE = Set.of(
            Errno.ENODEV,
            Errno.EADDRNOTAVAIL,
            ENETDOWN,
            Errno.ENETUNREACH,
            Errno.EHOSTUNREACH,
            Errno.EINVAL,
            Errno.EACCES);

    private static final String RDMA_ADDRESS =
            "use the address of a network interface that has an RDMA device ('rdma link' lists them, 'ip address'"
                    + " their addresses); 127.0.0.1, ::1 and other addresses of 'lo' have none";

    private static final String PEER_SILENT =
            "check that the peer runs, that its RDMA device is up, and that no firewall keeps UDP port 4791"
                    + " (RoCE version 2), or the TCP port (iWARP), away";

    /** InfiniBand has neither IP nor a firewall. */
    private static final String PEER_SILENT_ON_INFINIBAND =
            "check that the peer runs, and that its port is ACTIVE ('ibstat') and answers ('ibping LID')";

    private static final String SUBNET_SILENT = "the subnet administrator did not answer";
    private static final String SUBNET_MANAGER =
            "a subnet manager must run, and this port must be ACTIVE: 'sminfo' asks it, 'ibstat' shows the port; or"
                    + " allow more time";

    private static final String NO_PATH = "the subnet administrator knows no path to the peer";
    private static final String SAME_PARTITION =
            "see that both network interfaces have the P_Key of one partition, that the subnet manager has both ports"
                    + " in it, and one of them as a full member ('saquery -p' lists the paths that it knows)";

    private static final String PEER_REFUSES =
            "see what the peer's program says: it wants no such client, or lacked locked memory or file descriptors for"
                    + " one more (its accept() throws that). Then connect again";

    private static final String NOT_THIS_ADDRESS =
            "a program listens at this port, but not at this address (at another one, or for IPv4 or IPv6 alone), or it"
                    + " has closed the request unanswered";

    private static final String LISTEN_HERE =
            "see at the peer where its program listens ('rdma resource show cm_id'): bound to the wildcard address, it"
                    + " takes IPv4 and IPv6 at every address. If it listens here, see what it says (its accept() throws"
                    + " why it gave up a client), and connect again";

    private CmStatus() {}

    /**
     * For an id that would be bound to a loopback address, which the kernel's cma_any_addr() treats as the wildcard.
     */
    static VerbsException loopback(String operation) {
        return Failures.of(
                operation,
                Errno.ENODEV,
                "a loopback address has no RDMA device, and the kernel would listen on all of them instead",
                RDMA_ADDRESS + "; to listen on all RDMA devices, use the wildcard address");
    }

    /**
     * The kernel refuses it in this way if there are only iWARP devices; otherwise it reports that there is no device.
     */
    static VerbsException loopbackDestination(String operation) {
        return Failures.of(operation, Errno.EINVAL, "a loopback address has no RDMA device", RDMA_ADDRESS);
    }

    /**
     * Explains why a call that resolves an address was refused: the errno does not say whether this host is the cause.
     *
     * @param source the requested local address; null for none
     * @param destination the peer's address; null for a call that binds
     */
    static VerbsException unresolved(
            String operation, VerbsException failure, InetSocketAddress source, InetSocketAddress destination) {
        boolean named =
                (source == null || !source.isUnresolved()) && (destination == null || !destination.isUnresolved());
        Explanation explanation = named && MAY_LIE_HERE.contains(failure.errno())
                ? ofThisHost(failure.errno(), source, destination)
                : new Explanation();
        return explanation.isEmpty()
                ? failure
                : Failures.of(operation, failure.errno(), explanation.cause(), explanation.remedy());
    }

    /** {@return the cause on this host: an interface, a route or a driver; empty if there is none} */
    private static Explanation ofThisHost(int errno, InetSocketAddress source, InetSocketAddress destination) {
        RouteDiagnosis routes = RouteDiagnosis.current();
        InetAddress from = source == null || source.getAddress().isAnyLocalAddress() ? null : source.getAddress();
        Explanation explanation = destination != null
                ? routes.of(from, destination.getAddress())
                : from != null ? routes.ofLocal(from) : new Explanation();
        if (!explanation.isEmpty() || errno != Errno.ENODEV) {
            return explanation;
        }
        List<String> unlisted = CreationFailure.unlisted();
        if (!unlisted.isEmpty()) {
            return KernelDevices.unlisted(unlisted);
        }
        InetAddress target = destination != null ? destination.getAddress() : from;
        Optional<String> outgoing = target == null ? Optional.empty() : routes.outgoing(from, target);
        if (outgoing.isEmpty()) {
            return explanation;
        }
        Explanation refused = CreationFailure.refused(outgoing.get());
        return !refused.isEmpty() || destination == null
                ? refused
                : explanation.add(
                        "packets to %s leave this host by the network interface %s, which has no RDMA device"
                                .formatted(target.getHostAddress(), outgoing.get()),
                        RDMA_ADDRESS);
    }

    /**
     * {@return the cause on this host for an id that does not reach its peer; empty if there is none} The kernel has
     * chosen the id's local address: if this JVM sees no interface with that address, its interfaces do not matter.
     */
    static Explanation ofThisHost(int errno, ConnectionId id) {
        InetSocketAddress local = id.localAddress().orElse(null);
        InetSocketAddress peer = id.peerAddress().orElse(null);
        boolean chosen = local != null && !local.getAddress().isAnyLocalAddress();
        return peer == null || chosen && !RouteDiagnosis.current().isLocal(local.getAddress())
                ? new Explanation()
                : ofThisHost(errno, local, peer);
    }

    static String explain(CmEventType type, PortSpace portSpace, int status, byte[] privateData) {
        if (status == 0) {
            return "";
        }
        if (isOfKernel(type, portSpace, status, privateData)) {
            return portSpace.isDatagram()
                    ? "the look-up of the peer's queue pair was answered with status %d: %s"
                            .formatted(status, NOT_THIS_ADDRESS)
                    : "%s (reason %d): %s".formatted(RejectReason.CONSUMER_DEFINED, status, NOT_THIS_ADDRESS);
        }
        if (type == CmEventType.REJECTED && status > 0) {
            RejectReason reason = RejectReason.ofCode(status);
            return "%s (reason %d): %s".formatted(reason, status, reason.explanation());
        }
        if (type == CmEventType.UNREACHABLE && portSpace.isDatagram() && status > 0) {
            return "the look-up of the peer's queue pair was answered with status %d: %s"
                    .formatted(status, lookUpStatus(status));
        }
        int errno = errno(type, status);
        if (type == CmEventType.UNREACHABLE && errno == Errno.ETIMEDOUT) {
            return "the peer did not answer";
        }
        if (type == CmEventType.ADDR_ERROR && errno == Errno.ETIMEDOUT) {
            return "the address was not resolved in time: no answer to ARP or neighbour discovery";
        }
        if (asksSubnet(type) && errno == Errno.ETIMEDOUT) {
            return SUBNET_SILENT;
        }
        if (type == CmEventType.ROUTE_ERROR && errno == Errno.EINVAL) {
            return NO_PATH;
        }
        return VerbsException.describe(errno);
    }

    /**
     * Returns whether a refusal without private data may come from the kernel. If a program listens at the port, but
     * none of its ids at the address, the kernel drops the request, which looks like a refusal by a program
     * (cma_ib_req_handler()).
     */
    private static boolean isOfKernel(CmEventType type, PortSpace portSpace, int status, byte[] privateData) {
        boolean refused = type == CmEventType.REJECTED && status == RejectReason.CONSUMER_DEFINED.code()
                || type == CmEventType.UNREACHABLE && portSpace.isDatagram() && status == LOOK_UP_REFUSED;
        for (int i = 0; refused && i < privateData.length; i++) {
            refused = privateData[i] == 0;
        }
        return refused;
    }

    /** Only on InfiniBand does the kernel ask the subnet administrator for a route or to join a group. */
    private static boolean asksSubnet(CmEventType failed) {
        return failed == CmEventType.ROUTE_ERROR || failed == CmEventType.MULTICAST_ERROR;
    }

    private static boolean isResolution(CmEventType type) {
        return type == CmEventType.ADDR_ERROR || type == CmEventType.ROUTE_ERROR;
    }

    /** Explains a status of InfiniBand's SIDR_REP message. */
    private static String lookUpStatus(int status) {
        return switch (status) {
            case 1 -> "nobody listens for RDMA at this address and port, in this port space";
            case LOOK_UP_REFUSED -> "the peer's program refused it";
            case 3 -> "the peer has no queue pair for it";
            case 4 -> "another port is responsible";
            case 5 -> "the peer does not support this version of the protocol";
            default -> "not named in InfiniBand's specification";
        };
    }

    /**
     * Returns the errno of a status that is one. librdmacm reports -1 if the kernel has resolved the address and
     * librdmacm finds no device for it.
     */
    private static int errno(CmEventType type, int status) {
        return isResolution(type) && status == -1 ? Errno.ENODEV : Math.abs(status);
    }

    /** Returns what to do about the errno of an event. */
    private static String remedyOfEvent(CmEventType type, int errno, boolean infiniBand) {
        if (type == CmEventType.UNREACHABLE && errno == Errno.ETIMEDOUT) {
            return peerSilent(infiniBand);
        }
        if (type == CmEventType.ADDR_ERROR && errno == Errno.ETIMEDOUT) {
            return remedyOfSilence(CmEventType.ADDR_RESOLVED, infiniBand);
        }
        if (asksSubnet(type) && errno == Errno.ETIMEDOUT) {
            return SUBNET_MANAGER;
        }
        return type == CmEventType.ROUTE_ERROR && errno == Errno.EINVAL ? SAME_PARTITION : remedyOfCall(errno);
    }

    private static String peerSilent(boolean infiniBand) {
        return infiniBand ? PEER_SILENT_ON_INFINIBAND : PEER_SILENT;
    }

    /** Explains why the awaited event did not arrive in time. */
    static String explainSilence(CmEventType awaited, Duration timeout, boolean infiniBand) {
        String nothing = "nothing came within " + TimeText.of(timeout);
        return awaited == CmEventType.ROUTE_RESOLVED && infiniBand ? nothing + ": " + SUBNET_SILENT : nothing;
    }

    /** Returns what to do if the awaited event did not arrive. */
    static String remedyOfSilence(CmEventType awaited, boolean infiniBand) {
        return switch (awaited) {
            case ADDR_RESOLVED ->
                "see that the host is up and answers a ping from this side's address, on InfiniBand that both ports"
                        + " are ACTIVE ('ibstat'); or allow more time";
            case ROUTE_RESOLVED -> infiniBand ? SUBNET_MANAGER : remedyOfSilence(CmEventType.ADDR_RESOLVED, false);
            case ESTABLISHED, CONNECT_RESPONSE ->
                "see that the server's program accepts clients: somebody who listens and does not accept leaves a"
                        + " request unanswered. If it does, " + peerSilent(infiniBand) + "; or allow more time";
            case DISCONNECTED -> "wait longer, or close the id: that ends the connection without the peer's consent";
            case MULTICAST_JOIN ->
                "see that the port is up, and on InfiniBand that a subnet manager runs; or allow more time";
            default -> "see whether the peer still runs, or allow more time";
        };
    }

    /** Returns what to do about the errno of a call. */
    static String remedyOfCall(int errno) {
        return switch (errno) {
            case Errno.ENODEV, Errno.EADDRNOTAVAIL -> RDMA_ADDRESS;
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH ->
                "check the route ('ip route get ADDRESS') and that the host is up";
            case EADDRINUSE -> "use another port, or 0 for a free port; on iWARP, TCP sockets also use ports";
            case ECONNREFUSED -> "check that the peer listens at this address and port";
            default -> "";
        };
    }

    /**
     * Converts a failure of rdma_connect(3) that concerns the peer, as an event would. SoftiWARP connects by TCP within
     * the call.
     */
    static VerbsException ofConnect(String operation, VerbsException failure) {
        return switch (failure.errno()) {
            case ECONNREFUSED, Errno.ECONNRESET, Errno.ETIMEDOUT, Errno.ENETUNREACH, Errno.EHOSTUNREACH -> {
                boolean silent = failure.errno() == Errno.ETIMEDOUT;
                ConnectionException exception = new ConnectionException(
                        operation,
                        null,
                        failure.errno(),
                        silent ? "the peer did not answer" : "",
                        silent ? PEER_SILENT : failure.remedy());
                exception.initCause(failure);
                yield exception;
            }
            default -> failure;
        };
    }

    /**
     * For a request that the kernel has dropped: it reports no event for a request that was not accepted, and returns
     * EINVAL to calls that need it (ucma_event_handler()).
     */
    static ConnectionException requestGone(VerbsException refused) {
        return gone(
                refused,
                "the peer has given up its request: it has ended, or has waited long enough",
                "close this id, and wait for the next request");
    }

    /** For a connection that the server has ended between its response and this side's answer. */
    static ConnectionException serverGone(VerbsException refused) {
        return gone(
                refused,
                "the server has given up this client after its response: it has ended, or has waited long enough (an"
                        + " endpoint server for EndpointConfig.handshakeTimeout)",
                "connect again");
    }

    private static ConnectionException gone(VerbsException refused, String cause, String remedy) {
        ConnectionException exception =
                new ConnectionException(refused.operation(), null, Errno.ECONNRESET, cause, remedy);
        exception.initCause(refused);
        return exception;
    }

    /** The peer runs and was reached: the general remedy of ECONNREFUSED would be wrong. */
    private static String remedyOf(RejectReason reason) {
        return switch (reason) {
            case CONSUMER_DEFINED -> PEER_REFUSES;
            case STALE_CONNECTION -> "connect again, which takes another queue pair";
            case UNKNOWN -> "";
            default ->
                "the peer's kernel or adapter has refused, not its program: change what the reason names ('dmesg' there"
                        + " may say more), and connect again";
        };
    }

    /** Returns the exception for an event that arrived instead of success. */
    static ConnectionException failure(String operation, CmEvent event) {
        if (event.cause().isPresent()) {
            VerbsException cause = event.cause().get();
            ConnectionException exception =
                    new ConnectionException(operation, event.type(), cause.errno(), cause.getMessage(), cause.remedy());
            exception.initCause(cause);
            return exception;
        }
        int status = event.status();
        boolean refusedLookUp = event.type() == CmEventType.UNREACHABLE
                && event.id().portSpace().isDatagram()
                && status > 0;
        if (event.type() == CmEventType.REJECTED || refusedLookUp) {
            int errno = status < 0 ? errno(event.type(), status) : ECONNREFUSED;
            boolean nobodyListens =
                    event.rejectReason() == RejectReason.INVALID_SERVICE_ID || refusedLookUp && status == 1;
            String remedy = nobodyListens
                    ? remedyOfCall(ECONNREFUSED)
                    : isOfKernel(event.type(), event.id().portSpace(), status, event.privateData())
                            ? LISTEN_HERE
                            : remedyOf(event.rejectReason());
            return new ConnectionRejectedException(operation, errno, event, remedy);
        }
        int errno = errno(event.type(), status);
        Explanation ofThisHost = ofThisHost(errno, event.id());
        String explanation = event.type() + (status == 0 ? "" : ": " + event.explanation());
        return new ConnectionException(
                operation,
                event.type(),
                errno,
                ofThisHost.isEmpty() ? explanation : event.type() + ": " + ofThisHost.cause(),
                ofThisHost.isEmpty()
                        ? remedyOfEvent(event.type(), errno, event.id().isOnInfiniBand())
                        : ofThisHost.remedy());
    }
}
