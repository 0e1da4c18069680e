// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.WaitInterruptedException;
import io.github.rdma4j.verbs.internal.FileDescriptors;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpTransport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@link MessageContract} over TCP. */
class MessageTcpTest extends MessageContract {
    @Override
    Ends pair(Consumer<EndpointConfig> left, Consumer<EndpointConfig> right) {
        return new TcpPair(left, right);
    }

    /** The wire repeats an event for which the protocol had no memory, and no other. */
    @Test
    void repeatedMessageArrivesOnce() {
        try (TcpPair pair = new TcpPair(config -> {})) {
            for (int i = 1; i <= 3; i++) {
                assertThat(pair.left.send(new byte[i], PATIENCE)).isTrue();
            }
            TcpTransport wire = (TcpTransport) pair.right.engine().transport();
            Forgetful forgetful = new Forgetful();
            long start = System.nanoTime();
            while (forgetful.received.size() < 3 && System.nanoTime() - start < PATIENCE.toNanos()) {
                forgetful.poll(wire);
            }
            forgetful.poll(wire);
            assertThat(forgetful.received).containsExactly(1L, 2L, 3L);
        }
    }

    /** A thread that waits for data is interrupted, and later one waits until the kernel's buffer has space. */
    @Test
    void interruptedWaitDoesNotEndLaterOnes() throws InterruptedException {
        byte[] message = new byte[1 << 20];
        long nap = 100_000_000;
        try (TcpPair pair =
                new TcpPair(config -> config.receiveBuffers(200).sendDepth(64).maxMessageSize(message.length))) {
            TcpTransport wire = (TcpTransport) pair.left.engine().transport();
            Thread reader = Thread.ofPlatform().start(() -> {
                wire.armToSleep(false);
                assertThatThrownBy(() -> wire.sleep(PATIENCE.toNanos())).isInstanceOf(WaitInterruptedException.class);
                wire.awake();
            });
            while (Arrays.stream(reader.getStackTrace())
                    .noneMatch(frame -> frame.getClassName().equals(FileDescriptors.class.getName()))) {
                Thread.onSpinWait();
            }
            reader.interrupt();
            reader.join();
            while (pair.left.trySend(message) == Endpoint.OK) {
                // Until the queue is full.
            }
            long slept = 0;
            // The kernel may still move data to the buffer of the peer's socket, a few times.
            for (int i = 0; i < 100 && slept < nap; i++) {
                wire.armToSleep(false);
                long start = System.nanoTime();
                wire.sleep(nap);
                slept = System.nanoTime() - start;
                wire.awake();
                pair.left.poll(ignored -> {});
            }
            assertThat(slept).isGreaterThanOrEqualTo(nap);
        }
    }

    /** Has memory for a message the second time. */
    private static final class Forgetful extends WireEvents {
        final List<Long> received = new ArrayList<>();
        private int times;

        void poll(TcpTransport wire) {
            try {
                wire.poll(this);
            } catch (OutOfMemoryError e) {
                assertThat(e).hasMessage("of this test");
            }
        }

        @Override
        public Protocol.State state() {
            return Protocol.State.OPEN;
        }

        @Override
        public void received(int buffer, boolean framed, int frame, long length) {
            if (++times % 2 == 1) {
                throw new OutOfMemoryError("of this test");
            }
            received.add(length);
        }

        @Override
        public void overrun() {
            throw new AssertionError("more than there are buffers for");
        }

        @Override
        public void sent(long id) {}

        @Override
        public void failed(long id, String reason, VerbsException cause) {
            throw new AssertionError(reason);
        }

        @Override
        public boolean interrupted(Error error) {
            return false;
        }

        @Override
        public void linkLost(String reason) {
            throw new AssertionError(reason);
        }
    }

    @Override
    @Test
    @Tag("full")
    void thousandsOfMessagesBothWaysAtOnceWithTwoCredits() throws Exception {
        super.thousandsOfMessagesBothWaysAtOnceWithTwoCredits();
    }

    @Override
    @Test
    @Tag("full")
    void oneCreditSuffices() throws Exception {
        super.oneCreditSuffices();
    }
}
