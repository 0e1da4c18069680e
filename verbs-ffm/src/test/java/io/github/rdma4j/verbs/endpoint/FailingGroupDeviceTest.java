// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmDevices;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Groups whose channels fail again and again, and work again, while threads connect, exchange messages and close: all
 * of them come to an end, nothing is left, and the groups can be used.
 */
@Tag("device")
@Tag("parallel")
class FailingGroupDeviceTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    /** Nothing takes so long that goes on at all. */
    private static final Duration HANG = Duration.ofMinutes(2);

    private static final int FAILURES = Integer.getInteger("rdma4j.group.failures", 60);
    private static final long SEED = Long.getLong("rdma4j.group.seed", System.nanoTime());
    private static final int CLIENTS = 4;
    private static final int MESSAGES = 8;

    private static final Consumer<EndpointConfig> SMALL =
            config -> config.receiveBuffers(4).sendDepth(4).maxMessageSize(500).ackTimeout(14);

    private final EndpointGroup servers = EndpointGroup.open(3);
    private final EndpointGroup clients = EndpointGroup.open(3);
    private final AtomicBoolean clientsAreOver = new AtomicBoolean();
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger whole = new AtomicInteger();
    /** The number of calls that a failure has ended. */
    private final AtomicInteger met = new AtomicInteger();

    private final Map<String, Integer> ends = new ConcurrentHashMap<>();
    private final List<Throwable> surprises = Collections.synchronizedList(new ArrayList<>());
    private final List<Thread> threads = Collections.synchronizedList(new ArrayList<>());

    private static int descriptors() throws Exception {
        try (var entries = Files.list(Path.of("/proc/self/fd"))) {
            return (int) entries.count();
        }
    }

    private Thread start(String name, Runnable work) {
        Thread thread = Thread.ofPlatform().name(name).start(() -> {
            try {
                work.run();
            } catch (Throwable e) {
                surprises.add(e);
            }
        });
        threads.add(thread);
        return thread;
    }

    /** Counts an exception that a program may get. */
    private void ended(VerbsException e) {
        if (e.getMessage().contains("EBADF")) {
            met.incrementAndGet();
        }
        ends.merge(e.getClass().getSimpleName(), 1, Integer::sum);
    }

    /** As long as a channel is broken it fails, and another call goes on. */
    private void close(Endpoint endpoint, boolean goodBye) {
        long start = System.nanoTime();
        boolean closed = false;
        while (!closed) {
            try {
                if (goodBye) {
                    endpoint.close();
                } else {
                    endpoint.abort();
                }
                closed = true;
            } catch (VerbsException e) {
                if (System.nanoTime() - start > HANG.toNanos()) {
                    throw e;
                }
                Thread.yield();
            }
        }
    }

    private void requireQuick(long start, String what) {
        long nanos = System.nanoTime() - start;
        if (nanos > HANG.toNanos()) {
            throw new AssertionError(what + " took " + Duration.ofNanos(nanos));
        }
    }

    private void exchange(Endpoint endpoint) {
        for (int i = 0; i < MESSAGES; i++) {
            long start = System.nanoTime();
            byte[] message = {(byte) i};
            assertThat(endpoint.send(message, PATIENCE)).isTrue();
            Optional<byte[]> got = endpoint.receive(PATIENCE);
            requireQuick(start, "a message");
            assertThat(got).hasValue(message);
        }
    }

    private void serve(EndpointServer server) {
        while (!over.get()) {
            try {
                server.accept(Duration.ofMillis(20)).ifPresent(endpoint -> start("served", () -> serve(endpoint)));
            } catch (VerbsException e) {
                ended(e);
            }
        }
    }

    private void serve(Endpoint endpoint) {
        try {
            while (true) {
                long start = System.nanoTime();
                Optional<byte[]> got = endpoint.receive(PATIENCE);
                requireQuick(start, "receiving");
                if (got.isPresent()) {
                    assertThat(endpoint.send(got.get(), PATIENCE)).isTrue();
                }
            }
        } catch (VerbsException e) {
            ended(e);
        } finally {
            close(endpoint, false);
        }
    }

    private void connect(EndpointServer server, Random random) {
        while (!clientsAreOver.get()) {
            Endpoint endpoint = null;
            long start = System.nanoTime();
            try {
                endpoint = Endpoint.connect(server.address(), config -> SMALL.accept(config.group(clients)), PATIENCE);
                exchange(endpoint);
                whole.incrementAndGet();
            } catch (VerbsException e) {
                ended(e);
            } finally {
                if (endpoint != null) {
                    close(endpoint, random.nextBoolean());
                }
            }
            requireQuick(start, "a connection");
        }
    }

    private void breakAndMend(Random random) throws InterruptedException {
        var context = CmDevices.list().getFirst();
        SharedQueues queues = (random.nextBoolean() ? servers : clients).on(context);
        Thread.sleep(random.nextInt(30));
        try (BrokenDescriptor broken =
                random.nextBoolean() ? BrokenDescriptor.of(queues.channel()) : BrokenDescriptor.of(queues.events())) {
            Thread.sleep(random.nextInt(12));
        }
    }

    private static String stacks() {
        return Thread.getAllStackTraces().entrySet().stream()
                .map(entry -> entry.getKey() + "\n    at "
                        + Arrays.stream(entry.getValue())
                                .map(StackTraceElement::toString)
                                .collect(Collectors.joining("\n    at ")))
                .collect(Collectors.joining("\n"));
    }

    private void awaitThreads(String name) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        for (int i = 0; i < threads.size(); i++) {
            Thread thread = threads.get(i);
            if (!thread.getName().equals(name)) {
                continue;
            }
            thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
            assertThat(thread.isAlive()).as("%s hangs:\n%s", thread, stacks()).isFalse();
        }
    }

    private void play(Random random, int failures) throws Exception {
        over.set(false);
        clientsAreOver.set(false);
        try (EndpointServer server =
                EndpointServer.bind(CmTestNet.ipv4(), config -> SMALL.accept(config.group(servers)))) {
            for (int i = 0; i < 2; i++) {
                start("acceptor", () -> serve(server));
            }
            for (int i = 0; i < CLIENTS; i++) {
                Random own = new Random(random.nextLong());
                start("client", () -> connect(server, own));
            }
            int metBefore = met.get();
            long start = System.nanoTime();
            for (int i = 0; i < failures; i++) {
                breakAndMend(random);
            }
            // Where the threads come late, all of these were over before.
            while (failures > 0 && met.get() == metBefore) {
                assertThat(System.nanoTime() - start)
                        .as("nobody meets a failure: %s", ends)
                        .isLessThan(PATIENCE.toNanos());
                breakAndMend(random);
            }
            int before = whole.get();
            start = System.nanoTime();
            while (whole.get() < before + 2 * CLIENTS && surprises.isEmpty()) {
                assertThat(System.nanoTime() - start)
                        .as("nobody exchanges messages any more: %s\n%s", ends, stacks())
                        .isLessThan(PATIENCE.toNanos());
                Thread.sleep(5);
            }
            clientsAreOver.set(true);
            awaitThreads("client");
            over.set(true);
            awaitThreads("acceptor");
            awaitThreads("served");
        }
        threads.clear();
        assertThat(surprises).isEmpty();
        assertThat(servers.size()).isZero();
        assertThat(clients.size()).isZero();
    }

    @Test
    void everybodyComesToAnEndAndTheGroupsGoOn() throws Exception {
        System.out.println("-Drdma4j.group.seed=" + SEED);
        Random random = new Random(SEED);
        // Opens what stays open for the whole process.
        play(random, 0);
        int before = descriptors();
        for (int round = 0; round < 3; round++) {
            play(random, FAILURES / 3);
            assertThat(descriptors())
                    .as("descriptors of an earlier test may be closed meanwhile")
                    .isLessThanOrEqualTo(before);
        }
        System.out.println(whole + " exchanges, and " + ends);
        servers.close();
        clients.close();
        assertThat(descriptors()).isLessThan(before);
    }
}
