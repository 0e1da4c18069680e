// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import io.github.rdma4j.verbs.AddressHandleAttributes;
import io.github.rdma4j.verbs.GlobalRoute;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.PortAttributes;
import io.github.rdma4j.verbs.device.PortState;
import io.github.rdma4j.verbs.internal.Errno;
import java.util.List;
import java.util.Optional;

/**
 * Finds out why the path of a queue pair or an address handle was refused; the kernel resolves both in the same way.
 *
 * @param name the name of the path in the message
 * @param path the path
 * @param device the facts of the device
 */
public record PathDiagnosis(String name, AddressHandleAttributes path, DeviceFacts device) {

    /**
     * Explains an errno other than EINVAL.
     *
     * @param errno of the verb that was refused
     * @return causes and remedies; empty for an errno that does not concern the path
     */
    public Explanation of(int errno) {
        Explanation explanation = new Explanation();
        if (device.port(path.port())
                .map(PortAttributes::state)
                .filter(PortState.DOWN::equals)
                .isPresent()) {
            return explanation.add(
                    "port %d of this side's device is DOWN".formatted(path.port()),
                    "bring its network interface up ('rdma link' names it; 'ip link set dev INTERFACE up'), or see"
                            + " cable and switch");
        }
        return switch (errno) {
            case Errno.ENODATA, Errno.ENOENT -> {
                if (path.globalRoute().isPresent()) {
                    noGid(explanation, path.globalRoute().get());
                } else {
                    // rdma-core 33 detects this on Ethernet; later versions return EINVAL.
                    addTo(explanation);
                }
                yield explanation;
            }
            case Errno.ETIMEDOUT ->
                explanation.add(
                        "the address of the peer's GID did not resolve: nothing answered ARP or neighbour discovery"
                                + " for "
                                + peer(),
                        "check that the peer's interface is up, and that both are in one Ethernet segment or that a"
                                + " route leads there: ping it from the source address");
            case Errno.ENETUNREACH, Errno.EHOSTUNREACH ->
                explanation.add(
                        "there is no route to " + peer(),
                        "give the interface an address in the peer's subnet, or add a route (ip route get ADDRESS"
                                + " shows the way)");
            case Errno.EADDRNOTAVAIL, Errno.ENODEV ->
                explanation.add(
                        "the network interface behind the source GID is gone, down, in another network namespace, or has"
                                + " lost its address",
                        "bring it up, and choose the GID again with DeviceContext.selectGid");
            default -> explanation;
        };
    }

    /**
     * Finds invalid values, after EINVAL.
     *
     * @param explanation receives the causes and remedies
     */
    public void addTo(Explanation explanation) {
        Optional<PortAttributes> port = device.port(path.port());
        if (port.isEmpty()) {
            explanation.add(
                    "the %s names port %d, which the device does not have".formatted(name, path.port()),
                    "ports count from 1");
            return;
        }
        boolean ethernet = port.get().linkLayer() == LinkLayer.ETHERNET;
        if (path.globalRoute().isPresent()) {
            check(path.globalRoute().get(), ethernet, explanation);
        } else if (ethernet) {
            explanation.add(
                    "the %s has no global route, and port %d is Ethernet".formatted(name, path.port()),
                    "use AddressHandleAttributes.toGid: RoCE needs GIDs");
        }
    }

    private void check(GlobalRoute route, boolean ethernet, Explanation explanation) {
        if (route.destinationGid().isZero()) {
            explanation.add("the %s leads to GID 0, which is none".formatted(name), "give the peer's GID");
        }
        Optional<GidEntry> source = source(route);
        if (source.isEmpty()) {
            noGid(explanation, route);
        } else if (ethernet) {
            checkFamilies(source.get(), route.destinationGid(), explanation);
        }
    }

    private void noGid(Explanation explanation, GlobalRoute route) {
        List<Integer> used =
                device.gids(path.port()).stream().map(GidEntry::index).toList();
        explanation.add(
                "port %d has no GID at index %d; in use: %s".formatted(path.port(), route.sourceGidIndex(), used),
                "use an index that DeviceContext.gidTable lists");
    }

    private static void checkFamilies(GidEntry source, Gid destination, Explanation explanation) {
        boolean bothKnown = !destination.isZero() && !destination.isMulticast();
        if (bothKnown && source.gid().isIpv4Mapped() != destination.isIpv4Mapped()) {
            explanation.add(
                    "%s is an %s address, and this side's GID at index %d, %s, is an %s address"
                            .formatted(
                                    destination,
                                    family(destination),
                                    source.index(),
                                    source.gid(),
                                    family(source.gid())),
                    "have both sides use GIDs of one family and one RoCE version");
        }
    }

    private static String family(Gid gid) {
        return gid.isIpv4Mapped() ? "IPv4" : "IPv6";
    }

    private Optional<GidEntry> source(GlobalRoute route) {
        return device.gids(path.port()).stream()
                .filter(entry -> entry.index() == route.sourceGidIndex())
                .findFirst();
    }

    private String peer() {
        return path.globalRoute()
                .map(route -> "%s from %s"
                        .formatted(
                                route.destinationGid(),
                                source(route)
                                        .map(entry -> entry.gid().toString())
                                        .orElse("the GID at index " + route.sourceGidIndex())))
                .orElse("the peer");
    }
}
