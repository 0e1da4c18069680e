// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Finds out why packets do not leave this host for an address: an interface that is down, an address that is another
 * host's, no route. Nothing is sent.
 *
 * @param interfaces the network interfaces of this host
 * @param routes looks routes up
 */
public record RouteDiagnosis(List<Interface> interfaces, Routes routes) {
    /** Any port will do: a UDP socket that is connected sends nothing. */
    private static final int PORT = 4791;

    private static final String UP = "bring it up: 'ip link set dev %s up'";

    /**
     * A network interface.
     *
     * @param name such as {@code eth0}
     * @param up whether the administrator has switched it on and its link is up
     * @param addresses its addresses
     */
    public record Interface(String name, boolean up, List<Subnet> addresses) {
        private boolean reaches(InetAddress destination) {
            return addresses.stream().anyMatch(subnet -> subnet.contains(destination));
        }
    }

    /**
     * An address and the length of its subnet's prefix.
     *
     * @param address of an interface
     * @param prefix in bits
     */
    public record Subnet(InetAddress address, int prefix) {
        private boolean contains(InetAddress other) {
            byte[] mine = address.getAddress();
            byte[] others = other.getAddress();
            if (mine.length != others.length || prefix == 0) {
                return false;
            }
            for (int bit = 0; bit < prefix; bit++) {
                int mask = 0x80 >> bit % Byte.SIZE;
                if (((mine[bit / Byte.SIZE] ^ others[bit / Byte.SIZE]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The kernel's routing table. */
    public interface Routes {
        /**
         * Looks up the way to an address.
         *
         * @param source the local address; null for any
         * @param destination where to
         * @return the local address that packets leave from
         * @throws IOException with the kernel's words, if it has no route
         */
        InetAddress source(InetAddress source, InetAddress destination) throws IOException;
    }

    /** {@return the diagnosis of this host as it is now} */
    public static RouteDiagnosis current() {
        List<Interface> found = new ArrayList<>();
        try {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                found.add(new Interface(each.getName(), each.isUp(), subnets(each)));
            }
        } catch (SocketException e) {
            found.clear();
        }
        return new RouteDiagnosis(found, RouteDiagnosis::lookUp);
    }

    private static List<Subnet> subnets(NetworkInterface of) {
        List<Subnet> subnets = new ArrayList<>();
        for (InterfaceAddress each : of.getInterfaceAddresses()) {
            subnets.add(new Subnet(each.getAddress(), each.getNetworkPrefixLength()));
        }
        return subnets;
    }

    private static InetAddress lookUp(InetAddress source, InetAddress destination) throws IOException {
        try (DatagramChannel channel = DatagramChannel.open()) {
            if (source != null) {
                channel.bind(new InetSocketAddress(source, 0));
            }
            channel.connect(new InetSocketAddress(destination, PORT));
            return ((InetSocketAddress) channel.getLocalAddress()).getAddress();
        }
    }

    /**
     * Explains why an address was not reached.
     *
     * @param source the local address that was asked for; null, or the wildcard address, for none
     * @param destination the peer's address
     * @return cause and remedy; empty if packets leave this host for the destination
     */
    public Explanation of(InetAddress source, InetAddress destination) {
        InetAddress from = source == null || source.isAnyLocalAddress() ? null : source;
        Explanation explanation = from == null ? new Explanation() : ofLocal(from);
        if (interfaces.isEmpty() || !explanation.isEmpty()) {
            return explanation;
        }
        if (from != null && from.getClass() != destination.getClass()) {
            return explanation.add(
                    "one of %s and %s is an IPv4 address, and the other an IPv6 address"
                            .formatted(from.getHostAddress(), destination.getHostAddress()),
                    "use a local address of the peer's kind");
        }
        Optional<InetAddress> leaves = Optional.empty();
        String words = "";
        try {
            leaves = Optional.of(routes.source(from, destination));
        } catch (IOException | RuntimeException e) {
            words = String.valueOf(e.getMessage());
        }
        Optional<Interface> by = leaves.flatMap(this::having);
        boolean another =
                by.filter(each -> each.up && each.reaches(destination)).isPresent();
        // An interface that has lost its link keeps its routes; one that was switched off has none.
        Optional<Interface> towards = interfaces.stream()
                .filter(each -> !each.up && each.reaches(destination))
                .min(Comparator.comparing(each -> by.filter(each::equals).isPresent()));
        if (towards.isPresent() && !another) {
            return down(
                    explanation, towards.get(), "whose subnet %s belongs to".formatted(destination.getHostAddress()));
        }
        return leaves.isPresent()
                ? explanation
                : explanation.add(
                        "this host has no route to %s (%s)".formatted(destination.getHostAddress(), words),
                        ("see 'ip route get %s': add a route, or remove one of the type unreachable, prohibit or"
                                        + " blackhole")
                                .formatted(destination.getHostAddress()));
    }

    /**
     * Explains why a local address cannot be used.
     *
     * @param address that was asked for
     * @return cause and remedy; empty if this host has the address, on an interface that is up
     */
    public Explanation ofLocal(InetAddress address) {
        Explanation explanation = new Explanation();
        Optional<Interface> own = having(address);
        if (own.isEmpty() && !interfaces.isEmpty()) {
            explanation.add(
                    "%s is not an address of this host".formatted(address.getHostAddress()),
                    "use an address of this host ('ip address')");
        } else if (own.isPresent() && !own.get().up) {
            down(explanation, own.get(), "which has " + address.getHostAddress());
        }
        return explanation;
    }

    /**
     * Says whether an interface of this host has an address.
     *
     * @param address to look for
     * @return whether one has, up or down
     */
    public boolean isLocal(InetAddress address) {
        return having(address).isPresent();
    }

    /**
     * Names the interface that packets leave by.
     *
     * @param source the local address that was asked for; null for none
     * @param destination the peer's address
     * @return its name; empty without a route
     */
    public Optional<String> outgoing(InetAddress source, InetAddress destination) {
        try {
            return having(routes.source(source, destination)).map(Interface::name);
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    private static Explanation down(Explanation explanation, Interface own, String which) {
        return explanation.add(
                "the network interface %s of this host, %s, is down".formatted(own.name, which),
                UP.formatted(own.name));
    }

    private Optional<Interface> having(InetAddress address) {
        return interfaces.stream()
                .filter(each -> each.addresses.stream().anyMatch(subnet -> subnet.address.equals(address)))
                .findFirst();
    }
}
