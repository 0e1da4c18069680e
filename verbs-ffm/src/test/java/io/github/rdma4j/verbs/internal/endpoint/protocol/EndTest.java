// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.AccessFlag;
import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import io.github.rdma4j.verbs.internal.endpoint.protocol.Protocol.State;
import org.junit.jupiter.api.Test;

/** Tests the ends of a connection: each waiting call fails once, and nothing stays under way. */
class EndTest {
    private static final IllegalStateException CLOSED = new IllegalStateException("closed by the program");

    // ---- A loss ----

    @Test
    void lossFailsAllThatWaitsAndWhatIsUnderWayByItsCompletion() {
        ProtocolSide side = new ProtocolSide(1, 4);
        Promise<Long> underWay = side.transferAsync(Operation.FETCH_AND_ADD, 1);
        Promise<Void> waits = side.sendAsync("waits");
        Promise<byte[]> receives = side.receiveAsync();
        long before = side.protocol.changes();
        side.protocol.linkLost("the cable was pulled");
        assertThat(side.protocol.changes()).isGreaterThan(before);
        side.protocol.settle();
        assertThat(side.wire.posts()).containsExactly("FETCH_AND_ADD 1", "broken", "ended: the cable was pulled");
        assertThat(waits.decidedFailure())
                .hasMessageContaining("sending over the peer")
                .hasMessageContaining("the cable was pulled");
        assertThat(receives.decidedFailure())
                .hasMessageContaining("receiving from the peer")
                .hasMessageContaining("the cable was pulled");
        assertThat(underWay.isDecided()).isFalse();
        assertThat(side.protocol.hasEnded()).isFalse();
        side.fails(0, "flushed");
        assertThat(underWay.decidedFailure()).hasMessageContaining("the cable was pulled");
        assertThat(side.protocol.hasEnded()).isTrue();
        side.protocol.linkLost("again");
        assertThat(side.protocol.endReason()).isEqualTo("the cable was pulled");
        assertThat(side.wire.posts()).isEmpty();
    }

    @Test
    void failureIsTheReasonWithItsCauseForThatWhichHasFailed() {
        ProtocolSide side = new ProtocolSide(4, 4);
        Promise<Long> first = side.transferAsync(Operation.READ, 1);
        Promise<Long> second = side.transferAsync(Operation.READ, 2);
        VerbsException cause = new VerbsException("a read", 0, "the key is wrong", "");
        long before = side.protocol.changes();
        side.protocol.failed(side.wire.taken.get(0), "remote access", cause);
        assertThat(side.protocol.changes()).isGreaterThan(before);
        side.protocol.failed(side.wire.taken.get(1), "flushed", null);
        assertThat(first.decidedFailure()).isSameAs(cause);
        assertThat(second.decidedFailure())
                .hasMessageContaining("a transfer of the peer")
                .hasMessageContaining("remote access");
        assertThat(side.protocol.endReason()).isEqualTo("remote access");
    }

    /** Their ids are no slots. */
    @Test
    void receiveAnUpdateOrAProbeThatFailsEndsTheConnectionAndNoTransfer() {
        ProtocolSide side = new ProtocolSide(4, 1);
        Promise<Long> underWay = side.transferAsync(Operation.READ, 1);
        side.comes("m");
        side.protocol.release(side.protocol.take());
        assertThat(side.protocol.hasControlsUnderWay()).isTrue();
        side.protocol.failed(Protocol.RECEIVE, "flushed receive", null);
        long before = side.protocol.changes();
        side.protocol.failed(Protocol.CONTROL, "flushed", null);
        assertThat(side.protocol.changes()).as("a close waits for it").isGreaterThan(before);
        side.protocol.failed(Protocol.PROBE, "flushed", null);
        assertThat(side.protocol.hasControlsUnderWay()).isFalse();
        assertThat(side.protocol.endReason()).isEqualTo("flushed receive");
        assertThat(underWay.isDecided()).isFalse();
        side.fails(0, "flushed");
        assertThat(underWay.isDecided()).isTrue();
    }

