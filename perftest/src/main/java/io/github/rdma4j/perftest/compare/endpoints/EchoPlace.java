// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.exit.CompareException;
import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.LinkLayer;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The place of the measurement.
 *
 * @param environment device, machine, JVM and versions
 * @param address of the device, where both servers listen
 */
public record EchoPlace(Environment environment, String address) {
    private static final int DEVICE_PORT = 1;
    /** ENODEV and EADDRNOTAVAIL: an interface without a device, and an address of another machine. */
    private static final Set<Integer> NO_DEVICE = Set.of(19, 99);

    /**
     * Finds the address of a device by asking rdma_cm, which supports the devices of every link layer.
     *
     * @throws CompareException when there is none
     * @throws VerbsException when there is no device, or none of this name, or rdma_cm cannot be used
     */
    public static EchoPlace find(EndpointsPlan plan) {
        // Opening reports that there is no device, or none of this name.
        Device device = plan.device() != null || Device.list().isEmpty()
                ? Device.find(plan.device() == null ? "" : plan.device())
                : null;
        List<String> tried = new ArrayList<>();
        for (String address : plan.address() == null ? addresses() : List.of(plan.address())) {
            try (EndpointServer server = EndpointServer.bind(new InetSocketAddress(address, 0))) {
                DeviceContext context = server.protectionDomain().context();
                tried.add(address + " (" + context.device().name() + ")");
                if (device == null || device.name().equals(context.device().name())) {
                    return at(context, address);
                }
            } catch (VerbsException failure) {
                if (!NO_DEVICE.contains(failure.errno())) {
                    throw failure;
                }
                tried.add(address + " (no RDMA device)");
            }
        }
        throw new CompareException(
                none(plan, device) + "; looked at " + (tried.isEmpty() ? "no address" : String.join(", ", tried)),
                "give the network interface of a device an address, as with 'ip addr add 10.0.0.1/24 dev NAME'; 'rdma"
                        + " link' shows which interface that is");
    }

    private static String none(EndpointsPlan plan, Device device) {
        if (plan.address() != null) {
            return plan.address() + " is not the address of "
                    + (device == null ? "an RDMA device of this machine" : device.name());
        }
        return device == null
                ? "no RDMA device of this machine has an IP address"
                : device.name() + " has no IP address";
    }

    private static EchoPlace at(DeviceContext context, String address) {
        boolean ethernet = context.port(DEVICE_PORT).linkLayer() == LinkLayer.ETHERNET;
        int gidIndex = ethernet ? context.selectGid(DEVICE_PORT).index() : -1;
        return new EchoPlace(Environment.look(context, DEVICE_PORT, gidIndex), address);
    }

    /** Returns the addresses of this machine that a peer could use, IPv4 first. */
    private static List<String> addresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                    .sorted((one, other) -> one.getAddress().length - other.getAddress().length)
                    .map(InetAddress::getHostAddress)
                    .toList();
        } catch (SocketException _) {
            return List.of();
        }
    }
}
