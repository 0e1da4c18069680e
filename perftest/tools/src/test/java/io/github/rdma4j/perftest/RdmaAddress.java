// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.Device;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.device.Gid;
import io.github.rdma4j.verbs.device.GidEntry;
import io.github.rdma4j.verbs.device.TransportType;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Where rdma_cm reaches this machine: loopback addresses have no RDMA device. */
public final class RdmaAddress {
    private static final int IPV4_OFFSET = 12;
    private static final int MAC_LENGTH = 6;

    private RdmaAddress() {}

    /** The IPv4 address that the first device carries. */
    public static String ofFirstDevice() {
        return of(Device.list().getFirst());
    }

    /**
     * Returns the IPv4 address of a device, from its GIDs. On iWARP the GIDs have the MAC address, which leads to the
     * interface.
     */
    public static String of(Device device) {
        try (DeviceContext context = DeviceContext.open(device)) {
            if (device.transportType() == TransportType.IWARP) {
                return ofInterface(context.gidTable(1).getFirst().gid());
            }
            return context.gidTable(1).stream()
                    .map(GidEntry::gid)
                    .filter(Gid::isIpv4Mapped)
                    .findFirst()
                    .map(RdmaAddress::text)
                    .orElseThrow(() -> new AssertionError(device + " has no IPv4 address"));
        }
    }

    /** The link-local IPv6 address that the first device carries, with its interface; skips the test without IPv6. */
    public static String linkLocalOfFirstDevice() {
        assumeTrue(CmTestNet.hasIpv6(), "the kernel has no IPv6");
        try (DeviceContext context = DeviceContext.open(Device.list().getFirst())) {
            return context.gidTable(1).stream()
                    .filter(entry -> entry.gid().isLinkLocal())
                    .findFirst()
                    .map(entry -> scoped(entry.gid().bytes(), entry.networkInterfaceIndex()))
                    .orElseThrow(() -> new AssertionError(context + " has no link-local address"));
        }
    }

    private static String scoped(byte[] address, int networkInterface) {
        try {
            return Inet6Address.getByAddress(null, address, networkInterface).getHostAddress();
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String ofInterface(Gid gid) {
        byte[] mac = Arrays.copyOf(gid.bytes(), MAC_LENGTH);
        try {
            return NetworkInterface.networkInterfaces()
                    .filter(one -> Arrays.equals(mac, hardwareAddress(one)))
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(Inet4Address.class::isInstance)
                    .findFirst()
                    .orElseThrow()
                    .getHostAddress();
        } catch (SocketException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static byte[] hardwareAddress(NetworkInterface one) {
        try {
            return one.getHardwareAddress();
        } catch (SocketException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static String text(Gid gid) {
        try {
            return InetAddress.getByAddress(Arrays.copyOfRange(gid.bytes(), IPV4_OFFSET, Gid.LENGTH))
                    .getHostAddress();
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
