// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two ends that move, and an RDMA that works and is slow. */
class FailoverSlownessTest {
    /** An endpoint over RDMA looks at TCP with each sixteenth poll, which takes rounds, too. */
    private static final int SLOW = 12;

    private final FailoverEnd.Fabric fabric = new FailoverEnd.Fabric();
    private final long[] now = {1};
    private final Random random = new Random(1);
    private FailoverEnd left = end("left", true, 1.5);
    private final FailoverEnd right = end("right", false, 0);
    /** How many rounds a message over RDMA takes; one over TCP takes one. */
    private int rounds = 1;

    private int round;

    private FailoverEnd end(String name, boolean client, double maxSlowdown) {
        return new FailoverEnd(name, client, random, fabric, 4, 4, 4, maxSlowdown, now);
    }

    private void run(int count) {
        for (int i = 0; i < count; i++) {
            boolean delivers = ++round % rounds == 0;
            for (FailoverEnd end : new FailoverEnd[] {left, right}) {
                end.tcp.queues.deliverAll();
                if (delivers && end.rdma != null && !end.rdma.closed) {
                    end.rdma.queues.deliverAll();
                }
            }
            left.readAll();
            right.readAll();
            now[0] += FailoverEnd.PAUSE_NANOS / 200;
            left.look(now[0]);
            right.look(now[0]);
        }
    }

    private Transport transport() {
        return left.carrier.mover().transport();
    }

    @Test
    void rdmaThatIsFastStays() {
        FailoverEnd.connect(left, right);
        run(2_000);
        assertThat(left.moves).extracting(TransportMove::to).containsExactly(Transport.RDMA);
        assertThat(left.moves.getFirst().reason())
                .matches("RDMA works: a round trip over RDMA takes .* µs, and over TCP .* µs");
        assertThat(right.moves.getFirst().reason()).isEqualTo("RDMA works");
        assertThat(left.carrier.mover().failure()).isNull();
    }

    @Test
    void rdmaThatBecomesSlowIsLeftAndRdmaThatIsFastAgainIsTaken() {
        FailoverEnd.connect(left, right);
        run(1_000);
        assertThat(transport()).isEqualTo(Transport.RDMA);
        rounds = SLOW;
        run(5_000);
        assertThat(transport()).isEqualTo(Transport.TCP);
        assertThat(right.carrier.mover().transport()).isEqualTo(Transport.TCP);
        assertThat(left.moves.getLast().reason())
                .contains("a round trip over RDMA takes")
                .contains("maxSlowdown is 1.5");
        rounds = 1;
        run(20_000);
        assertThat(transport()).isEqualTo(Transport.RDMA);
        left.sendAsync();
        right.sendAsync();
        run(100);
        left.checkBooks();
        right.checkBooks();
    }

    @Test
    void rdmaThatIsSlowIsNotTakenAndTriedLessAndLess() {
        rounds = SLOW;
        FailoverEnd.connect(left, right);
        run(1_500);
        assertThat(left.carrier.mover().failure()).hasMessageContaining("a round trip over RDMA takes");
        run(10_000);
        int tries = fabric.next;
        run(10_000);
        assertThat(fabric.next - tries).isLessThan(tries / 2);
        assertThat(left.moves).isEmpty();
        assertThat(transport()).isEqualTo(Transport.TCP);
    }

    @Test
    void withoutALimitRdmaMayBeAsSlowAsItLikes() {
        left = end("left", true, 0);
        rounds = SLOW;
        FailoverEnd.connect(left, right);
        run(2_000);
        assertThat(transport()).isEqualTo(Transport.RDMA);
    }

    /** Which side sends in each round, and so never pauses. */
    enum Busy {
        CLIENT,
        SERVER,
        BOTH
    }

    private void runBusily(Busy busy, int count) {
        for (int i = 0; i < count; i++) {
            if (busy != Busy.SERVER) {
                left.sendAsync();
            }
            if (busy != Busy.CLIENT) {
                right.sendAsync();
            }
            run(1);
        }
    }

    private void checkAllArrived() {
        run(30_000);
        left.checkBooks();
        right.checkBooks();
    }

    @ParameterizedTest
    @EnumSource
    void aBusyConnectionDoesNotMoveToRdmaThatIsSlow(Busy busy) {
        rounds = SLOW;
        FailoverEnd.connect(left, right);
        runBusily(busy, 4_000);
        assertThat(left.carrier.mover().failure()).hasMessageContaining("a round trip over RDMA takes");
        assertThat(left.moves).isEmpty();
        checkAllArrived();
    }

    @ParameterizedTest
    @EnumSource
    void aBusyConnectionLeavesRdmaThatBecomesSlow(Busy busy) {
        FailoverEnd.connect(left, right);
        runBusily(busy, 2_000);
        assertThat(transport()).isEqualTo(Transport.RDMA);
        rounds = SLOW;
        runBusily(busy, 4_000);
        assertThat(left.moves).extracting(TransportMove::to).containsExactly(Transport.RDMA, Transport.TCP);
        checkAllArrived();
    }

    /** A rest has time for one or two round trips, and three tell something. */
    @ParameterizedTest
    @EnumSource
    void aBusyConnectionLeavesRdmaOfWhichARestSeesOneRoundTrip(Busy busy) {
        FailoverEnd.connect(left, right);
        runBusily(busy, 2_000);
        assertThat(transport()).isEqualTo(Transport.RDMA);
        rounds = 20;
        runBusily(busy, 8_000);
        assertThat(left.moves).extracting(TransportMove::to).containsExactly(Transport.RDMA, Transport.TCP);
        assertThat(left.moves.getLast().reason()).contains("a round trip over RDMA takes");
        checkAllArrived();
    }

    @ParameterizedTest
    @EnumSource
    void aBusyConnectionKeepsRdmaThatIsFast(Busy busy) {
        FailoverEnd.connect(left, right);
        runBusily(busy, 8_000);
        assertThat(left.moves).extracting(TransportMove::to).containsExactly(Transport.RDMA);
        checkAllArrived();
    }

    /** It holds nothing back for longer than it takes to see that nobody answers. */
    @Test
    void aBusyConnectionWhosePeerIsNotInsideGoesOn() {
        left = end("left", true, 100);
        rounds = SLOW;
        FailoverEnd.connect(left, right);
        runBusily(Busy.CLIENT, 2_000);
        int rested = 0;
        for (int i = 0; i < 4_000; i++) {
            left.sendAsync();
            left.tcp.queues.deliverAll();
            if (++round % rounds == 0) {
                left.rdma.queues.deliverAll();
                right.rdma.queues.deliverAll();
            }
            now[0] += FailoverEnd.PAUSE_NANOS / 200;
            left.look(now[0]);
            rested += left.carrier.isResting() ? 1 : 0;
        }
        // A thirty-second of an attempt, in steps of a 200th of a pause.
        assertThat(rested).isBetween(1, 50);
        assertThat(transport()).isEqualTo(Transport.RDMA);
        rounds = 1;
        checkAllArrived();
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, 0.99, Double.NaN})
    void aFactorBelowOneIsRefused(double factor) {
        assertThatThrownBy(() -> new EndpointConfig().maxSlowdown(factor))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1, or 0");
    }
}