    @Test
    void connectionHasEndedWhenNothingIsUnderWayAndWhatIsPolledForWhenItWasPolled() {
        ProtocolSide side = new ProtocolSide(4, 4);
        assertThat(side.protocol.hasEnded() || side.protocol.hasEndedPolling()).isFalse();
        assertThat(side.protocol.endReason()).isEqualTo("closed by this side");
        side.tryTransfer(1, Operation.WRITE);
        side.tryTransfer(2, Operation.GET);
        side.closeComes();
        assertThat(side.protocol.endReason()).isEqualTo("closed by the peer");
        assertThat(side.protocol.hasEnded() || side.protocol.hasEndedPolling()).isFalse();
        side.arrives(0);
        side.fails(1, "flushed");
        assertThat(side.protocol.hasEnded()).isTrue();
        assertThat(side.protocol.hasEndedPolling()).isFalse();
        side.protocol.releaseDone(side.protocol.takeDone());
        assertThat(side.protocol.hasEndedPolling()).isFalse();
        side.protocol.releaseDone(side.protocol.takeDone());
        assertThat(side.protocol.hasEndedPolling()).isTrue();
    }

    /** The peer has closed, and its adapter is gone: what is under way would stay so. */
    @Test
    void endOfTheLinkBehindAPeersCloseEndsWhatIsUnderWay() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.tryTransfer(1, Operation.WRITE);
        side.closeComes();
        side.wire.posts();
        side.protocol.linkLost("disconnected");
        assertThat(side.protocol.state()).isEqualTo(State.PEER_CLOSED);
        assertThat(side.wire.posts()).containsExactly("broken");
    }

    // ---- A close ----

    @Test
    void closeSendsWhatWaitsAndReceivesNothing() {
        ProtocolSide side = new ProtocolSide(2, 4, 4, true);
        side.tryTransfer(1, Operation.WRITE);
        side.tryTransfer(2, Operation.WRITE);
        side.arrives(0);
        Promise<Void> waits = side.sendAsync("waits");
        Promise<byte[]> receives = side.receiveAsync();
        side.wire.posts();
        long before = side.protocol.changes();
        side.protocol.beginClosing(CLOSED);
        assertThat(side.protocol.changes()).isGreaterThan(before);
        assertThat(receives.decidedFailure()).isSameAs(CLOSED);
        // Nobody polls for the first transfer, whose place was kept.
        assertThat(side.wire.posts()).containsExactly("ended: closed by this side", "message waits, signaled");
        side.arrives(1);
        assertThat(side.protocol.slots().hasDone()).isFalse();
        assertThat(side.protocol.isIdle()).isFalse();
        side.arrives(2);
        assertThat(waits.isDecided()).isTrue();
        assertThat(side.protocol.isIdle()).isTrue();
        side.protocol.postClose();
        assertThat(side.wire.posts()).containsExactly("close with 0");
        assertThat(side.protocol.hasControlsUnderWay()).isTrue();
    }

    /** A close sleeps until all requests are done, so each must be signaled. */
    @Test
    void closeReceivesCompletions() {
        ProtocolSide side = new ProtocolSide(4, 4, 4, true);
        assertThat(side.protocol.awaitsEnds()).isFalse();
        side.protocol.beginClosing(CLOSED);
        assertThat(side.protocol.awaitsEnds()).isTrue();
    }

    @Test
    void closeOfAnEndedConnectionFailsWhatWaitsWithItsEnd() {
        ProtocolSide side = new ProtocolSide(1, 4);
        side.trySend("one");
        Promise<Void> waits = side.sendAsync("waits");
        side.protocol.linkLost("lost");
        side.protocol.beginClosing(CLOSED);
        assertThat(waits.decidedFailure()).hasMessageContaining("lost");
    }

    @Test
    void givingUpFailsAllWithItsReason() {
        ProtocolSide side = new ProtocolSide(2, 4);
        Promise<Long> underWay = side.transferAsync(Operation.GET, 1);
        side.trySend("one");
        Promise<Void> waits = side.sendAsync("waits");
        Promise<byte[]> receives = side.receiveAsync();
        long before = side.protocol.changes();
        side.protocol.abandon(CLOSED);
        assertThat(side.protocol.changes()).isGreaterThan(before);
        assertThat(underWay.decidedFailure()).isSameAs(CLOSED);
        assertThat(waits.decidedFailure()).isSameAs(CLOSED);
        assertThat(receives.decidedFailure()).isSameAs(CLOSED);
        assertThat(side.protocol.isIdle()).isTrue();
        int free = side.protocol.slots().freeCount();
        side.wire.posts();
        side.arrives(0);
        side.fails(1, "flushed");
        side.protocol.postClose();
        assertThat(side.protocol.isIdle()).isTrue();
        assertThat(side.protocol.slots().freeCount()).isEqualTo(free);
    }

    /** A thread that waits for messages must check again. */
    @Test
    void givingUpIsAChangeWhereNothingIsUnderWay() {
        ProtocolSide side = new ProtocolSide(2, 4);
        long before = side.protocol.changes();
        side.protocol.abandon(CLOSED);
        assertThat(side.protocol.changes()).isGreaterThan(before);
    }

    /** What is done waits for its poll; what was not done has failed. */
    @Test
    void unpolledCompletionKeepsItsResult() {
        ProtocolSide side = new ProtocolSide(3, 4);
        for (int id = 0; id < 3; id++) {
            side.tryTransfer(id, Operation.WRITE);
        }
        side.arrives(0);
        side.protocol.releaseDone(side.protocol.takeDone());
        side.tryTransfer(3, Operation.WRITE);
        side.arrives(1);
        side.arrives(2);
        // Around the end of the list.
        side.arrives(3);
        side.protocol.abandon(CLOSED);
        for (int id = 1; id <= 3; id++) {
            int slot = side.protocol.takeDone();
            assertThat(side.protocol.slots().id(slot)).isEqualTo(id);
            assertThat(side.protocol.slots().failure(slot)).isNull();
            side.protocol.releaseDone(slot);
        }
        assertThat(side.protocol.takeDone()).isEqualTo(-1);
    }

    // ---- The time ----

    /** Time counts only while somebody looks, so many times that no gap is too long. */
    private static long lookFor(ProtocolSide side, long start, long nanos) {
        long step = ProtocolSide.PATIENCE / 4;
        long now = start;
        while (now - start < nanos) {
            now += step;
            side.protocol.checkTimeouts(now);
        }
        return now;
    }

    @Test
    void wireThatIsSilentIsAskedAndOneThatDoesNotAnswerIsDead() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.protocol.checkTimeouts(0);
        long now = lookFor(side, 0, ProtocolSide.PATIENCE - 1);
        assertThat(side.wire.posts()).containsExactly("probe");
        now = lookFor(side, now, ProtocolSide.PATIENCE / 2);
        assertThat(side.protocol.isOpen()).isTrue();
        assertThat(side.wire.posts()).isEmpty();
        lookFor(side, now, ProtocolSide.PATIENCE);
        assertThat(side.protocol.endReason()).contains("acknowledged nothing for too long");
        assertThat(side.wire.posts()).containsExactly("broken", "ended: " + side.protocol.endReason());
    }

    @Test
    void wireThatAnswersIsAskedAgainAfterAsLong() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.protocol.checkTimeouts(0);
        long now = 0;
        for (int i = 0; i < 3; i++) {
            now = lookFor(side, now, ProtocolSide.PATIENCE);
            assertThat(side.wire.posts()).as("time " + i).containsExactly("probe");
            side.protocol.sent(Protocol.PROBE);
            side.protocol.checkTimeouts(now);
            now = lookFor(side, now, ProtocolSide.PATIENCE / 2);
            assertThat(side.wire.posts()).isEmpty();
        }
        assertThat(side.protocol.isOpen()).isTrue();
    }

    @Test
    void activePeerIsNotProbed() {
        ProtocolSide side = new ProtocolSide(4, 20);
        side.protocol.checkTimeouts(0);
        long now = 0;
        for (int i = 0; i < 20; i++) {
            side.comes("m");
            now = lookFor(side, now, ProtocolSide.PATIENCE / 2);
        }
        assertThat(side.wire.posts()).isEmpty();
    }

    /** Acknowledgements count as signs of life while requests are under way. */
    @Test
    void busyWireIsNotDead() {
        ProtocolSide side = new ProtocolSide(4, 4, 100, false);
        side.protocol.checkTimeouts(0);
        long now = 0;
        side.trySend("m");
        for (int i = 0; i < 20; i++) {
            side.trySend("m");
            now = lookFor(side, now, ProtocolSide.PATIENCE / 2);
            side.arrives(i);
        }
        assertThat(side.protocol.isOpen()).isTrue();
        lookFor(side, now, 2 * ProtocolSide.PATIENCE);
        assertThat(side.protocol.isOpen()).isFalse();
    }

    /** A megabyte per second. */
    @Test
    void longTransferMayTakeLong() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.protocol.checkTimeouts(0);
        try (MemoryRegion region = MemoryRegion.withoutAdapter(4_000_000, AccessFlag.LOCAL_WRITE)) {
            side.protocol.tryTransfer(1, Operation.WRITE, region.slice(), null, 0, 0);
            long now = lookFor(side, 0, ProtocolSide.PATIENCE + 3_900_000_000L);
            assertThat(side.protocol.isOpen()).isTrue();
            lookFor(side, now, ProtocolSide.PATIENCE / 2);
            assertThat(side.protocol.isOpen()).isFalse();
        }
    }

    /** Where the peer's program acknowledges, and its machine says that it is there. */
    @Test
    void peerWhoseMachineAnswersIsNotDead() {
        ProtocolSide side = new ProtocolSide(4, 4, 4, false);
        side.protocol.checkTimeouts(0);
        side.trySend("m");
        side.wire.peerThere = true;
        long now = lookFor(side, 0, 5 * ProtocolSide.PATIENCE);
        assertThat(side.protocol.isOpen()).isTrue();
        side.wire.peerThere = false;
        // The last sign of it was less than the patience ago.
        side.protocol.checkTimeouts(now);
        assertThat(side.protocol.isOpen()).isTrue();
        lookFor(side, now, 2 * ProtocolSide.PATIENCE);
        assertThat(side.protocol.isOpen()).isFalse();
    }

    @Test
    void deadWireBehindAPeersCloseIsBrokenToo() {
        ProtocolSide side = new ProtocolSide(4, 4, 4, false);
        side.protocol.checkTimeouts(0);
        side.trySend("m");
        side.closeComes();
        side.wire.posts();
        lookFor(side, 0, 3 * ProtocolSide.PATIENCE);
        assertThat(side.wire.posts()).containsExactly("broken");
        assertThat(side.protocol.state()).isEqualTo(State.PEER_CLOSED);
    }

    /** SoftRoCE leaves some standing for ever. */
    @Test
    void requestsOfABrokenWireFailAfterASecond() {
        ProtocolSide side = new ProtocolSide(2, 4);
        long second = 1_000_000_000L;
        Promise<Long> underWay = side.transferAsync(Operation.GET, 1);
        assertThat(side.protocol.nanosToNextCheck()).isEqualTo(ProtocolSide.PATIENCE / 4);
        side.protocol.linkLost("lost");
        assertThat(side.protocol.nanosToNextCheck()).isEqualTo(second);
        side.protocol.checkTimeouts(5 * second);
        side.protocol.checkTimeouts(6 * second - 1);
        assertThat(underWay.isDecided()).isFalse();
        long before = side.protocol.changes();
        side.protocol.checkTimeouts(6 * second);
        assertThat(underWay.decidedFailure())
                .hasMessageContaining("a transfer of the peer")
                .hasMessageContaining("lost");
        assertThat(side.protocol.changes()).isGreaterThan(before + 1);
        assertThat(side.protocol.hasEnded()).isTrue();
        assertThat(side.protocol.nanosToNextCheck())
                .isGreaterThanOrEqualTo(ProtocolSide.PATIENCE / 4)
                .isNotEqualTo(second);
        side.arrives(0);
        assertThat(side.protocol.slots().freeCount())
                .as("its completion comes after all")
                .isEqualTo(2);
    }
}
