// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The two ports that are tested, one at each end.
 *
 * @param here this end's
 * @param there the other end's
 */
public record PortPair(PeerPort here, PeerPort there) {
    /**
     * Chooses the ports. Each end prefers the port with the address of the connection between the machines, then a
     * usable port. This end prefers a port with the transport of the other end's port.
     *
     * @param localAddress this end's address of the connection between the machines
     * @param remoteAddress the other end's address
     * @return the ports; empty if one end has none
     */
    public static Optional<PortPair> choose(
            PeerMachine here, PeerMachine there, InetAddress localAddress, InetAddress remoteAddress) {
        Optional<PeerPort> theirs = best(there.ports(), remoteAddress, Optional.empty());
        return theirs.flatMap(port -> best(here.ports(), localAddress, theirs).map(mine -> new PortPair(mine, port)));
    }

    private static Optional<PeerPort> best(List<PeerPort> ports, InetAddress address, Optional<PeerPort> counterpart) {
        // The first of equal ports wins.
        return ports.stream()
                .reduce((one, other) ->
                        rank(other, address, counterpart) > rank(one, address, counterpart) ? other : one);
    }

    private static int rank(PeerPort port, InetAddress address, Optional<PeerPort> counterpart) {
        boolean sameTransport = counterpart
                .map(other -> other.transport() == port.transport())
                .orElse(port.transport() != Transport.OTHER);
        return (sameTransport ? 8 : 0) + (port.has(address) ? 4 : 0) + (port.usable() ? 2 : 0);
    }

    /** Returns the largest path MTU that both ports support, in bytes; 0 if one of them is unknown. */
    public int mtu() {
        return Math.min(here.mtu(), there.mtu());
    }

    /**
     * Returns the other end's address for rdma_cm: the address of the connection between the machines if the port has
     * it, and otherwise the address in the port's GID.
     *
     * @param remoteAddress the other end's address of the connection between the machines
     */
    public InetAddress addressForConnections(InetAddress remoteAddress) {
        // GIDs of iWARP are no IP addresses.
        if (there.has(remoteAddress) || transport() != Transport.ROCE) {
            return remoteAddress;
        }
        return PeerPort.address(there.gid())
                .filter(address -> !address.isLinkLocalAddress())
                .orElse(remoteAddress);
    }

    /** Returns the transport of both ports; if they differ, the transport of this end. */
    public Transport transport() {
        return here.transport();
    }

    /** Returns whether data could go between them. */
    public boolean isUsable() {
        return here.usable() && there.usable() && here.transport() == there.transport();
    }
}
