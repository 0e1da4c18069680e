// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.perftest.exit.PerftestException;
import io.github.rdma4j.perftest.wire.ControlChannel;
import io.github.rdma4j.perftest.wire.FakePeer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wait of a side that sees nothing of its peer but packets. */
@Timeout(600)
class PassiveWaitTest {
    private static final Duration LONG = Duration.ofSeconds(60);

    private static void await(FakePeer peer, LongSupplier packets, Duration silence, Duration limit) {
        try (ControlChannel channel = ControlChannel.connect("localhost", peer.port(), LONG)) {
            new PassiveWait(channel, packets, "port 1 of rxe0").await(silence, limit);
        }
    }

    @Test
    void peerWhosePacketsCeaseHasFallenSilent() throws Exception {
        AtomicLong looks = new AtomicLong();
        try (FakePeer peer = new FakePeer(_ -> Thread.sleep(LONG))) {
            assertThatThrownBy(() -> await(
                            peer, () -> Math.min(3, looks.getAndIncrement()), Duration.ofSeconds(1), Duration.ZERO))
                    .isInstanceOfSatisfying(
                            PerftestException.class,
                            failure -> assertThat(failure.peerLost()).isTrue())
                    .hasMessageContaining(
                            "fell silent in the middle of the run: nothing has come to port 1 of rxe0 for 1 s (--timeout)");
        }
    }

    @Test
    void peerWhosePacketsComeIsWaitedForHoweverLong() throws Exception {
        AtomicLong looks = new AtomicLong();
        try (FakePeer peer = new FakePeer(socket -> {
            Thread.sleep(3000);
            socket.getOutputStream().write(1);
        })) {
            await(peer, looks::getAndIncrement, Duration.ofSeconds(1), Duration.ZERO);
            assertThat(looks.get()).isGreaterThan(2);
        }
    }

    @Test
    void whereNobodyCountsPacketsTheLimitIsThatOfTheRun() throws Exception {
        try (FakePeer peer = new FakePeer(_ -> Thread.sleep(LONG))) {
            assertThatThrownBy(() -> await(peer, () -> 0, Duration.ofMillis(1), Duration.ofSeconds(1)))
                    .hasMessageContaining("has not ended its run within 1 s (--run-timeout)");
        }
    }

    @Test
    void peerThatLeavesEndsTheWait() throws Exception {
        try (FakePeer peer = new FakePeer(_ -> {})) {
            await(peer, () -> 0, LONG, LONG);
        }
    }
}
