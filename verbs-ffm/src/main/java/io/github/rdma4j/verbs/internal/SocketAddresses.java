// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import io.github.rdma4j.verbs.bindings.sockaddr_in;
import io.github.rdma4j.verbs.bindings.sockaddr_in6;
import io.github.rdma4j.verbs.bindings.sockaddr_storage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.util.Optional;

/** {@code struct sockaddr_in} and {@code sockaddr_in6}, to and from {@link InetSocketAddress}. */
public final class SocketAddresses {
    private static final short AF_INET = 2;
    private static final short AF_INET6 = 10;
    private static final int IPV4_LENGTH = 4;
    private static final int IPV6_LENGTH = 16;
    private static final ValueLayout.OfShort NETWORK_SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private SocketAddresses() {}

    /**
     * Writes an address into fresh memory that has room for any family.
     *
     * @param allocator where the memory comes from
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
                sockaddr_in6.sin6_scope_id(target, ipv6.getScopeId());
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
