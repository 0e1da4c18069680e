// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static io.github.rdma4j.verbs.QueuePairAttribute.*;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Looks among the values of a refused modification for those that the device or the network cannot have, and adds what it finds
 * to causes and remedies.
 */
final class ModifyValueCheck {
    private final Set<QueuePairAttribute> given;
    private final QueuePairAttributes values;
    private final ModifyFailure.DeviceFacts device;

    private ModifyValueCheck(ModifyFailure failure) {
        this.given = failure.given();
        this.values = failure.values();
        this.device = failure.device();
    }

    static ModifyValueCheck of(ModifyFailure failure) {
        return new ModifyValueCheck(failure);
    }

    void addTo(List<String> causes, List<String> remedies) {
        if (given.contains(PATH_MTU)) {
            checkMtu(causes, remedies);
        }
        if (given.contains(AV)) {
            checkPath(values.path(), "path", causes, remedies);
        }
        if (given.contains(ALT_PATH)) {
            checkAlternatePath(causes, remedies);
        }
        if (given.contains(CAP)) {
            causes.add("CAP resizes the queues, which few drivers can do");
            remedies.add("give the sizes when the queue pair is created");
        }
    }

    private void checkMtu(List<String> causes, List<String> remedies) {
        Optional<PortAttributes> port =
                device.port(given.contains(AV) ? values.path().port() : values.port());
        if (port.isPresent()
                && port.get().activeMtu() != Mtu.UNKNOWN
                && values.pathMtu().compareTo(port.get().activeMtu()) > 0) {
            causes.add("PATH_MTU %d is above the port's active MTU %d"
                    .formatted(values.pathMtu().bytes(), port.get().activeMtu().bytes()));
            remedies.add("use the smaller of both ports' active MTU");
        }
    }

    private void checkAlternatePath(List<String> causes, List<String> remedies) {
        Optional<PortAttributes> port = device.port(values.alternatePort());
        if (port.isPresent() && port.get().linkLayer() == LinkLayer.ETHERNET) {
            causes.add("ALT_PATH: alternate paths are for InfiniBand, and port %d is Ethernet"
                    .formatted(values.alternatePort()));
            remedies.add("do not set alternatePath");
        } else {
            checkPath(values.alternatePath(), "alternate path", causes, remedies);
        }
    }

    private void checkPath(AddressHandleAttributes path, String name, List<String> causes, List<String> remedies) {
        Optional<PortAttributes> port = device.port(path.port());
        if (port.isEmpty()) {
            causes.add("the %s names port %d, which the device does not have".formatted(name, path.port()));
            remedies.add("ports count from 1");
            return;
        }
        if (path.globalRoute().isEmpty()) {
            if (port.get().linkLayer() == LinkLayer.ETHERNET) {
                causes.add("the %s has no global route, and port %d is Ethernet".formatted(name, path.port()));
                remedies.add("RoCE needs GIDs: AddressHandleAttributes.toGid");
            }
            return;
        }
        GlobalRoute route = path.globalRoute().get();
        if (route.destinationGid().isZero()) {
            causes.add("the %s leads to GID 0, which is none".formatted(name));
            remedies.add("give the peer's GID");
        }
        List<GidEntry> gids = device.gids(path.port());
        Optional<GidEntry> source = gids.stream()
                .filter(entry -> entry.index() == route.sourceGidIndex())
                .findFirst();
        if (source.isEmpty()) {
            causes.add("port %d has no GID at index %d; in use: %s"
                    .formatted(
                            path.port(),
                            route.sourceGidIndex(),
                            gids.stream().map(GidEntry::index).toList()));
            remedies.add("use an index that DeviceContext.gidTable lists");
        } else if (port.get().linkLayer() == LinkLayer.ETHERNET) {
            checkFamilies(source.get(), route.destinationGid(), causes, remedies);
        }
    }

    private static void checkFamilies(GidEntry source, Gid destination, List<String> causes, List<String> remedies) {
        if (!destination.isZero() && source.gid().isIpv4Mapped() != destination.isIpv4Mapped()) {
            causes.add("%s is an %s address, and this side's GID at index %d, %s, is an %s address"
                    .formatted(destination, family(destination), source.index(), source.gid(), family(source.gid())));
            remedies.add("have both sides use GIDs of one family and one RoCE version");
        }
    }

    private static String family(Gid gid) {
        return gid.isIpv4Mapped() ? "IPv4" : "IPv6";
    }
}
