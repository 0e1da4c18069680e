// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.pair;

import java.net.InetAddress;
import java.util.List;
import java.util.Optional;

/**
 * The two ports that are tested: one of each end.
 *
 * @param here this end's
 * @param there the other end's
 */
public record PortPair(PeerPort here, PeerPort there) {
    /**
     * Chooses them. At each end the port that has the address by which the machines reach each other comes first, then
     * one that can be used; this end's speaks what the other end's speaks, if one does.
     *
     * @param localAddress of the connection between the machines, at this end
     * @param remoteAddress of it at the other end
     * @return the ports; empty if one end has none
     */
    public static Optional<PortPair> choose(
            PeerMachine here, PeerMachine there, InetAddress localAddress, InetAddress remoteAddress) {
        Optional<PeerPort> theirs = best(there.ports(), remoteAddress, Optional.empty());
        return theirs.flatMap(port -> best(here.ports(), localAddress, theirs).map(mine -> new PortPair(mine, port)));
    }

    private static Optional<PeerPort> best(List<PeerPort> ports, InetAddress address, Optional<PeerPort> counterpart) {
        // Of equals the first.
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

    /** The largest path MTU that both ports have, in bytes; 0 if one does not tell. */
    public int mtu() {
        return Math.min(here.mtu(), there.mtu());
    }

    /**
     * The other end's address for rdma_cm: that by which the machines reach each other, if the port has it, and
     * otherwise that of the port's GID.
     *
     * @param remoteAddress of the connection between the machines, at the other end
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

    /** What both speak; that of this end if they differ. */
    public Transport transport() {
        return here.transport();
    }

    /** Whether data could go between them. */
    public boolean isUsable() {
        return here.usable() && there.usable() && here.transport() == there.transport();
    }
}
