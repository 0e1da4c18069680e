// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.rdma4j.verbs.CompletionQueue;
import io.github.rdma4j.verbs.DeviceContext;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.ProtectionDomain;
import io.github.rdma4j.verbs.QueuePair;
import io.github.rdma4j.verbs.SendFlags;
import io.github.rdma4j.verbs.TestDevice;
import io.github.rdma4j.verbs.WorkCompletions;
import io.github.rdma4j.verbs.cm.CmTestNet;
import io.github.rdma4j.verbs.cm.PortSpace;
import io.github.rdma4j.verbs.cm.SynchronousId;
import io.github.rdma4j.verbs.device.TransportType;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Frame;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A peer over RDMA that finishes the handshake and then sends invalid messages. {@code HostileTcpTest} is the same over
 * TCP.
 */
@Tag("device")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileDeviceTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration SHORTLY = Duration.ofMillis(20);
    private static final int SEEDS = 12;
    private static final int LONGEST = 64;
    private static final int BUFFERS = 2;

    private final EndpointServer server = EndpointServer.bind(
            CmTestNet.ipv4(),
            config -> config.receiveBuffers(BUFFERS).maxMessageSize(LONGEST).closeTimeout(Duration.ofMillis(100)));

    /** Its frames travel as immediate data, which iWARP has none of with sends. */
    @BeforeEach
    void hasImmediates() {
        assumeThat(TestDevice.first().transportType()).isNotEqualTo(TransportType.IWARP);
    }

    @AfterEach
    void close() {
        server.close();
    }

    /** The hostile end. */
    private final class Peer implements AutoCloseable {
        private final SynchronousId id = SynchronousId.create(PortSpace.TCP);
        private final ProtectionDomain domain;
        private final CompletionQueue queue;
        private final MemoryRegion memory;
        private final QueuePair pair;
        private final WorkCompletions completions = WorkCompletions.allocate(1);
        private final Endpoint attacked;

        Peer() {
            id.resolve(server.address(), PATIENCE);
            DeviceContext device = id.id().device().orElseThrow();
            domain = device.allocateProtectionDomain();
            queue = device.createCompletionQueue(64);
            memory = domain.allocateMemory(256);
            pair = id.id().createQueuePair(domain, config -> config.completionQueue(queue));
            CompletableFuture<Endpoint> accepted =
                    CompletableFuture.supplyAsync(() -> server.accept(PATIENCE).orElseThrow());
            byte[] hello = TestSettings.of(
                            config -> config.receiveBuffers(BUFFERS).maxMessageSize(LONGEST))
                    .hello()
                    .toBytes();
            id.connect(config -> config.privateData(hello), PATIENCE);
            attacked = accepted.join();
        }

        void send(int length, int frame) {
            pair.tryPostSendWithImmediate(1, memory.slice(0, length), frame, SendFlags.SIGNALED);
            awaitCompletion();
        }

        void sendWithoutFrame(int length) {
            pair.tryPostSend(1, memory.slice(0, length), SendFlags.SIGNALED);
            awaitCompletion();
        }

        /** Well or not. */
        private void awaitCompletion() {
            long until = System.nanoTime() + PATIENCE.toNanos();
            while (queue.poll(completions) == 0) {
                if (System.nanoTime() > until) {
                    throw new AssertionError("no completion");
                }
                attacked.poll(message -> {}); // somebody reads what comes
            }
        }

        @Override
        public void close() {
            attacked.close();
            id.close();
            domain.close();
            queue.close();
        }
    }

    private void isEnded(String how, Consumer<Peer> attack) {
        try (Peer peer = new Peer()) {
            assertThatThrownBy(() -> {
                        attack.accept(peer);
                        while (peer.attacked.receive(PATIENCE).isPresent()) {
                            // Messages that came before the attack are still delivered.
                        }
                    })
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining(how);
        }
    }

    @Test
    void protocolViolationEndsTheConnectionWithTheReason() {
        isEnded("unknown kind", peer -> peer.send(8, Frame.of(77, 0)));
        isEnded("unknown kind", peer -> peer.send(0, Frame.of(Frame.MOVE, 0)));
        isEnded("no message", peer -> peer.sendWithoutFrame(8));
        isEnded("more credits than it has buffers", peer -> peer.send(0, Frame.of(Frame.CREDIT, 1)));
        isEnded("more credits than it has buffers", peer -> peer.send(8, Frame.of(Frame.MESSAGE, Frame.MAX_CREDITS)));
    }

    /** Frames in any order, some of them right; whether all of them are read before it goes is left to chance. */
    @Test
    void noFramesMakeAnEndpointFailOtherwise() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            try (Peer peer = new Peer()) {
                for (int i = random.nextInt(8); i >= 0; i--) {
                    int length = random.nextInt(8) == 0 ? random.nextInt(256) : random.nextInt(LONGEST + 1);
                    if (random.nextInt(8) == 0) {
                        peer.pair.tryPostSend(1, peer.memory.slice(0, length), SendFlags.SIGNALED);
                    } else {
                        int frame = random.nextInt(5) << 16 | (random.nextInt(4) == 0 ? random.nextInt(4) : 0);
                        peer.pair.tryPostSendWithImmediate(1, peer.memory.slice(0, length), frame, SendFlags.SIGNALED);
                    }
                }
                while (peer.attacked.receive(SHORTLY).isPresent()) {
                    // And the next one.
                }
                peer.id.close();
                while (peer.attacked.receive(PATIENCE).isPresent()) {
                    // And the next one.
                }
                throw new AssertionError("seed " + seed + ": the end of the connection was not noticed");
            } catch (EndpointException e) {
                assertThat(e).isInstanceOfAny(ConnectionLostException.class, ClosedByPeerException.class);
            }
        }
    }
}
