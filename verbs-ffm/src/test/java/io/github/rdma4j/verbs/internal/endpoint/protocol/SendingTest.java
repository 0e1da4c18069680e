// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The half that sends, call by call: what it posts, in which order, and what it says where it cannot. */
class SendingTest {
    private static final int OK = Protocol.OK;
    private static final int NO_CREDIT = Protocol.NO_CREDIT;
    private static final int QUEUE_FULL = Protocol.QUEUE_FULL;
    private static final int CLOSED_BY_PEER = Protocol.CLOSED_BY_PEER;

    // ---- What there is no room for ----

    /** The same answers, whatever a message lies in. */
    @Test
    void trySendReportsTheMissingResource() {
        ProtocolSide side = ProtocolSide.signaling(2, 3);
        ByteBuffer buffer = ByteBuffer.wrap("-two-".getBytes(), 1, 3);
        try (MemoryRegion lent = ProtocolSide.region("lent")) {
            assertThat(side.trySend("one")).isEqualTo(OK);
            assertThat(side.protocol.trySend(buffer)).isEqualTo(OK);
            assertThat(buffer.position()).isEqualTo(4);
            assertThat(side.trySend("three")).isEqualTo(QUEUE_FULL);
            assertThat(side.protocol.trySend(buffer.flip())).isEqualTo(QUEUE_FULL);
            assertThat(buffer.position()).isZero();
            assertThat(side.protocol.trySend(1, lent.slice())).isEqualTo(QUEUE_FULL);
            assertThat(side.tryTransfer(1, Operation.WRITE)).isEqualTo(QUEUE_FULL);
            assertThat(side.protocol.trySendAll(ProtocolSide.texts("three"))).isZero();
            assertThat(side.protocol.claim()).isEqualTo(-1);
            side.arrives(0);
            side.arrives(1);
            assertThat(side.protocol.trySend(7, lent.slice())).isEqualTo(OK);
            assertThat(side.wire.posts())
                    .containsExactly("message one, signaled", "message two, signaled", "message lent, signaled");
            assertThat(side.trySend("four")).isEqualTo(NO_CREDIT);
            assertThat(side.protocol.trySend(buffer)).isEqualTo(NO_CREDIT);
            assertThat(side.protocol.trySend(1, lent.slice())).isEqualTo(NO_CREDIT);
            assertThat(side.protocol.trySendAll(ProtocolSide.texts("four"))).isZero();
            assertThat(side.protocol.claim()).isEqualTo(-1);
            assertThat(side.tryTransfer(1, Operation.WRITE))
                    .as("it needs no credit")
                    .isEqualTo(OK);
            assertThat(side.protocol.credits().available()).isZero();
        }
    }

    @Test
    void messageToAClosedPeerIsNotPosted() {
        ProtocolSide side = ProtocolSide.signaling(2, 3);
        side.closeComes();
        side.wire.posts();
        try (MemoryRegion lent = ProtocolSide.region("lent")) {
            assertThat(side.trySend("one")).isEqualTo(CLOSED_BY_PEER);
            assertThat(side.protocol.trySend(ByteBuffer.allocate(1))).isEqualTo(CLOSED_BY_PEER);
            assertThat(side.protocol.trySend(1, lent.slice())).isEqualTo(CLOSED_BY_PEER);
            assertThat(side.protocol.trySendAll(ProtocolSide.texts("one"))).isEqualTo(CLOSED_BY_PEER);
            assertThat(side.tryTransfer(1, Operation.WRITE)).isEqualTo(CLOSED_BY_PEER);
        }
        assertThatThrownBy(side.protocol::claim).hasMessageContaining("closed by the peer");
        Promise<Void> message = side.sendAsync("one");
        Promise<Long> transfer = side.transferAsync(Operation.FETCH_AND_ADD, 1);
        assertThat(message.decidedFailure()).hasMessageContaining("sending over the peer");
        assertThat(transfer.decidedFailure()).hasMessageContaining("a transfer of the peer");
        assertThat(side.wire.posts()).isEmpty();
    }

