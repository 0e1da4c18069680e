// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.netty.internal.ConnectAttempt;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Connects to the first server that answers.
 *
 * @param servers the addresses to try, in this order
 */
record EndpointConnector(List<InetSocketAddress> servers, Consumer<EndpointConfig> configuration)
        implements ConnectAttempt.Connector<Endpoint> {
    /** If no server answers, throws the failure of the last one. */
    @Override
    public Endpoint connect(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        int tried = 0;
        while (true) {
            Duration rest = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
            try {
                return Endpoint.connect(servers.get(tried), configuration, rest);
            } catch (WaitInterruptedException e) {
                throw e;
            } catch (VerbsException e) {
                if (++tried == servers.size() || System.nanoTime() - end >= 0) {
                    throw e;
                }
            }
        }
    }

    /**
     * Returns the addresses to try. Sockets treat the wildcard address as this machine. RDMA has no loopback, so it
     * stands for this machine's addresses that may have an RDMA device. For TCP the kernel resolves it.
     *
     * @param from the address to which the channel is bound; null if it is not bound
     */
    static List<InetSocketAddress> servers(InetSocketAddress address, InetSocketAddress from, Transport transport)
            throws SocketException {
        if (transport != Transport.RDMA || !address.getAddress().isAnyLocalAddress()) {
            return List.of(address);
        }
        if (from != null && !from.getAddress().isAnyLocalAddress()) {
            return List.of(new InetSocketAddress(from.getAddress(), address.getPort()));
        }
        boolean onlyIpv4 = address.getAddress() instanceof Inet4Address;
        List<InetSocketAddress> own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(one -> !one.isLoopbackAddress() && !one.isLinkLocalAddress())
                .filter(one -> one instanceof Inet4Address || !onlyIpv4)
                .sorted(Comparator.comparing(one -> !(one instanceof Inet4Address)))
                .map(one -> new InetSocketAddress(one, address.getPort()))
                .toList();
        return own.isEmpty() ? List.of(address) : own;
    }
}
