// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static io.github.rdma4j.verbs.bindings.RdmaHeaders.*;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.rdma_addrinfo;
import io.github.rdma4j.verbs.internal.CmCalls;
import io.github.rdma4j.verbs.internal.Failures;
import io.github.rdma4j.verbs.internal.NativeCalls;
import io.github.rdma4j.verbs.internal.NativeLibraries;
import io.github.rdma4j.verbs.internal.SocketAddresses;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of resolving a host name and a port ({@code struct rdma_addrinfo}, rdma_getaddrinfo(3)): the addresses
 * and, on InfiniBand with ibacm(1), also the route. {@link ConnectionId} takes an {@link InetSocketAddress}, which Java
 * can also resolve. Use this class for the route from ibacm, or to call {@link #createEndpoint} with a name.
 *
 * @since 0.1.0
 */
public final class CmAddress {
    private static final int PASSIVE = 1;
    private static final int EAI_NONAME = -2;
    private static final int EAI_AGAIN = -3;
    private static final int EAI_SYSTEM = -11;

    private final PortSpace portSpace;
    private final boolean passive;
    private final InetSocketAddress source;
    private final InetSocketAddress destination;
    private final byte[] route;
    private final byte[] connectData;

    private CmAddress(PortSpace portSpace, boolean passive, MemorySegment info) {
        this.portSpace = portSpace;
        this.passive = passive;
        this.source = address(rdma_addrinfo.ai_src_addr(info), rdma_addrinfo.ai_src_len(info));
        this.destination = address(rdma_addrinfo.ai_dst_addr(info), rdma_addrinfo.ai_dst_len(info));
        this.route = bytes(rdma_addrinfo.ai_route(info), rdma_addrinfo.ai_route_len(info));
        this.connectData = bytes(rdma_addrinfo.ai_connect(info), rdma_addrinfo.ai_connect_len(info));
    }

    private static InetSocketAddress address(MemorySegment address, int length) {
        return address.address() == 0
                ? null
                : SocketAddresses.read(address.reinterpret(length)).orElse(null);
    }

    private static byte[] bytes(MemorySegment data, long length) {
        return data.address() == 0 ? new byte[0] : data.reinterpret(length).toArray(ValueLayout.JAVA_BYTE);
    }

    /**
     * Resolves a peer (rdma_getaddrinfo(3)). It has no timeout, and an interrupt does not end it. Name servers and
     * ibacm have their own timeouts (resolv.conf(5): by default 5 s and two attempts for each server). Numeric
     * addresses resolve at once.
     *
     * @param host a name or an address
     * @param service a port number, or a service's name
     * @param portSpace {@link PortSpace#TCP} or {@link PortSpace#UDP}
     * @return the addresses, at least one
     * @throws IllegalArgumentException if the service is a number above 65535
     * @throws VerbsException if there are no addresses
     */
    public static List<CmAddress> resolve(String host, String service, PortSpace portSpace) {
        return resolve(host, service, portSpace, false);
    }

    /**
     * Resolves a local address to listen at (rdma_getaddrinfo(3) with {@code RAI_PASSIVE}). It can wait as long as
     * {@link #resolve}.
     *
     * @param host a name or an address of this host
     * @param service a port number, or a service's name; 0 for any
     * @param portSpace {@link PortSpace#TCP} or {@link PortSpace#UDP}
     * @return the addresses, at least one
     * @throws IllegalArgumentException if the service is a number above 65535
     * @throws VerbsException if there are no addresses
     */
    public static List<CmAddress> resolveLocal(String host, String service, PortSpace portSpace) {
        return resolve(host, service, portSpace, true);
    }

    private static List<CmAddress> resolve(String host, String service, PortSpace portSpace, boolean passive) {
        Objects.requireNonNull(host, "host");
        NativeLibraries.requireConnectionManager();
        requirePort(service);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment hints = hints(arena, portSpace, passive);
            MemorySegment result = arena.allocate(ValueLayout.ADDRESS);
            int error = CmCalls.getAddressInfo(arena.allocateFrom(host), arena.allocateFrom(service), hints, result);
            if (error != 0) {
                throw failure("rdma_getaddrinfo(%s, %s, %s)".formatted(host, service, portSpace), error);
            }
            MemorySegment first = result.get(ValueLayout.ADDRESS, 0);
            try {
                List<CmAddress> addresses = new ArrayList<>();
                for (MemorySegment next = first; next.address() != 0; ) {
                    MemorySegment info = next.reinterpret(rdma_addrinfo.sizeof());
                    addresses.add(new CmAddress(portSpace, passive, info));
                    next = rdma_addrinfo.ai_next(info);
                }
                return List.copyOf(addresses);
            } finally {
                CmCalls.freeAddressInfo(first);
            }
        }
    }

    /** getaddrinfo(3) silently truncates a port number to 16 bits. */
    private static void requirePort(String service) {
        boolean number = !service.isEmpty() && service.chars().allMatch(c -> c >= '0' && c <= '9');
        if (number && new BigInteger(service).bitLength() > Short.SIZE) {
            throw new IllegalArgumentException("port %s is not in 0..65535".formatted(service));
        }
    }

    private static MemorySegment hints(SegmentAllocator allocator, PortSpace portSpace, boolean passive) {
        MemorySegment hints = rdma_addrinfo.allocate(allocator);
        rdma_addrinfo.ai_flags(hints, passive ? PASSIVE : 0);
        rdma_addrinfo.ai_qp_type(hints, portSpace.isDatagram() ? IBV_QPT_UD() : IBV_QPT_RC());
        rdma_addrinfo.ai_port_space(hints, portSpace.code());
        return hints;
    }

    private static VerbsException failure(String operation, int error) {
        int errno = error == -1 || error == EAI_SYSTEM ? NativeCalls.lastErrno() : 0;
        if (errno != 0) {
            return Failures.of(operation, errno, "", CmStatus.remedyOfCall(errno));
        }
        if (error == EAI_AGAIN) {
            return new VerbsException(
                    operation,
                    0,
                    "no name server answers, or none is known",
                    "see /etc/resolv.conf and call it again later, or use a numeric address");
        }
        String explanation = error == EAI_NONAME
                ? "the host or the service is not known"
                : "getaddrinfo(3) gives the error " + error;
        return new VerbsException(operation, 0, explanation, "check the name, or use a numeric address");
    }

    /** {@return the port space} */
    public PortSpace portSpace() {
        return portSpace;
    }

    /** {@return whether it is an address to listen at} */
    public boolean isPassive() {
        return passive;
    }

    /** {@return the local address; empty for any} */
    public Optional<InetSocketAddress> source() {
        return Optional.ofNullable(source);
    }

    /** {@return the peer's address; empty for an address to listen at} */
    public Optional<InetSocketAddress> destination() {
        return Optional.ofNullable(destination);
    }

    /** {@return the route from ibacm, for {@link ConnectionOptions#infiniBandPath}; empty if there is none} */
    public byte[] route() {
        return route.clone();
    }

    /** {@return the bytes that must precede the private data of a connect, as required by ibacm; usually empty} */
    public byte[] connectData() {
        return connectData.clone();
    }

    /**
     * Creates an id that is bound to this address, or has resolved it and the route (rdma_create_ep(3), but with a
     * timeout).
     *
     * @param timeout for both steps together
     * @return the id, without a queue pair; the caller closes it
     * @throws ConnectionException if the peer cannot be reached, or is not resolved in time
     * @throws VerbsException if no RDMA device can reach it
     */
    public SynchronousId createEndpoint(Duration timeout) {
        SynchronousId endpoint = SynchronousId.create(portSpace);
        try {
            if (passive) {
                endpoint.id().bind(source);
            } else {
                endpoint.resolve(this, timeout);
            }
            return endpoint;
        } catch (Throwable e) {
            SynchronousId.closeAfter(e, endpoint);
            throw e;
        }
    }

    /** {@return port space and addresses} */
    @Override
    public String toString() {
        return passive
                ? "%s, to listen at %s".formatted(portSpace, source)
                : "%s, %s from %s".formatted(portSpace, destination, source == null ? "any address" : source);
    }
}