    @Test
    void afterALossEachCallThrows() {
        ProtocolSide side = ProtocolSide.signaling(2, 3);
        int claimed = side.protocol.claim();
        side.protocol.linkLost("the cable was pulled");
        try (MemoryRegion lent = ProtocolSide.region("lent")) {
            List<Runnable> calls = List.of(
                    () -> side.trySend("one"),
                    () -> side.protocol.trySend(ByteBuffer.allocate(1)),
                    () -> side.protocol.trySend(1, lent.slice()),
                    () -> side.protocol.trySendAll(ProtocolSide.texts("one")),
                    () -> side.tryTransfer(1, Operation.WRITE),
                    side.protocol::claim,
                    () -> side.protocol.sendClaimed(claimed, 1));
            for (Runnable call : calls) {
                assertThatThrownBy(call::run)
                        .isInstanceOf(VerbsException.class)
                        .hasMessageContaining("the cable was pulled");
            }
        }
        assertThat(side.protocol.slots().claimed()).isZero();
        assertThat(side.protocol.isIdle()).isTrue();
    }

    @Test
    void messageMayBeAsLongAsBothSidesAllowAndNoLonger() {
        ProtocolSide side = ProtocolSide.signaling(4, 4);
        String longest = "x".repeat(ProtocolSide.LONGEST);
        String tooLong = longest + "x";
        assertThat(side.protocol.maxMessage()).isEqualTo(ProtocolSide.LONGEST);
        assertThat(side.trySend(longest)).isEqualTo(OK);
        assertThat(side.protocol.trySendAll(ProtocolSide.texts(longest))).isEqualTo(1);
        side.sendAsync(longest);
        List<Runnable> calls = List.of(
                () -> side.trySend(tooLong),
                () -> side.protocol.trySend(ByteBuffer.wrap(tooLong.getBytes())),
                () -> side.protocol.trySendAll(ProtocolSide.texts("short", tooLong)),
                () -> side.sendAsync(tooLong));
        side.wire.posts();
        for (Runnable call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("a message of 17 bytes")
                    .hasMessageContaining("allow 16");
        }
        assertThat(side.wire.posts()).isEmpty();
    }

    /** A selector calls a handler then, and no earlier. */
    @Test
    void fullSenderBecomesReadyOnceWhenASlotIsFree() {
        ProtocolSide side = ProtocolSide.signaling(1, 2);
        side.trySend("one");
        assertThat(side.protocol.isReady()).isFalse();
        side.arrives(0);
        assertThat(side.protocol.isReady()).as("nobody has asked in vain").isFalse();
        side.trySend("two");
        assertThat(side.trySend("three")).isEqualTo(NO_CREDIT);
        side.arrives(1);
        assertThat(side.protocol.isReady()).as("no credit yet").isFalse();
        side.creditsCome(1);
        assertThat(side.protocol.isReady()).isTrue();
        assertThat(side.protocol.takeReady()).isTrue();
        assertThat(side.protocol.takeReady()).isFalse();
        side.trySend("three");
        side.creditsCome(1);
        assertThat(side.trySend("four")).isEqualTo(QUEUE_FULL);
        assertThat(side.protocol.takeReady()).isFalse();
        side.arrives(2);
        assertThat(side.protocol.takeReady()).isTrue();
        assertThat(side.protocol.takeReady()).isFalse();
    }

    private static Stream<Consumer<ProtocolSide>> inVain() {
        return Stream.of(
                side -> assertThat(side.trySend("x")).isPositive(),
                side -> assertThat(side.protocol.trySendAll(ProtocolSide.texts("x")))
                        .isZero(),
                side -> assertThat(side.protocol.claim()).isNegative());
    }

