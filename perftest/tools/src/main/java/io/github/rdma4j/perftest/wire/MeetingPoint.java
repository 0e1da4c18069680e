// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.wire;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * Where the two sides of a test connect.
 *
 * @param host name or address of the server; null on the server
 * @param port the TCP port, or the port in rdma_cm's port space for connections; 0 makes a server choose a free one
 * @param source local address to connect from or to listen at (--bind_source_ip); null for any
 * @param ipv6 whether to use IPv6 only (--ipv6-addr)
 * @param overRdma whether a queue pair that rdma_cm connects (-z, -R) carries the conversation, instead of TCP
 */
public record MeetingPoint(String host, int port, String source, boolean ipv6, boolean overRdma) {
    /** Returns a server's TCP port, or a client's path to it. */
    public static MeetingPoint overTcp(String host, int port) {
        return new MeetingPoint(host, port, null, false, false);
    }

    /** Host and port, for messages. */
    public String name() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /**
     * Returns the server's addresses: only IPv6 if the user asks for it, otherwise all, IPv4 first as in the C tools.
     *
     * @throws HandshakeException when the name is unknown, or has no address of the family
     */
    public List<InetAddress> addresses() {
        List<InetAddress> all = resolve(host, "the server's name " + host);
        List<InetAddress> suitable =
                ipv6 ? all.stream().filter(Inet6Address.class::isInstance).toList() : all;
        if (suitable.isEmpty()) {
            throw new HandshakeException(
                    "the server's name " + host + " has no IPv6 address (--ipv6-addr)",
                    "give an IPv6 address, or leave --ipv6-addr out");
        }
        return suitable;
    }

    /**
     * Returns the local address to connect from, of the same family as the destination; null for any.
     *
     * @throws HandshakeException when the name of the source is not known, or has no address of the family
     */
    public InetSocketAddress source(InetAddress destination) {
        return source == null ? null : new InetSocketAddress(localAddress(destination instanceof Inet6Address), 0);
    }

    /** Returns the local address as the user gave it; null for any. */
    String sourceName() {
        return source;
    }

    /** Returns the address where a server listens. */
    public InetSocketAddress listeningAddress() {
        if (source != null) {
            return new InetSocketAddress(localAddress(ipv6 || source.contains(":")), port);
        }
        return ipv6 ? new InetSocketAddress(InetAddress.ofLiteral("::"), port) : new InetSocketAddress(port);
    }

    private InetAddress localAddress(boolean six) {
        return resolve(source, "--bind_source_ip: " + source).stream()
                .filter(six ? Inet6Address.class::isInstance : Inet4Address.class::isInstance)
                .findFirst()
                .orElseThrow(() -> new HandshakeException(
                        "--bind_source_ip: " + source + " is no IPv" + (six ? "6" : "4") + " address",
                        "both sides' addresses must be of one family"));
    }

    private static List<InetAddress> resolve(String name, String what) {
        try {
            InetAddress[] addresses = InetAddress.getAllByName(name);
            Arrays.sort(addresses, Comparator.comparingInt(address -> address.getAddress().length));
            return List.of(addresses);
        } catch (UnknownHostException failure) {
            throw new HandshakeException(what + " is not known", "give an address or a name that resolves", failure);
        }
    }
}
