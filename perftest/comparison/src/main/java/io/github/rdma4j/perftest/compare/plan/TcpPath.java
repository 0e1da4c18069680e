// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;

/**
 * The path of plain TCP. If both ends are on this machine, it is the address of the RDMA device's network interface, if
 * it has one; the kernel loops the traffic back, as the device does with RDMA. Otherwise it is the address that the
 * user named.
 *
 * @param address the server's numeric address
 * @param networkInterface the interface with the address, or the interface through which this machine reaches it; null
 *     if unknown
 */
public record TcpPath(String address, String networkInterface) {
    private static final String LOOPBACK = "127.0.0.1";
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    /** Returns the path of a device. Without a network interface, or if it has no address, it is the loopback path. */
    public static TcpPath of(String device, int port, int gidIndex) {
        Path name = DEVICES.resolve(Path.of(
                device,
                "ports",
                Integer.toString(port),
                "gid_attrs",
                "ndevs",
                Integer.toString(Math.max(0, gidIndex))));
        try {
            return of(Files.readString(name).strip());
        } catch (IOException _) {
            return new TcpPath(LOOPBACK, "lo");
        }
    }

    /**
     * Returns the path to another machine.
     *
     * @param address the other machine's address
     * @param own the local address from which this machine reaches it
     */
    public static TcpPath to(String address, InetAddress own) {
        try {
            NetworkInterface found = NetworkInterface.getByInetAddress(own);
            return new TcpPath(address, found == null ? null : found.getName());
        } catch (SocketException _) {
            return new TcpPath(address, null);
        }
    }

    /** IPv4 first, link-local addresses last. */
    private static int rank(InetAddress address) {
        return (address instanceof Inet4Address ? 0 : 1) + (address.isLinkLocalAddress() ? 2 : 0);
    }

    private static TcpPath of(String interfaceName) throws IOException {
        NetworkInterface found = NetworkInterface.getByName(interfaceName);
        Optional<InetAddress> address =
                found == null ? Optional.empty() : found.inetAddresses().min(Comparator.comparing(TcpPath::rank));
        return address.map(it -> new TcpPath(it.getHostAddress(), interfaceName))
                .orElse(new TcpPath(LOOPBACK, "lo"));
    }
}
