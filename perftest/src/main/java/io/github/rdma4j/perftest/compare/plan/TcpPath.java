// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where plain TCP goes: to the address of the RDMA device's own network interface, where it has one. As both ends are
 * on this machine, the kernel loops it back, as the device does with RDMA.
 *
 * @param address numeric
 * @param networkInterface that has it
 */
public record TcpPath(String address, String networkInterface) {
    private static final String LOOPBACK = "127.0.0.1";
    private static final Path DEVICES = Path.of("/sys/class/infiniband");

    /** The path of a device. Without a network interface, or one without an IPv4 address, it is the loopback's. */
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

    private static TcpPath of(String interfaceName) throws IOException {
        NetworkInterface found = NetworkInterface.getByName(interfaceName);
        Optional<InetAddress> address = found == null
                ? Optional.empty()
                : found.inetAddresses().filter(Inet4Address.class::isInstance).findFirst();
        return address.map(it -> new TcpPath(it.getHostAddress(), interfaceName))
                .orElse(new TcpPath(LOOPBACK, "lo"));
    }
}
