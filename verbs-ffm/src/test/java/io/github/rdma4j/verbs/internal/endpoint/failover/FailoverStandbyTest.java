// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.failover;

import static io.github.rdma4j.verbs.internal.endpoint.engine.EndpointAccess.ACCESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.WorkCompletionStatus;
import io.github.rdma4j.verbs.endpoint.Transport;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Two ends over RDMA whose TCP connection ends before it is needed. */
class FailoverStandbyTest {
    private final FailoverEnd.Fabric fabric = new FailoverEnd.Fabric();
    private final long[] now = {1};
    private final Random random = new Random(1);
    private final FailoverEnd left = new FailoverEnd("left", true, random, fabric, 4, 4, 4, now);
    private final FailoverEnd right = new FailoverEnd("right", false, random, fabric, 4, 4, 4, now);

    FailoverStandbyTest() {
        FailoverEnd.connect(left, right);
        for (int i = 0; i < 100; i++) {
            round();
        }
        assertThat(left.transport.mover().transport()).isEqualTo(Transport.RDMA);
        assertThat(right.transport.mover().transport()).isEqualTo(Transport.RDMA);
    }

    private void round() {
        for (FailoverEnd end : new FailoverEnd[] {left, right}) {
            end.tcp.queues.deliverAll();
            if (end.rdma != null && !end.rdma.closed) {
                end.rdma.queues.deliverAll();
            }
            end.readAll();
        }
        now[0] += FailoverEnd.SILENCE_NANOS / 8;
        left.checkTimeouts(now[0]);
        right.checkTimeouts(now[0]);
    }

    private void loseTcp(boolean byTheWire) {
        for (FailoverEnd end : new FailoverEnd[] {left, right}) {
            end.tcp.lostByTheWire = byTheWire;
            end.tcp.streamEnd = "TCP has ended";
            end.tcp.cut = true;
        }
        for (int i = 0; i < 100; i++) {
            round();
        }
    }

    @Test
    void rdmaContinuesWithoutTcpAndItsEndHasBothReasons() {
        loseTcp(true);
        left.sendAsync();
        right.sendAsync();
        for (int i = 0; i < 100; i++) {
            round();
        }
        assertThat(left.protocol.state()).isEqualTo(State.OPEN);
        assertThat(left.readsEverything() && right.readsEverything()).isTrue();
        right.rdma.lost = "the port is DOWN";
        for (int i = 0; i < 100; i++) {
            round();
        }
        assertThat(right.protocol.state()).isEqualTo(State.LOST);
        assertThat(right.protocol.ended("sending"))
                .hasMessageEndingWith(
                        "the connection is lost: TCP has ended; and RDMA: the port is DOWN." + " Connect again");
    }

    @Test
    void bothSidesSayWhyRdmaWasLeft() {
        right.rdma.lost = "the port is DOWN";
        for (int i = 0; i < 4; i++) {
            round();
        }
        String remedy = ". Fix it; RDMA is retried automatically";
        assertThat(right.moves.getLast().reason()).isEqualTo("RDMA to the peer failed: the port is DOWN" + remedy);
        assertThat(left.moves.getLast().reason())
                .isEqualTo("RDMA to the peer failed: the peer says: the port is DOWN" + remedy);
    }

    /** A selector then arms and polls again in time, although no event comes. */
    @Test
    void selectorIsAskedToPollWhenTheNextAttemptIsDue() {
        assertThat(left.transport.nanosToNextArm(false)).isEqualTo(Long.MAX_VALUE);
        assertThat(left.transport.beginCheck()).isTrue();
        right.rdma.lost = "the port is DOWN";
        fabric.trouble = "the port is DOWN";
        while (left.transport.mover().transport() != Transport.TCP || left.rdma != null && !left.rdma.closed) {
            round();
        }
        assertThat(left.transport.beginCheck()).isFalse();
        long nanos = left.transport.nanosToNextArm(false);
        assertThat(nanos).isBetween(0L, FailoverEnd.PAUSE_NANOS);
        now[0] += nanos;
        assertThat(left.transport.nanosToNextArm(false)).isZero();
    }

    /** The peer's adapter has refused something, which has ended the peer's side; its word comes before one looks. */
    @Test
    void refusalIsReportedInsteadOfItsConsequence() {
        right.rdma.lost = "flushed";
        left.rdma.failure =
                ACCESS.transferException("write", WorkCompletionStatus.REM_ACCESS_ERR, "remote access error", "");
        left.tcp.beforePoll = left.rdma::toError;
        for (int i = 0; i < 40 && left.transport.mover().transport() == Transport.RDMA; i++) {
            now[0] += FailoverEnd.SILENCE_NANOS / 8;
            right.checkTimeouts(now[0]);
            left.tcp.queues.deliverAll();
            right.tcp.queues.deliverAll();
            left.checkTimeouts(now[0]);
        }
        assertThat(left.moves.getLast().reason())
                .contains("remote access error")
                .doesNotContain("flushed");
    }

    @Test
    void peerThatEndsTcpIsGone() {
        loseTcp(false);
        assertThat(left.protocol.state()).isEqualTo(State.LOST);
        assertThat(left.protocol.ended("sending")).hasMessageContaining("TCP has ended");
    }

    /** And not only when the time is over in which a broken wire completes what it has. */
    @Test
    void pendingWorkFailsAtOnceWhenBothAreLost() {
        left.rdma.cut = true;
        for (int i = 0; i < 8; i++) {
            left.sendAsync();
        }
        left.tcp.streamEnd = "TCP has ended";
        // An endpoint over RDMA looks at TCP with each sixteenth poll.
        for (int i = 0; i < 16; i++) {
            left.checkTimeouts(now[0]);
        }
        assertThat(left.protocol.state()).isEqualTo(State.LOST);
        left.checkAllDecided();
        assertThat(left.protocol.hasEnded()).isTrue();
    }
}
