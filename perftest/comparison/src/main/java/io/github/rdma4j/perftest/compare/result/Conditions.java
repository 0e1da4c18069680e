// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.result;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.device.NodeType;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The conditions of a measurement, without which its figures cannot be interpreted.
 *
 * @param environment device, machine, JVM and versions
 * @param cFolder the folder of the C tools
 * @param server the machine of the servers; null if it is this one, with the same device
 */
public record Conditions(Environment environment, String cFolder, ServerMachine server) {
    private static final int IPV4_OFFSET = 12;

    /** Creates conditions with both ends on this machine. */
    public Conditions(Environment environment, String cFolder) {
        this(environment, cFolder, null);
    }

    /**
     * Reads the conditions from the device and the machine.
     *
     * @param device its name; null for the device with the address, or else the first device
     * @param devicePort its port
     * @param gidIndex index of the GID; -1 to choose
     * @param address the address of this machine by which the other one reaches it; null if both ends are here
     * @param cVersion the version of the C tools
     * @param cFolder the folder of the C tools
     * @throws io.github.rdma4j.verbs.VerbsException when there is no such device
     */
    public static Conditions read(
            String device, int devicePort, int gidIndex, InetAddress address, String cVersion, Path cFolder) {
        String name = device != null ? device : deviceName(devicePort, address);
        try (DeviceContext context = DeviceContext.open(Device.find(name))) {
            int chosen = gidIndex;
            if (chosen < 0 && context.device().nodeType() == NodeType.UNSPECIFIED) {
                // An EFA has one GID.
                chosen = 0;
            } else if (chosen < 0 && context.port(devicePort).linkLayer() == LinkLayer.ETHERNET) {
                chosen = gid(context, devicePort, address)
                        .orElseGet(() -> context.selectGid(devicePort))
                        .index();
            }
            return new Conditions(
                    Environment.read(context, devicePort, chosen).withCVersion(cVersion), cFolder.toString());
        }
    }

    /** Returns these conditions with the servers on another machine. */
    public Conditions with(ServerMachine other) {
        return new Conditions(environment, cFolder, other);
    }

    private static String deviceName(int devicePort, InetAddress address) {
        List<Device> devices = Device.list();
        if (address != null) {
            for (Device each : devices) {
                try (DeviceContext context = DeviceContext.open(each)) {
                    if (context.attributes().physicalPortCount() >= devicePort
                            && gid(context, devicePort, address).isPresent()) {
                        return each.name();
                    }
                }
            }
        }
        // Without any device, a search for any name reports why there is none.
        return devices.isEmpty() ? "" : devices.getFirst().name();
    }

    /** Returns the GID that represents the address. */
    private static Optional<GidEntry> gid(DeviceContext context, int devicePort, InetAddress address) {
        if (address == null) {
            return Optional.empty();
        }
        byte[] wanted = address.getAddress();
        return GidEntry.preferred(context.gidTable(devicePort).stream()
                .filter(entry -> entry.gid().isIpv4Mapped()
                        && Arrays.equals(
                                Arrays.copyOfRange(entry.gid().bytes(), IPV4_OFFSET, IPV4_OFFSET + wanted.length),
                                wanted))
                .toList());
    }

    /** Returns the name of the device. */
    public String device() {
        return environment.device();
    }

    /** Returns whether it, or the servers', is one without hardware, as SoftRoCE is. */
    public boolean software() {
        return environment.softwareDevice()
                || server != null && server.environment().softwareDevice();
    }

    /** Returns the index of the GID that this machine uses; -1 if LIDs are used. */
    public int gidIndex() {
        return environment.gidIndex();
    }
}
