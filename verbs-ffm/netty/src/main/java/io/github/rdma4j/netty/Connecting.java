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

/** An attempt to connect, in a virtual thread, since it waits for the peer. */
final class Connecting {
    /** Where a program allows any time: every wait has an end. */
    private static final Duration LONGEST = Duration.ofHours(1);

    private final Thread thread;

    /**
     * Begins.
     *
     * @param loop the event loop that reports the outcome
     * @param servers are tried in this order, until one answers
     * @param timeoutMillis 0 for no limit
     * @param outcome gets the endpoint, or else why there is none, as sockets say it
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

    /** The first that answers; if none does, why the last one has not. */
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
            // The event loop has ended, and its channels with it.
            if (endpoint != null) {
                endpoint.abort();
            }
        }
    }

    /** The outcome comes soon, and is of no use. */
    void giveUp() {
        thread.interrupt();
    }

    /**
     * Where a server may be: for the wildcard address, which sockets take for this machine, the addresses of this
     * machine that may have an RDMA device, as RDMA has no loopback. For TCP the kernel knows.
     *
     * @param from where the channel is bound; null if it is not
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

    /** The address, which a name server has found already. */
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
