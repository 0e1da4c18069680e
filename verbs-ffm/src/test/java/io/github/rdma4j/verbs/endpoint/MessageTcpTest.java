// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol;
import io.github.rdma4j.verbs.internal.endpoint.protocol.WireEvents;
import io.github.rdma4j.verbs.internal.endpoint.tcp.TcpTransport;
import java.util.ArrayList;
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
