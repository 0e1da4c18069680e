// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

import static io.github.rdma4j.verbs.AccessFlag.REMOTE_READ;
import static io.github.rdma4j.verbs.AccessFlag.REMOTE_WRITE;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.endpoint.Endpoint;
import io.github.rdma4j.verbs.endpoint.EndpointConfig;
import io.github.rdma4j.verbs.endpoint.EndpointServer;
import io.github.rdma4j.verbs.endpoint.Transport;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/** An echo server, until a client sends the end message. Then it counts its remaining resources. */
final class CrowdServer {
    /** A client that sends this receives the handle of memory, and may use it. */
    static final byte[] EXPOSE = "expose".getBytes();

    static final int MEMORY = 1 << 15;
    static final byte[] LAST = "the end".getBytes();
    static final Duration HANDSHAKE = Duration.ofSeconds(3);
    private static final Duration SILENCE = Duration.ofSeconds(6);

    private final Peer.Orders orders;
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicLong words = new AtomicLong();
    private long accepted;

    CrowdServer(Peer.Orders orders) {
        this.orders = orders;
    }

    static void configure(EndpointConfig config) {
        config.handshakeTimeout(HANDSHAKE).silenceTimeout(SILENCE).closeTimeout(Duration.ofSeconds(1));
    }

    /** @param port gets the server's port */
    EndReport run(InetSocketAddress address, IntConsumer port) throws InterruptedException {
        String wrong = "";
        String hung = "";
        Leftovers.openJars();
        Stage.openOnce(address.getAddress());
        Map<String, Integer> before = Leftovers.now(true);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(orders.limitMillis());
        SoakSamples samples = new SoakSamples(orders.lengthMillis());
        Thread sampler = Thread.ofPlatform().daemon().unstarted(() -> follow(samples));
        if (orders.load() == Load.SOAK) {
            sampler.start();
        }
        try (EndpointServer server = bind(address);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            port.accept(server.address().getPort());
            while (!done.get() && wrong.isEmpty() && System.nanoTime() < until) {
                try {
                    server.accept(Duration.ofMillis(200)).ifPresent(endpoint -> {
                        accepted++;
                        threads.execute(() -> serve(endpoint));
                    });
                } catch (VerbsException | IllegalStateException e) {
                    wrong = "accept threw " + e;
                }
            }
            System.err.println(server.counters());
            server.close();
            threads.shutdown();
            if (!threads.awaitTermination(30, TimeUnit.SECONDS)) {
                hung = "a served connection";
            }
        }
        if (orders.load() == Load.SOAK && wrong.isEmpty()) {
            wrong = samples.complaint();
            System.err.println(samples.summary());
        }
        sampler.interrupt();
        sampler.join();
        Map<String, Integer> left = Leftovers.since(before, true);
        if (!left.isEmpty() && wrong.isEmpty()) {
            wrong = "left " + left;
        }
        return new EndReport(
                "machine 2", accepted, words.get(), 0, done.get() && wrong.isEmpty(), "", 0, wrong, hung, List.of());
    }

    private static EndpointServer bind(InetSocketAddress address) {
        return EndpointServer.bind(address, config -> configure(config.transport(Transport.RDMA_OR_TCP)));
    }

    private void follow(SoakSamples samples) {
        try {
            samples.follow(done::get);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve(Endpoint endpoint) {
        try (endpoint) {
            while (!done.get()) {
                byte[] word = endpoint.receive(Duration.ofSeconds(1)).orElse(null);
                if (word != null && Arrays.equals(word, EXPOSE)) {
                    endpoint.send(
                            endpoint.expose(MEMORY, REMOTE_READ, REMOTE_WRITE)
                                    .handle()
                                    .toBytes(),
                            HANDSHAKE);
                } else if (word != null) {
                    words.incrementAndGet();
                    endpoint.send(word, HANDSHAKE);
                    if (Arrays.equals(word, LAST)) {
                        done.set(true);
                    }
                }
            }
        } catch (VerbsException e) {
            // The client may have gone.
        }
    }
}
