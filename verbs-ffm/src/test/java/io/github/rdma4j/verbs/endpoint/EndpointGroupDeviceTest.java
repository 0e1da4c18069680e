// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.ExamplePrograms;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.endpoint.engine.Engine;
import io.github.rdma4j.verbs.internal.endpoint.group.SharedQueues;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import io.github.rdma4j.verbs.internal.endpoint.rdma.VerbsLink;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many endpoints on one completion queue and one pool of receive buffers. A missed event fails by the timeout. */
@Tag("device")
class EndpointGroupDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Consumer<EndpointConfig> SMALL =
            config -> config.receiveBuffers(4).sendDepth(4).maxMessageSize(3000);

    private final ExecutorService executor = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        executor.shutdownNow();
    }

    /** Message number {@code number} of a connection: its length and its bytes follow from both numbers. */
    private static byte[] message(int connection, int number) {
        Random random = new Random(31L * connection + number);
        byte[] message = new byte[2 * Integer.BYTES + random.nextInt(2990)];
        random.nextBytes(message);
        MemorySegment segment = MemorySegment.ofArray(message);
        segment.set(ValueLayout.JAVA_INT_UNALIGNED, 0, connection);
        segment.set(ValueLayout.JAVA_INT_UNALIGNED, Integer.BYTES, number);
        return message;
    }

    /** A server on one thread that sends each message back, and closes when its peer has. */
    private final class Echo implements AutoCloseable {
        final EndpointServer server;
        final EndpointSelector selector = EndpointSelector.open();
        final AtomicBoolean over = new AtomicBoolean();
        final AtomicInteger closed = new AtomicInteger();
        final AtomicInteger lost = new AtomicInteger();
        final Map<Endpoint, List<HeldMessage>> waiting = new HashMap<>();
        final Future<?> serving;

        Echo(EndpointGroup group, Consumer<EndpointConfig> configuration) {
            server = EndpointServer.bind(CmTestNet.ipv4(), config -> configuration.accept(config.group(group)));
            selector.add(
                    server,
                    ready -> ready.accept(Duration.ZERO).ifPresent(client -> selector.add(client, this::serve)));
            serving = executor.submit(() -> {
                while (!over.get()) {
                    selector.select(PATIENCE);
                }
            });
        }

        private void serve(Endpoint client) {
            List<HeldMessage> held = waiting.computeIfAbsent(client, key -> new ArrayList<>());
            try {
                int got = client.poll(message -> held.add(message.hold()));
                while (!held.isEmpty() && client.trySend(held.getFirst().segment()) == Endpoint.OK) {
                    held.removeFirst().close();
                }
                if (got == Endpoint.CLOSED_BY_PEER) {
                    end(client, closed);
                }
            } catch (ConnectionLostException e) {
                end(client, lost);
            }
        }

        private void end(Endpoint client, AtomicInteger count) {
            waiting.remove(client).forEach(HeldMessage::close);
            client.close();
            count.incrementAndGet();
        }

        /** Waits until so many have gone. */
        void awaitEnds(int number) throws InterruptedException {
            long start = System.nanoTime();
            while (closed.get() + lost.get() < number && System.nanoTime() - start < PATIENCE.toNanos()) {
                Thread.sleep(5);
            }
            assertThat(closed.get() + lost.get()).isEqualTo(number);
        }

        @Override
        public void close() throws Exception {
            over.set(true);
            if (!serving.isDone()) {
                selector.wakeUp();
            }
            serving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            waiting.keySet().forEach(Endpoint::abort);
            selector.close();
            server.close();
        }
    }

    /** A client on the selector of its thread: sends as fast as it may, and checks each echo. */
    private static final class Client {
        final int number;
        final Endpoint endpoint;
        final int messages;
        int sent;
        int received;

        Client(int number, Endpoint endpoint, int messages) {
            this.number = number;
            this.endpoint = endpoint;
            this.messages = messages;
        }

        void send() {
            while (sent < messages && endpoint.trySend(MemorySegment.ofArray(message(number, sent))) == Endpoint.OK) {
                sent++;
            }
        }

        void serve(Endpoint ready) {
            ready.poll(echo -> {
                assertThat(echo.toBytes()).isEqualTo(message(number, received));
                received++;
            });
            send();
        }

        boolean isDone() {
            return received == messages;
        }
    }

    private static int descriptors() throws Exception {
        try (var entries = Files.list(Path.of("/proc/self/fd"))) {
            return (int) entries.count();
        }
    }

    private void echo(int connections, int messages) throws Exception {
        EndpointGroup group = EndpointGroup.open(connections);
        EndpointGroup clients = EndpointGroup.open(connections);
        int before = descriptors();
        try (Echo echo = new Echo(group, SMALL);
                EndpointSelector selector = EndpointSelector.open()) {
            List<Client> all = connect(echo, clients, selector, connections, messages);
            assertThat(descriptors() - before).isLessThan(40);
            assertThat(group.queues()).isEqualTo(1);
            assertThat(group.size()).isEqualTo(connections);
            all.forEach(Client::send);
            while (!all.stream().allMatch(Client::isDone)) {
                assertThat(selector.select(PATIENCE)).isPositive();
            }
            all.forEach(client -> client.endpoint.close());
            echo.awaitEnds(connections);
            assertThat(echo.closed).hasValue(connections);
            assertThat(group.size()).isZero();
            assertThat(clients.size()).isZero();
        }
        clients.close();
        group.close();
    }

    private static List<Client> connect(
            Echo echo, EndpointGroup group, EndpointSelector selector, int connections, int messages) {
        List<Client> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            Endpoint endpoint =
                    Endpoint.connect(echo.server.address(), config -> SMALL.accept(config.group(group)), PATIENCE);
            Client client = new Client(i, endpoint, messages);
            all.add(client);
            selector.add(endpoint, client::serve);
        }
        return all;
    }

    @Test
    void sixtyFourConnectionsEchoOverOneQueueAndLeaveNothing() throws Exception {
        // Opens what stays open for the whole process.
        echo(1, 1);
        int before = descriptors();
        echo(64, 30);
        assertThat(descriptors())
                .as("descriptors of an earlier test may be closed meanwhile")
                .isLessThanOrEqualTo(before);
    }

    @Test
    void threeHundredConnectionsEchoOverOneQueue() throws Exception {
        echo(300, 4);
    }

    @Test
    @Tag("iwarp")
    void moreEndpointsThanTheQueuesAreForGetFurtherQueues() throws Exception {
        try (EndpointGroup group = EndpointGroup.open(2);
                Echo echo = new Echo(group, SMALL);
                EndpointSelector selector = EndpointSelector.open()) {
            List<Client> all = connect(echo, group, selector, 5, 20);
            // Both sides are here.
            assertThat(group.size()).isEqualTo(10);
            assertThat(group.queues()).isEqualTo(5);
            all.forEach(Client::send);
            while (!all.stream().allMatch(Client::isDone)) {
                assertThat(selector.select(PATIENCE)).isPositive();
            }
            all.forEach(client -> client.endpoint.close());
            echo.awaitEnds(5);
        }
    }

    @Test
    void deviceLimitIsRefusedWithBothNumbers() {
        try (EndpointGroup group = EndpointGroup.open(1);
                EndpointServer server = EndpointServer.bind(CmTestNet.ipv4())) {
            assertThatThrownBy(() -> Endpoint.connect(
                            server.address(),
                            config -> config.group(group)
                                    .receiveBuffers(Frame.MAX_CREDITS)
                                    .sendDepth(0xffff)
                                    .maxMessageSize(1),
                            PATIENCE))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("65569 receives and 131108 completions")
                    .hasMessageContaining("lower EndpointConfig.receiveBuffers and sendDepth");
            assertThat(group.size()).isZero();
        }
    }

    /** Peers that close in good order or vanish in the middle of messages, and new ones that replace them. */
    @Test
    void endpointsComeAndGoWhileOthersGoOn() throws Exception {
        Random random = new Random(7);
        try (EndpointGroup group = EndpointGroup.open(8);
                Echo echo = new Echo(group, SMALL);
                EndpointSelector selector = EndpointSelector.open()) {
            List<Client> steady = connect(echo, group, selector, 3, 600);
            steady.forEach(Client::send);
            int ends = 0;
            while (!steady.stream().allMatch(Client::isDone) || ends < 60) {
                List<Client> passing = connect(echo, group, selector, 1 + random.nextInt(3), 50);
                passing.forEach(Client::send);
                for (int i = random.nextInt(20); i > 0; i--) {
                    selector.select(Duration.ofMillis(1));
                }
                for (Client client : passing) {
                    if (random.nextBoolean()) {
                        client.endpoint.abort();
                    } else {
                        client.endpoint.close();
                    }
                    ends++;
                }
            }
            echo.awaitEnds(ends);
            steady.forEach(client -> client.endpoint.close());
            echo.awaitEnds(ends + 3);
            assertThat(group.size()).isZero();
        }
    }

    /** The peer's kernel ends each of its connections, and our process keeps nothing of them. */
    @Test
    @Tag("checkout")
    void peerWhoseProcessIsKilledLeavesNothing() throws Exception {
        int connections = 20;
        List<Endpoint> accepted = new ArrayList<>();
        try (EndpointGroup group = EndpointGroup.open(connections);
                EndpointServer server =
                        EndpointServer.bind(CmTestNet.ipv4(), config -> SMALL.accept(config.group(group)));
                EndpointSelector selector = EndpointSelector.open();
                ExamplePrograms programs = new ExamplePrograms()) {
            AtomicInteger lost = new AtomicInteger();
            selector.add(
                    server,
                    ready -> ready.accept(Duration.ZERO).ifPresent(client -> {
                        accepted.add(client);
                        selector.add(client, one -> {
                            // A visit may also mean that the send queue has free slots again.
                            try {
                                assertThat(one.poll(message -> {})).isZero();
                            } catch (ConnectionLostException e) {
                                one.close();
                                lost.incrementAndGet();
                            }
                        });
                    }));
            String address = server.address().getAddress().getHostAddress();
            Process subscribers = programs.start(
                    "Publisher", "subscribe", address, "" + server.address().getPort(), "" + connections);
            MemorySegment number = MemorySegment.ofArray(new byte[Long.BYTES]);
            while (accepted.size() < connections) {
                selector.select(PATIENCE);
            }
            for (int i = 0; i < 50; i++) {
                accepted.forEach(one -> one.trySend(number));
                selector.select(Duration.ofMillis(1));
            }
            subscribers.destroyForcibly();
            while (lost.get() < connections) {
                assertThat(selector.select(PATIENCE)).isPositive();
            }
            assertThat(group.size()).isZero();
        }
    }

    @Test
    @Tag("iwarp")
    void slowReaderAndHeldMessagesKeepNothingFromOthers() throws Exception {
        try (EndpointGroup group = EndpointGroup.open(3);
                EndpointServer server =
                        EndpointServer.bind(CmTestNet.ipv4(), config -> SMALL.accept(config.group(group)))) {
            List<Endpoint> clients = new ArrayList<>();
            List<Endpoint> accepted = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Endpoint> next = CompletableFuture.supplyAsync(
                        () -> server.accept(PATIENCE).orElseThrow());
                clients.add(Endpoint.connect(server.address(), SMALL, PATIENCE));
                accepted.add(next.join());
            }
            Endpoint unread = clients.get(0);
            Endpoint held = clients.get(1);
            List<HeldMessage> messages = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                assertThat(unread.trySend(MemorySegment.ofArray(message(0, i)))).isEqualTo(Endpoint.OK);
                assertThat(held.trySend(MemorySegment.ofArray(message(1, i)))).isEqualTo(Endpoint.OK);
                messages.add(accepted.get(1).receiveHeld(PATIENCE).orElseThrow());
            }
            assertThat(unread.trySend(MemorySegment.ofArray(message(0, 4)))).isEqualTo(Endpoint.NO_CREDIT);
            assertThat(held.trySend(MemorySegment.ofArray(message(1, 4)))).isEqualTo(Endpoint.NO_CREDIT);
            for (int i = 0; i < 100; i++) {
                assertThat(clients.get(2).send(message(2, i), PATIENCE)).isTrue();
                assertThat(accepted.get(2).receive(PATIENCE)).hasValue(message(2, i));
            }
            // Held messages outlive their endpoint, which keeps its place for them.
            accepted.get(1).close();
            assertThat(group.size()).isEqualTo(3);
            for (int i = 0; i < 4; i++) {
                assertThat(messages.get(i).toBytes()).isEqualTo(message(1, i));
                messages.get(i).close();
                assertThat(accepted.get(0).receive(PATIENCE)).hasValue(message(0, i));
            }
            assertThat(group.size()).isEqualTo(2);
            assertThat(unread.send(message(0, 4), PATIENCE)).isTrue();
            accepted.forEach(Endpoint::close);
            assertThat(group.size()).isZero();
            clients.forEach(Endpoint::close);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void deviceThatDoesNotAnswerLosesItsEndpointsOnceAndNoOthers(boolean completions) throws Exception {
        try (EndpointGroup group = EndpointGroup.open(4);
                EndpointServer server =
                        EndpointServer.bind(CmTestNet.ipv4(), config -> SMALL.accept(config.group(group)));
                EndpointServer other = EndpointServer.bind(CmTestNet.ipv4(), SMALL);
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            List<Endpoint> clients = new ArrayList<>();
            List<String> lost = new ArrayList<>();
            List<Endpoint> ended = new ArrayList<>();
            AtomicInteger got = new AtomicInteger();
            SharedQueues queues = null;
            Endpoint ofHealthy = null;
            for (EndpointServer each : List.of(server, server, server, other)) {
                Future<Endpoint> next =
                        executor.submit(() -> each.accept(PATIENCE).orElseThrow());
                clients.add(Endpoint.connect(each.address(), SMALL, PATIENCE));
                Endpoint accepted = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                queues = group.on(accepted.protectionDomain().context());
                ofHealthy = accepted;
                selector.add(accepted, ready -> {
                    try {
                        ready.poll(message -> got.incrementAndGet());
                    } catch (ConnectionLostException e) {
                        lost.add(e.getMessage());
                        // A close, which calls the connection manager, would also fail.
                        selector.remove(ready);
                        ended.add(ready);
                    }
                });
            }
            Endpoint healthy = clients.getLast();
            List<VerbsException> failures = new ArrayList<>();
            try (BrokenDescriptor broken =
                    completions ? BrokenDescriptor.of(queues.channel()) : BrokenDescriptor.of(queues.events())) {
                if (completions) {
                    clients.getFirst().trySend(MemorySegment.ofArray(message(0, 0)));
                } else {
                    clients.getFirst().abort();
                }
                long start = System.nanoTime();
                while ((lost.size() < 3 || got.get() < 50) && System.nanoTime() - start < PATIENCE.toNanos()) {
                    healthy.trySend(MemorySegment.ofArray(message(3, 0)));
                    try {
                        selector.select(Duration.ofMillis(1));
                    } catch (VerbsException e) {
                        failures.add(e);
                    }
                }
                assertThat(failures).hasSize(1);
                assertThat(failures.getFirst()).hasMessageContaining("EBADF");
                assertThat(lost)
                        .hasSize(3)
                        .allMatch(text -> text.contains(Engine.ADAPTER_FAILED) && text.contains("EBADF"));
                assertThat(got).hasValueGreaterThanOrEqualTo(50);
                assertThat(selector.size()).isEqualTo(1);
                Future<?> late = executor.submit(() ->
                        Endpoint.connect(server.address(), SMALL, PATIENCE).close());
                assertThatThrownBy(() -> server.accept(PATIENCE))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("EBADF")
                        .hasMessageContaining("takes no more on this device")
                        .hasMessageContaining("Close the endpoints that are lost");
                assertThatThrownBy(() -> late.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .hasMessageContaining("the peer's program refused it");
            }
            ended.forEach(Endpoint::abort);
            assertThat(group.size()).isZero();
            // Then the group opens the device again.
            Future<Endpoint> anew =
                    executor.submit(() -> server.accept(PATIENCE).orElseThrow());
            clients.add(Endpoint.connect(server.address(), SMALL, PATIENCE));
            try (Endpoint accepted = anew.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                assertThat(clients.getLast().send(MemorySegment.ofArray(message(4, 0)), PATIENCE))
                        .isTrue();
                assertThat(accepted.receive(PATIENCE)).hasValue(message(4, 0));
            }
            clients.forEach(Endpoint::abort);
            ofHealthy.abort();
        }
    }

    /** No selector: a thread waits for each endpoint, and whichever leads hands out what comes for the others. */
    @Test
    @Tag("iwarp")
    @Tag("parallel")
    void threadsWaitForTheirEndpointsEachAsIfItWereAlone() throws Exception {
        int pairs = 6;
        int messages = 150;
        for (Duration spinLimit : List.of(Duration.ZERO, Duration.ofMillis(1))) {
            Consumer<EndpointConfig> configuration = config -> SMALL.accept(config.spinLimit(spinLimit));
            try (EndpointGroup group = EndpointGroup.open(2 * pairs);
                    EndpointServer server = EndpointServer.bind(
                            CmTestNet.ipv4(), config -> configuration.accept(config.group(group)))) {
                List<Future<?>> all = new ArrayList<>();
                for (int i = 0; i < pairs; i++) {
                    int number = i;
                    CompletableFuture<Endpoint> next = CompletableFuture.supplyAsync(
                            () -> server.accept(PATIENCE).orElseThrow());
                    Endpoint client = Endpoint.connect(
                            server.address(), config -> configuration.accept(config.group(group)), PATIENCE);
                    Endpoint accepted = next.join();
                    all.add(executor.submit(() -> {
                        for (int k = 0; k < messages; k++) {
                            byte[] received = accepted.receive(PATIENCE).orElseThrow();
                            assertThat(accepted.sendAsync(MemorySegment.ofArray(received))
                                            .get(60, TimeUnit.SECONDS))
                                    .isNull();
                        }
                        return null;
                    }));
                    all.add(executor.submit(() -> {
                        for (int k = 0; k < messages; k++) {
                            assertThat(client.send(message(number, k), PATIENCE))
                                    .isTrue();
                            assertThat(client.receive(PATIENCE)).hasValue(message(number, k));
                        }
                        client.close();
                        accepted.close();
                    }));
                }
                for (Future<?> one : all) {
                    one.get(120, TimeUnit.SECONDS);
                }
                assertThat(group.size()).isZero();
            }
        }
    }

    @Test
    void selectCompletesFuturesThatItsCallbacksMake() {
        Consumer<EndpointConfig> noTimeout = config -> config.silenceTimeout(Duration.ZERO);
        try (EndpointGroup group = EndpointGroup.open(2);
                EndpointServer server =
                        EndpointServer.bind(CmTestNet.ipv4(), config -> noTimeout.accept(config.group(group)));
                EndpointSelector selector = EndpointSelector.open(Duration.ZERO)) {
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            try (Endpoint client = Endpoint.connect(
                            server.address(), config -> noTimeout.accept(config.group(group)), PATIENCE);
                    Endpoint atServer = accepted.join()) {
                EndpointSelectorContract.completesFuturesOfCallbacks(selector, client, atServer);
            }
        }
    }

    @Test
    @Tag("iwarp")
    void closedGroupTakesNobodyAndItsEndpointsStay() throws Exception {
        EndpointGroup group = EndpointGroup.open(2);
        try (EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), config -> config.group(group))) {
            CompletableFuture<Endpoint> next =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            Endpoint client = Endpoint.connect(server.address(), config -> config.group(group), PATIENCE);
            Endpoint accepted = next.join();
            group.close();
            assertThat(group.isOpen()).isFalse();
            assertThat(client.send(message(0, 0), PATIENCE)).isTrue();
            assertThat(accepted.receive(PATIENCE)).hasValue(message(0, 0));
            assertThatThrownBy(() -> Endpoint.connect(server.address(), config -> config.group(group), PATIENCE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the endpoint group is closed");
            client.close();
            assertThatThrownBy(() -> accepted.receive(PATIENCE)).isInstanceOf(ClosedByPeerException.class);
            accepted.close();
            assertThat(group.size()).isZero();
        }
    }

    @Test
    void peerThatSendsWithoutCreditsLosesItsConnectionAndTakesNothingFromOthers() throws Exception {
        try (EndpointGroup group = EndpointGroup.open(2);
                EndpointServer server =
                        EndpointServer.bind(CmTestNet.ipv4(), config -> SMALL.accept(config.group(group)))) {
            List<Endpoint> clients = new ArrayList<>();
            List<Endpoint> accepted = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                CompletableFuture<Endpoint> next = CompletableFuture.supplyAsync(
                        () -> server.accept(PATIENCE).orElseThrow());
                clients.add(Endpoint.connect(server.address(), config -> config.sendDepth(64), PATIENCE));
                accepted.add(next.join());
            }
            // As many as the send queue takes, and far more than there are credits for.
            clients.get(0).engine().ask(link -> {
                var memory = clients.get(0).allocateMemory(64);
                for (int i = 0; i < 40; i++) {
                    ((VerbsLink) link)
                            .queuePair()
                            .tryPostSendWithImmediate(i, memory.slice(0, 8), Frame.of(Frame.MESSAGE, 0), 0);
                }
                return Optional.empty();
            });
            for (int i = 0; i < 20; i++) {
                assertThat(clients.get(1).send(message(1, i), PATIENCE)).isTrue();
                assertThat(accepted.get(1).receive(PATIENCE)).hasValue(message(1, i));
            }
            int got = 0;
            ConnectionLostException lost = null;
            while (lost == null) {
                try {
                    accepted.get(0).receive(PATIENCE).orElseThrow();
                    got++;
                } catch (ConnectionLostException e) {
                    lost = e;
                }
            }
            assertThat(lost).hasMessageContaining("no credit");
            assertThat(got).isLessThanOrEqualTo(4);
            clients.forEach(Endpoint::abort);
            accepted.forEach(Endpoint::abort);
            assertThat(group.size()).isZero();
        }
    }
}
