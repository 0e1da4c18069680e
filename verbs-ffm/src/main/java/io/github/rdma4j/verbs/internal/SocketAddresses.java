// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.sockaddr_in;
import io.github.rdma4j.verbs.bindings.sockaddr_in6;
import io.github.rdma4j.verbs.bindings.sockaddr_storage;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.nio.channels.ServerSocketChannel;
import java.util.Optional;

/** Converts {@code struct sockaddr_in} and {@code sockaddr_in6} to and from {@link InetSocketAddress}. */
public final class SocketAddresses {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final ValueLayout.OfShort NETWORK_SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    /**
     * Returns the address to bind for a program's address. As with Java's sockets, the wildcard address of either
     * family means IPv4 and IPv6: {@code ::}, or {@code 0.0.0.0} if this JVM has no IPv6 (it is switched off, or
     * {@code java.net.preferIPv4Stack} is set).
     *
     * @param address the program's address
     * @return the wildcard address of the family to bind; any other address unchanged
     */
    public static InetSocketAddress toBind(InetSocketAddress address) {
        return isWildcard(address) ? wildcard(hasIpv6(), address.getPort()) : address;
    }

    /**
     * Returns the local address to connect from: the wildcard address of either family means both.
     *
     * @param local the program's local address, or null
     * @param remote the address to connect to
     * @return the local address, a wildcard one in the family of the remote one; null for null
     */
    public static InetSocketAddress toConnectFrom(InetSocketAddress local, InetSocketAddress remote) {
        return local != null && isWildcard(local)
                ? wildcard(remote.getAddress() instanceof Inet6Address, local.getPort())
                : local;
    }

    /**
     * Returns whether an address is the wildcard address of a family.
     *
     * @param address the address
     * @return also false for a name that is not resolved
     */
    public static boolean isWildcard(InetSocketAddress address) {
        return !address.isUnresolved() && address.getAddress().isAnyLocalAddress();
    }

    private static InetSocketAddress wildcard(boolean ipv6, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(ipv6 ? "::" : "0.0.0.0"), port);
    }

    /** Decides like Java's own sockets, when the JVM starts. */
    private static boolean hasIpv6() {
        try {
            ServerSocketChannel.open(StandardProtocolFamily.INET6).close();
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        } catch (IOException e) {
            // No descriptor is left; the caller's own attempt reports that.
            return true;
        }
    }

    /**
     * Returns the interface of a link-local address. As with Java's sockets, an address of this host need not name it.
     */
    private static int scope(Inet6Address address) {
        if (address.getScopeId() != 0 || !address.isLinkLocalAddress()) {
            return address.getScopeId();
        }
        try {
            int[] own = NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address::equals)
                    .mapToInt(found -> ((Inet6Address) found).getScopeId())
                    .toArray();
            return own.length == 1 ? own[0] : 0;
        } catch (SocketException e) {
            return 0;
        }
    }

    /**
     * Writes an address to new memory that is large enough for any family.
     *
     * @param allocator the source of the memory
     * @param address to write
     * @return a {@code struct sockaddr}
     * @throws IllegalArgumentException if the host name has not been resolved
     */
    public static MemorySegment write(SegmentAllocator allocator, InetSocketAddress address) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(
                    "the host name %s could not be resolved to an address".formatted(address.getHostString()));
        }
        MemorySegment target = sockaddr_storage.allocate(allocator);
        byte[] bytes = address.getAddress().getAddress();
        switch (address.getAddress()) {
            case Inet4Address ignored -> {
                sockaddr_in.sin_family(target, AF_INET);
                target.set(NETWORK_SHORT, sockaddr_in.sin_port$offset(), (short) address.getPort());
                MemorySegment.copy(
                        bytes, 0, target, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(), bytes.length);
            }
            case Inet6Address ipv6 -> {
                sockaddr_in6.sin6_family(target, AF_INET6);
                target.set(NETWORK_SHORT, sockaddr_in6.sin6_port$offset(), (short) address.getPort());
                MemorySegment.copy(
                        bytes, 0, target, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(), bytes.length);
                sockaddr_in6.sin6_scope_id(target, scope(ipv6));
            }
            default -> throw new IllegalArgumentException("an address of an unknown family: " + address);
        }
        return target;
    }

    /**
     * Reads an address.
     *
     * @param source a {@code struct sockaddr}
     * @return the address; empty if there is none, or of another family
     */
    public static Optional<InetSocketAddress> read(MemorySegment source) {
        try {
            return switch (source.get(ValueLayout.JAVA_SHORT, 0)) {
                case AF_INET ->
                    Optional.of(new InetSocketAddress(
                            InetAddress.getByAddress(bytes(source, sockaddr_in.sin_addr$offset(), IPV4_LENGTH)),
                            Short.toUnsignedInt(source.get(NETWORK_SHORT, sockaddr_in.sin_port$offset()))));
                case AF_INET6 ->
                    Optional.of(new InetSocketAddress(
                            readIpv6(source),
                            Short.toUnsignedInt(source.get(NETWORK_SHORT, sockaddr_in6.sin6_port$offset()))));
                default -> Optional.empty();
            };
        } catch (UnknownHostException e) {
            throw new AssertionError("addresses of this length are always valid", e);
        }
    }

    private static InetAddress readIpv6(MemorySegment source) throws UnknownHostException {
        byte[] bytes = bytes(source, sockaddr_in6.sin6_addr$offset(), IPV6_LENGTH);
        int scope = sockaddr_in6.sin6_scope_id(source);
        return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
    }

    private static byte[] bytes(MemorySegment source, long offset, int length) {
        return source.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
