// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.cm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The addresses that the tests connect to: the address in the system property {@value #ADDRESS}, or else the addresses
 * of the tests' device, from its GIDs.
 */
public final class CmTestNet {
    /** For devices whose GIDs have no IP address, which is so on InfiniBand. */
    private static final String ADDRESS = "rdma4j.test.address";

    /** Long enough for an emulated processor that stalls. */
    static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int IPV4_OFFSET = 12;
    private static final int MAC_LENGTH = 6;

    private static final AtomicInteger NUMBERS = new AtomicInteger(0x800000);

    private CmTestNet() {}

    /** The number of no queue pair, another one each time: a peer takes a known one for a stale connection. */
    static int nextNumber() {
        return NUMBERS.incrementAndGet();
    }

    /** rdma_cm's context of the device of the tests. */
    public static DeviceContext device() {
        String name = TestDevice.name();
        return CmDevices.list().stream()
                .filter(context -> context.device().name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("rdma_cm does not list " + name));
    }

    /** The device's IPv4 address, with port 0. */
    public static InetSocketAddress ipv4() {
        String given = System.getProperty(ADDRESS);
        if (given != null) {
            return new InetSocketAddress(InetAddress.ofLiteral(given), 0);
        }
        DeviceContext device = device();
        if (device.device().transportType() == TransportType.IWARP) {
            return ofInterface(device);
        }
        return device.gidTable().stream()
                .map(GidEntry::gid)
                .filter(Gid::isIpv4Mapped)
                .findFirst()
                .map(gid -> address(Arrays.copyOfRange(gid.bytes(), IPV4_OFFSET, Gid.LENGTH)))
                .orElseThrow(() -> new AssertionError("the tests of rdma_cm need a RoCE device with an IPv4 address"));
    }

    /** The address of the network interface whose MAC address the GID of an iWARP device begins with. */
    private static InetSocketAddress ofInterface(DeviceContext device) {
        byte[] mac = Arrays.copyOf(device.gidTable().getFirst().gid().bytes(), MAC_LENGTH);
        try {
            for (NetworkInterface candidate : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (Arrays.equals(mac, candidate.getHardwareAddress())) {
                    return candidate
                            .inetAddresses()
                            .filter(Inet4Address.class::isInstance)
                            .findFirst()
                            .map(address -> new InetSocketAddress(address, 0))
                            .orElseThrow();
                }
            }
            throw new AssertionError("no network interface has the address of " + device);
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    /** The IPv4 addresses of all interfaces that have a device. */
    public static List<InetAddress> addresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                    .filter(CmTestNet::hasDevice)
                    .toList();
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean hasDevice(InetAddress address) {
        try (EndpointServer server = EndpointServer.bind(new InetSocketAddress(address, 0))) {
            return server.isOpen();
        } catch (VerbsException e) {
            return false;
        }
    }

    /** Whether the kernel has IPv6; it may be started with ipv6.disable=1. */
    public static boolean hasIpv6() {
        return Files.exists(Path.of("/proc/net/if_inet6"));
    }

    /** The device's link-local IPv6 address, scoped by its interface, and port 0; skips the test without IPv6. */
    public static InetSocketAddress linkLocal() {
        assumeTrue(hasIpv6(), "the kernel has no IPv6");
        return device().gidTable().stream()
                .filter(entry -> entry.gid().isLinkLocal())
                .findFirst()
                .map(CmTestNet::scoped)
                .orElseThrow(() -> new AssertionError("the tests of rdma_cm need a RoCE device with an IPv6 address"));
    }

    private static InetSocketAddress scoped(GidEntry entry) {
        try {
            return new InetSocketAddress(
                    Inet6Address.getByAddress(null, entry.gid().bytes(), entry.networkInterfaceIndex()), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    static InetSocketAddress address(byte[] bytes) {
        try {
            return new InetSocketAddress(InetAddress.getByAddress(bytes), 0);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    public static InetSocketAddress withPort(InetSocketAddress address, int port) {
        return new InetSocketAddress(address.getAddress(), port);
    }
}
