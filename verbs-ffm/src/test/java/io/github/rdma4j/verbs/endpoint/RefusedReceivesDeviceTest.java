// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.bindings.ibv_context;
import io.github.rdma4j.verbs.bindings.ibv_context_ops;
import io.github.rdma4j.verbs.bindings.ibv_recv_wr;
import io.github.rdma4j.verbs.cm.CmDevices;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.internal.DeviceDriver;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The adapter of a group takes only the first of the receives that one call gives it: none is lost, none is given to it
 * twice, and there are not more of them for it.
 */
@Tag("device")
class RefusedReceivesDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ENOMEM = 12;
    private static final int CONNECTIONS = 4;

    private static final Consumer<EndpointConfig> SMALL =
            config -> config.receiveBuffers(8).sendDepth(4).maxMessageSize(500);

    /** Wraps the functions of a device: may refuse calls, and records the buffers that the adapter has. */
    private static final class RefusingAdapter implements AutoCloseable {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment functions;
        private final MemorySegment post;
        private final Random random = new Random(5);
        /** The addresses of all buffers that it ever had. */
        private final Set<Long> had = new HashSet<>();
        /** Of those that it was given since the last change. */
        private final Set<Long> posted = new HashSet<>();

        private boolean refuses;
        /** The number of calls until one is refused; 0 if none is. */
        private int untilRefusal;

        private int refusals;

        RefusingAdapter(DeviceContext device) {
            functions = ibv_context.ops(MemorySegment.ofAddress(device.handle()).reinterpret(ibv_context.sizeof()));
            post = ibv_context_ops.post_srq_recv(functions);
            ibv_context_ops.post_srq_recv(functions, ibv_context_ops.post_srq_recv.allocate(this::post, arena));
        }

        private static MemorySegment request(MemorySegment pointer) {
            return pointer.reinterpret(ibv_recv_wr.sizeof());
        }

        private synchronized int post(MemorySegment queue, MemorySegment first, MemorySegment bad) {
            List<MemorySegment> chain = new ArrayList<>();
            for (MemorySegment next = first; next.address() != 0; next = ibv_recv_wr.next(request(next))) {
                chain.add(request(next));
            }
            boolean refused = refuses && random.nextInt(20) == 0 || untilRefusal > 0 && --untilRefusal == 0;
            int taken = refused ? random.nextInt(chain.size()) : chain.size();
            int result = 0;
            if (taken > 0) {
                MemorySegment last = chain.get(taken - 1);
                MemorySegment behind = ibv_recv_wr.next(last);
                ibv_recv_wr.next(last, MemorySegment.NULL);
                result = ibv_context_ops.post_srq_recv.invoke(post, queue, first, bad);
                ibv_recv_wr.next(last, behind);
                chain.subList(0, taken).forEach(this::took);
            }
            if (result != 0 || taken == chain.size()) {
                return result;
            }
            refusals++;
            bad.reinterpret(ValueLayout.ADDRESS.byteSize()).set(ValueLayout.ADDRESS, 0, chain.get(taken));
            return ENOMEM;
        }

        private void took(MemorySegment request) {
            long buffer = ibv_recv_wr.sg_list(request).reinterpret(Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
            had.add(buffer);
            posted.add(buffer);
        }

        synchronized void refuse(boolean now) {
            refuses = now;
            posted.clear();
        }

        /** Only one call, the n-th from now on. */
        synchronized void refuseCall(int number) {
            untilRefusal = number;
        }

        synchronized int refusals() {
            return refusals;
        }

        /** The number of buffers that it has received since the last change. */
        synchronized int count() {
            return posted.size();
        }

        /** Which it was not given again since the last change. */
        synchronized Set<Long> missing() {
            Set<Long> missing = new HashSet<>(had);
            missing.removeAll(posted);
            return missing;
        }

        @Override
        public void close() {
            ibv_context_ops.post_srq_recv(functions, post);
            arena.close();
        }
    }

    /** One connection: its client numbers the messages, its server keeps some for a while. */
    private static final class Conversation implements AutoCloseable {
        private static final int KEPT = 6;

        private final Endpoint client;
        private final Endpoint server;
        private final ArrayDeque<HeldMessage> held = new ArrayDeque<>();
        private int sent;
        private int checked;

        Conversation(Endpoint client, Endpoint server) {
            this.client = client;
            this.server = server;
        }

        private static byte[] message(int number) {
            byte[] message = new byte[1 + number % 500];
            new Random(number).nextBytes(message);
            return message;
        }

        void goOn() {
            if (client.trySend(MemorySegment.ofArray(message(sent))) == Endpoint.OK) {
                sent++;
            }
            server.poll(message -> held.add(message.hold()));
            while (held.size() > KEPT) {
                check();
            }
            client.poll(message -> {});
        }

        /** Checks that a held message is unchanged, so its buffer was not used for another one. */
        private void check() {
            try (HeldMessage oldest = held.remove()) {
                assertThat(oldest.segment().toArray(ValueLayout.JAVA_BYTE)).isEqualTo(message(checked));
            }
            checked++;
        }

        void finish() {
            long start = System.nanoTime();
            while (checked + held.size() < sent) {
                assertThat(System.nanoTime() - start).as("a message was lost").isLessThan(PATIENCE.toNanos());
                server.poll(message -> held.add(message.hold()));
                client.poll(message -> {});
                while (held.size() > KEPT) {
                    check();
                }
            }
            while (!held.isEmpty()) {
                check();
            }
        }

        /** Of a connection that is lost. */
        void drop() {
            held.forEach(HeldMessage::close);
            client.abort();
            server.abort();
        }

        @Override
        public void close() {
            client.close();
            server.close();
        }
    }

    private EndpointServer listening;
    private int lost;

    private Conversation connect() {
        CompletableFuture<Endpoint> client =
                CompletableFuture.supplyAsync(() -> Endpoint.connect(listening.address(), SMALL, PATIENCE));
        Endpoint server = listening.accept(PATIENCE).orElseThrow();
        return new Conversation(client.join(), server);
    }

    /** If the adapter refuses a returned buffer, the endpoint loses its connection, and this opens another one. */
    private Conversation withAll(Conversation conversation, Consumer<Conversation> step) {
        try {
            step.accept(conversation);
            return conversation;
        } catch (ConnectionLostException e) {
            assertThat(e).hasMessageContaining("posting failed: ENOMEM");
            conversation.drop();
            lost++;
            return connect();
        }
    }

    private static void awaitThat(String what, BooleanSupplier condition, Runnable step) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as("until %s", what).isLessThan(PATIENCE.toNanos());
            step.run();
        }
    }

    @Test
    void noReceiveIsLostOrGivenTwice() {
        DeviceContext device = CmDevices.list().getFirst();
        assumeTrue(
                !DeviceDriver.of(device.device().sysfsPath()).postsInUserSpace(),
                "this device's driver posts by critical calls, which must not call Java");
        try (RefusingAdapter adapter = new RefusingAdapter(device);
                EndpointGroup group = EndpointGroup.open(CONNECTIONS);
                EndpointServer server =
                        EndpointServer.bind(CmTestNet.ipv4(), config -> SMALL.accept(config.group(group)))) {
            listening = server;
            List<Conversation> all = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                all.add(connect());
            }
            adapter.refuse(true);
            awaitThat(
                    "connections are lost",
                    () -> lost > 4,
                    () -> all.replaceAll(conversation -> withAll(conversation, Conversation::goOn)));
            assertThat(adapter.refusals()).isGreaterThanOrEqualTo(lost);
            adapter.refuse(false);
            // The queue is used in its order: with enough messages each of its receives comes back.
            awaitThat(
                    "each receive is posted again",
                    () -> adapter.missing().isEmpty(),
                    () -> all.replaceAll(conversation -> withAll(conversation, Conversation::goOn)));
            all.forEach(Conversation::finish);
            assertThat(group.queues()).isEqualTo(1);
            all.forEach(Conversation::close);
        }
    }

    /** Returns the number of buffers that a client's group posts until the client is connected. */
    private static int roomsOfOneClient(RefusingAdapter adapter, boolean refuse) {
        adapter.refuse(false);
        // One place at a time, with few buffers: those that are refused do not wear the queue out.
        Consumer<EndpointConfig> large =
                config -> config.receiveBuffers(4).sendDepth(4).maxMessageSize(300_000);
        try (EndpointGroup group = EndpointGroup.open(3);
                EndpointServer server = EndpointServer.bind(CmTestNet.ipv4(), large)) {
            if (refuse) {
                // The first call is of the spare buffers.
                adapter.refuseCall(2);
                assertThatThrownBy(() -> connect(server, config -> large.accept(config.group(group))))
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("ibv_post_srq_recv")
                        .hasMessageContaining("ENOMEM");
            }
            CompletableFuture<Void> served = CompletableFuture.runAsync(
                    () -> server.accept(PATIENCE).orElseThrow().close());
            try (Endpoint _ = connect(server, config -> large.accept(config.group(group)))) {
                assertThat(group.queues()).isEqualTo(1);
                return adapter.count();
            } finally {
                served.join();
            }
        }
    }

    private static Endpoint connect(EndpointServer server, Consumer<EndpointConfig> settings) {
        return Endpoint.connect(server.address(), settings, PATIENCE);
    }

    @Test
    void endpointAddedAfterARefusalBringsNoMoreBuffers() {
        DeviceContext device = CmDevices.list().getFirst();
        assumeTrue(
                !DeviceDriver.of(device.device().sysfsPath()).postsInUserSpace(),
                "this device's driver posts by critical calls, which must not call Java");
        try (RefusingAdapter adapter = new RefusingAdapter(device)) {
            int buffers = roomsOfOneClient(adapter, false);
            assertThat(adapter.refusals()).isZero();
            // Refused buffers may still wait to be posted with others.
            assertThat(roomsOfOneClient(adapter, true)).isLessThanOrEqualTo(buffers);
            assertThat(adapter.refusals()).isEqualTo(1);
        }
    }
}
