// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.netty;

import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.time.Duration;
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
     * @param loop where the outcome is told
     * @param timeoutMillis 0 for no limit
     * @param outcome gets the endpoint, or else why there is none, as sockets say it
     */
    Connecting(
            Executor loop,
            InetSocketAddress server,
            Consumer<EndpointConfig> configuration,
            int timeoutMillis,
            BiConsumer<Endpoint, Throwable> outcome) {
        Duration timeout = timeoutMillis == 0 ? LONGEST : Duration.ofMillis(timeoutMillis);
        thread = Thread.ofVirtual().name("rdma4j-netty-connect").start(() -> {
            long start = System.nanoTime();
            Endpoint endpoint;
            try {
                endpoint = Endpoint.connect(server, configuration, timeout);
            } catch (Throwable e) {
                boolean late = System.nanoTime() - start >= timeout.toNanos();
                tell(loop, null, () -> outcome.accept(null, late ? Failures.ofTimeout(e) : Failures.ofConnect(e)));
                return;
            }
            tell(loop, endpoint, () -> outcome.accept(endpoint, null));
        });
    }

    private static void tell(Executor loop, Endpoint endpoint, Runnable outcome) {
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
