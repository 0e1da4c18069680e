// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** An attempt to connect. It waits for the peer, so it runs in a virtual thread. */
final class Connecting {
    /** The timeout of a program that sets none: every wait must end. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Thread thread;

    /**
     * Starts the attempt.
     *
     * @param loop the event loop that reports the outcome
     * @param servers the addresses to try in this order, until one answers
     * @param timeoutMillis the timeout in milliseconds; 0 for no limit
     * @param outcome receives the endpoint, or the exception that a socket would throw
     */
    Connecting(
            Executor loop,
            List<InetSocketAddress> servers,
            Consumer<EndpointConfig> configuration,
            int timeoutMillis,
            BiConsumer<Endpoint, Throwable> outcome) {
        Duration timeout = timeoutMillis == 0 ? LONGEST : Duration.ofMillis(timeoutMillis);
        thread = Thread.ofVirtual().name("rdma4j-netty-connect").start(() -> {
            long start = System.nanoTime();
            Endpoint endpoint;
            try {
                endpoint = connect(servers, configuration, start + timeout.toNanos());
            } catch (Throwable e) {
                boolean late = System.nanoTime() - start >= timeout.toNanos();
                complete(loop, null, () -> outcome.accept(null, late ? Failures.ofTimeout(e) : Failures.ofConnect(e)));
                return;
            }
            complete(loop, endpoint, () -> outcome.accept(endpoint, null));
        });
    }

    /** Connects to the first server that answers. If none does, throws the failure of the last one. */
    private static Endpoint connect(List<InetSocketAddress> servers, Consumer<EndpointConfig> configuration, long end) {
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

    private static void complete(Executor loop, Endpoint endpoint, Runnable outcome) {
        try {
            loop.execute(outcome);
        } catch (RejectedExecutionException e) {
            // The event loop and its channels have ended.
            if (endpoint != null) {
                endpoint.abort();
            }
        }
    }

    /** Makes the attempt end soon; its outcome is not used. */
    void giveUp() {
        thread.interrupt();
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

    /** Checks that the name of an address was resolved. */
    static InetSocketAddress resolved(SocketAddress address) {
        if (!(address instanceof InetSocketAddress internet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (internet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return internet;
    }
}