    @ParameterizedTest
    @MethodSource("inVain")
    void creditIsReportedAfterAMissingCredit(Consumer<ProtocolSide> call) {
        ProtocolSide side = ProtocolSide.signaling(3, 1);
        side.trySend("one");
        call.accept(side);
        assertThat(side.protocol.takeReady()).isFalse();
        side.arrives(0);
        assertThat(side.protocol.takeReady()).isFalse();
        side.creditsCome(1);
        assertThat(side.protocol.takeReady()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("inVain")
    void slotIsReportedAfterAMissingSlot(Consumer<ProtocolSide> call) {
        ProtocolSide side = ProtocolSide.signaling(1, 2);
        side.trySend("one");
        call.accept(side);
        assertThat(side.protocol.takeReady()).isFalse();
        side.creditsCome(1);
        assertThat(side.protocol.takeReady()).isFalse();
        side.arrives(0);
        assertThat(side.protocol.takeReady()).isTrue();
    }

    // ---- The order ----

    private static Stream<Consumer<ProtocolSide>> calls() {
        return Stream.of(
                side -> assertThat(side.trySend("next")).isEqualTo(OK),
                side -> assertThat(side.protocol.trySend(ByteBuffer.wrap("next".getBytes())))
                        .isEqualTo(OK),
                side -> assertThat(side.protocol.trySendAll(ProtocolSide.texts("next")))
                        .isEqualTo(1),
                side -> side.protocol.giveBack(side.protocol.claim()),
                side -> side.sendAsync("next"),
                side -> side.transferAsync(Operation.WRITE, 9));
    }

    /** What was taken back still stands there until somebody looks. */
    @ParameterizedTest
    @MethodSource("calls")
    void cancelledMessageBlocksNoOther(Consumer<ProtocolSide> call) {
        ProtocolSide side = ProtocolSide.signaling(2, 4);
        side.trySend("one");
        side.trySend("two");
        Promise<Void> waiting = side.sendAsync("taken back");
        side.protocol.sent(side.wire.taken.get(0));
        waiting.cancel(false);
        call.accept(side);
        assertThat(side.wire.posts()).doesNotContain("message taken back, signaled");
        assertThat(side.protocol.hasFreeSlot() || side.wire.taken.size() == 3).isTrue();
        assertThat(side.protocol.isIdle()).isFalse();
    }

    @Test
    void transferThatIsPolledForIsNotHeldUpByWhatWasTakenBack() {
        ProtocolSide side = ProtocolSide.signaling(2, 1);
        side.trySend("one");
        Promise<Void> waiting = side.sendAsync("taken back");
        waiting.cancel(false);
        assertThat(side.tryTransfer(5, Operation.WRITE)).isEqualTo(OK);
    }

    @Test
    void waitingMessagesAreSentInCallOrder() {
        ProtocolSide side = ProtocolSide.signaling(1, 2);
        side.trySend("one");
        side.sendAsync("two");
        side.transferAsync(Operation.WRITE, 3);
        side.sendAsync("four");
        assertThat(side.trySend("five")).isEqualTo(QUEUE_FULL);
        assertThat(side.wire.posts()).containsExactly("message one, signaled");
        side.arrives(0);
        assertThat(side.wire.posts()).containsExactly("message two, signaled");
        assertThat(side.trySend("five")).as("a credit is also missing").isEqualTo(NO_CREDIT);
        side.arrives(1);
        assertThat(side.wire.posts()).containsExactly("WRITE 3");
        side.arrives(2);
        assertThat(side.wire.posts()).isEmpty();
        assertThat(side.tryTransfer(6, Operation.WRITE))
                .as("a place is free, and somebody waits before it")
                .isEqualTo(QUEUE_FULL);
        side.creditsCome(1);
        assertThat(side.wire.posts()).containsExactly("receive 1", "message four, signaled");
        assertThat(side.protocol.isIdle()).isFalse();
        side.arrives(3);
        assertThat(side.protocol.isIdle()).isTrue();
    }

    /** A sleeping thread checks for its turn after each change. */
    @Test
    void eachStepOfWhatWaitsCountsAsAChange() {
        ProtocolSide side = ProtocolSide.signaling(1, 4);
        int slot = side.protocol.claim();
        Promise<Void> waiting = side.sendAsync("waits");
        long before = side.protocol.changes();
        side.protocol.giveBack(slot);
        assertThat(side.wire.posts()).containsExactly("message waits, signaled");
        assertThat(side.protocol.changes()).isGreaterThan(before);
        assertThat(waiting.isDecided()).isFalse();
        assertThat(side.protocol.credits().available()).isEqualTo(3);
    }

    @Test
    void cancelLetsTheNextMessageGo() {
        ProtocolSide side = ProtocolSide.signaling(2, 1);
        side.trySend("one");
        Promise<Void> waits = side.sendAsync("waits");
        side.transferAsync(Operation.WRITE, 3);
        side.wire.posts();
        waits.cancel(false);
        side.protocol.nudge();
        assertThat(side.wire.posts()).containsExactly("WRITE 3");
        long before = side.protocol.changes();
        side.protocol.nudge();
        assertThat(side.protocol.changes()).isGreaterThan(before);
    }

    /** It keeps its place until then, as its result lies there. */
    @Test
    void polledSendFreesItsSlot() {
        ProtocolSide side = ProtocolSide.signaling(1, 1);
        side.tryTransfer(1, Operation.GET);
        side.sendAsync("waits");
        side.arrives(0);
        int slot = side.protocol.takeDone();
        assertThat(side.wire.posts()).containsExactly("GET 1");
        side.protocol.releaseDone(slot);
        assertThat(side.wire.posts()).containsExactly("message waits, signaled");
        side.arrives(1);
        side.tryTransfer(2, Operation.GET);
        side.arrives(2);
        slot = side.protocol.takeDone();
        long before = side.protocol.changes();
        side.protocol.releaseDone(slot);
        assertThat(side.protocol.changes()).as("somebody may wait for room").isGreaterThan(before);
    }

    @Test
    void placeThatIsGivenBackIsAChangeForThoseWhoSleep() {
        ProtocolSide side = ProtocolSide.signaling(1, 4);
        int slot = side.protocol.claim();
        long before = side.protocol.changes();
        side.protocol.giveBack(slot);
        assertThat(side.protocol.changes()).isGreaterThan(before);
        assertThat(side.protocol.credits().available()).isEqualTo(4);
        assertThat(side.protocol.hasFreeSlot()).isTrue();
    }

    // ---- Places that the program writes in ----

    @Test
    void claimIsSentWithItsLengthAndFreesItsSlot() {
        ProtocolSide side = ProtocolSide.signaling(1, 1);
        int slot = side.protocol.claim();
        assertThat(side.protocol.credits().available()).isZero();
        assertThat(side.protocol.slots().claimed()).isEqualTo(1);
        assertThat(side.protocol.isIdle()).as("it is not under way").isTrue();
        side.write(slot, "claimed");
        side.protocol.sendClaimed(slot, 5);
        assertThat(side.wire.posts()).containsExactly("message claim, signaled");
        assertThat(side.protocol.slots().claimed()).isZero();
        assertThat(side.protocol.isIdle()).isFalse();
        side.arrives(0);
        assertThat(side.protocol.isIdle()).isTrue();
        assertThat(side.protocol.hasFreeSlot()).isTrue();
    }

    /** Those before it may need its place, or its credit. */
    @Test
    void claimSentBehindOthersKeepsTheOrder() {
        ProtocolSide side = ProtocolSide.signaling(1, 2);
        int slot = side.protocol.claim();
        side.transferAsync(Operation.WRITE, 1);
        side.write(slot, "claimed");
        side.protocol.sendClaimed(slot, 7);
        assertThat(side.wire.posts()).containsExactly("WRITE 1");
        assertThat(side.protocol.credits().available()).isEqualTo(2);
        side.arrives(0);
        assertThat(side.wire.posts()).containsExactly("message claimed, signaled");
        assertThat(side.protocol.credits().available()).isEqualTo(1);
    }

    @Test
    void cancelledMessageDoesNotBlockAClaim() {
        ProtocolSide side = ProtocolSide.signaling(2, 2);
        int slot = side.protocol.claim();
        side.trySend("one");
        side.sendAsync("taken back").cancel(false);
        side.write(slot, "claimed");
        side.protocol.sendClaimed(slot, 7);
        assertThat(side.wire.posts()).containsExactly("message one, signaled", "message claimed, signaled");
        side.creditsCome(1);
        side.sendAsync("taken back").cancel(false);
        side.protocol.sent(side.wire.taken.get(0));
        assertThat(side.protocol.claim()).isNotNegative();
    }

    // ---- Several at once ----

    @Test
    void severalGoWithOneDoorbellAsManyAsThereAreCreditsOrPlacesFor() {
        ProtocolSide places = ProtocolSide.signaling(3, 9);
        assertThat(places.protocol.trySendAll(ProtocolSide.texts("a", "b", "c", "d")))
                .isEqualTo(3);
        assertThat(places.wire.posts())
                .containsExactly("message a, signaled", "message b, signaled", "message c, signaled", "batch of 3");
        assertThat(places.protocol.credits().available()).isEqualTo(6);
        places.arrives(0);
        assertThat(places.protocol.takeReady()).isTrue();

        ProtocolSide credits = ProtocolSide.signaling(9, 3);
        assertThat(credits.protocol.trySendAll(ProtocolSide.texts("a", "b", "c", "d")))
                .isEqualTo(3);
        assertThat(credits.protocol.takeReady()).isFalse();
        credits.arrives(0);
        assertThat(credits.protocol.takeReady()).isFalse();
        credits.creditsCome(1);
        assertThat(credits.protocol.takeReady()).isTrue();

        ProtocolSide enough = ProtocolSide.signaling(9, 9);
        assertThat(enough.protocol.trySendAll(ProtocolSide.texts("a", "b"))).isEqualTo(2);
        enough.arrives(0);
        enough.creditsCome(1);
        assertThat(enough.protocol.takeReady()).as("all have gone").isFalse();
        enough.wire.posts();
        assertThat(enough.protocol.trySendAll(List.of())).isZero();
        assertThat(enough.wire.posts()).isEmpty();
    }

    @Test
    void severalDoNotOvertakeWhatWaits() {
        ProtocolSide side = ProtocolSide.signaling(2, 1);
        side.trySend("one");
        side.sendAsync("waits");
        side.wire.posts();
        assertThat(side.protocol.trySendAll(ProtocolSide.texts("a"))).isZero();
        assertThat(side.wire.posts()).isEmpty();
    }

    @Test
    void ofSeveralAllOrNoneAreCopied() {
        ProtocolSide side = ProtocolSide.signaling(3, 3);
        side.wire.errno = () -> {
            throw new AssertionError("nothing is posted");
        };
        side.wire.mistake = new IllegalStateException("closed memory");
        assertThatThrownBy(() -> side.protocol.trySendAll(ProtocolSide.texts("a", "b")))
                .hasMessage("closed memory");
        assertThat(side.protocol.credits().available()).isEqualTo(3);
        assertThat(side.protocol.slots().freeCount()).isEqualTo(3);
        side.wire.errno = () -> 0;
        assertThat(side.protocol.trySendAll(ProtocolSide.texts("a", "b", "c"))).isEqualTo(3);
    }

    @Test
    void lastOfABatchIsSignaled() {
        ProtocolSide side = new ProtocolSide(8, 4, 8, true);
        assertThat(side.protocol.trySendAll(ProtocolSide.texts("a", "b", "c"))).isEqualTo(3);
        assertThat(side.wire.posts()).containsExactly("message a", "message b", "message c, signaled", "batch of 3");
        assertThat(side.protocol.isIdle()).isFalse();
        side.arrives(2);
        assertThat(side.protocol.isIdle()).isTrue();
        assertThat(side.protocol.slots().freeCount()).isEqualTo(8);
    }

    /** Behind the first that is refused nothing is posted, and nobody waits for what was not. */
    @Test
    void ofSeveralThoseThatAreRefusedAreNotUnderWay() {
        ProtocolSide side = ProtocolSide.signaling(4, 4);
        int[] left = {1};
        side.wire.errno = () -> left[0]-- > 0 ? 0 : 12;
        assertThatThrownBy(() -> side.protocol.trySendAll(ProtocolSide.texts("a", "b", "c")))
                .hasMessageContaining("posting failed: ENOMEM");
        assertThat(side.wire.posts()).contains("message a, signaled", "batch of 1", "broken");
        assertThat(side.protocol.slots().freeCount()).isEqualTo(3);
        assertThat(side.protocol.isIdle()).isFalse();
        side.fails(0, "flushed");
        assertThat(side.protocol.isIdle()).isTrue();
        assertThat(side.protocol.hasEnded()).isTrue();
    }

    /** The first send and the first request stay, so the others are not the next to be served. */
    @Test
    void cancelledSendsAndRequestsAreForgotten() {
        ProtocolSide side = ProtocolSide.signaling(1, 4);
        assertThat(side.trySend("fills the queue")).isEqualTo(OK);
        Promise<Void> send = side.sendAsync("waits");
        Promise<byte[]> request = side.receiveAsync();
        List<Promise<?>> all = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            all.add(side.sendAsync("cancelled"));
            all.add(side.receiveAsync());
        }
        assertThat(side.protocol.waitingCount()).isEqualTo(2002);
        for (int i = 0; i < all.size(); i++) {
            all.get(i).cancel(false);
            side.protocol.nudge();
            int live = 1 + all.size() - i;
            assertThat(side.protocol.waitingCount()).isLessThanOrEqualTo(2 * live);
        }
        side.arrives(0);
        side.comes("message");
        side.arrives(1);
        side.complete();
        assertThat(send).isCompleted();
        assertThat(request.join()).isEqualTo("message".getBytes());
    }
}
