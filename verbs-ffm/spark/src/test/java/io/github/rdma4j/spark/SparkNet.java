// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.spark;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;

/** Where the tests over RDMA are: at the addresses whose interfaces have devices. */
final class SparkNet {
    private SparkNet() {}

    static List<InetAddress> addresses() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                    .filter(SparkNet::hasDevice)
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
}
