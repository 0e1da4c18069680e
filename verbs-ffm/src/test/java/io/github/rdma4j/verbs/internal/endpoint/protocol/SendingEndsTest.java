// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.MemoryRegion;
import io.github.rdma4j.verbs.VerbsException;
import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Tests the sending half, call by call: completions, results of transfers, and refusals of the adapter. */
class SendingEndsTest {
    private static final int OK = Protocol.OK;

    // ---- Ends ----

    /** A completion costs about as much as a post. */
    @Test
    void messagesAreSignaledOnceForHalfOfTheSlots() {
        ProtocolSide side = new ProtocolSide(8, 4, 16, true);
        for (int i = 0; i < 8; i++) {
            side.trySend("m" + i);
        }
        assertThat(side.wire.posts())
                .containsExactly(
                        "message m0",
                        "message m1",
                        "message m2",
                        "message m3",
                        "message m4, signaled",
                        "message m5",
                        "message m6",
                        // Otherwise no completion would report the free slots.
                        "message m7, signaled");
        side.arrives(4);
        assertThat(side.protocol.slots().freeCount()).isEqualTo(5);
        side.arrives(7);
        assertThat(side.protocol.slots().freeCount()).isEqualTo(8);
    }

    @Test
    void eachMessageIsSignaledAfterTheFirstWaiter() {
        ProtocolSide side = new ProtocolSide(8, 4, 16, true);
        side.trySend("quiet");
        assertThat(side.protocol.awaitsEnds()).isFalse();
        Promise<Void> promise = side.sendAsync("promised");
        assertThat(side.protocol.awaitsEnds()).isTrue();
        side.trySend("loud");
        assertThat(side.wire.posts())
                .containsExactly("message quiet", "message promised, signaled", "message loud, signaled");
        side.arrives(1);
        assertThat(promise.isDecided()).isTrue();
        assertThat(promise.decidedFailure()).isNull();
    }

    @Test
    void requestedCompletionsAreSignaled() {
        assertThat(awaitsEndsAfter(side -> side.protocol.awaitEnds())).isTrue();
        assertThat(awaitsEndsAfter(side -> side.tryTransfer(1, Operation.READ))).isTrue();
        assertThat(awaitsEndsAfter(side -> side.transferAsync(Operation.READ, 1)))
                .isTrue();
        assertThat(awaitsEndsAfter(side -> side.trySend("one"))).isFalse();
        assertThat(awaitsEndsAfter(side -> {
                    side.trySend("one");
                    side.trySend("two");
                }))
                .as("a full queue")
                .isTrue();
        assertThat(awaitsEndsAfter(side -> side.protocol.linkLost("lost"))).isTrue();
    }

    private static boolean awaitsEndsAfter(Consumer<ProtocolSide> call) {
        ProtocolSide side = new ProtocolSide(2, 4, 8, true);
        call.accept(side);
        return side.protocol.awaitsEnds();
    }

    /** The limit of control messages under way is reached, so only the end of one lets the next be posted. */
    @Test
    void unsentCreditsRequestCompletions() {
        ProtocolSide side = new ProtocolSide(4, 1, 4, true);
        for (int i = 0; i < 3; i++) {
            assertThat(side.protocol.awaitsEnds()).as("after " + i).isFalse();
            side.comes("m");
            side.protocol.release(side.protocol.take());
        }
        assertThat(side.protocol.awaitsEnds()).isTrue();
    }

    /** The program has claimed the other slots, so no later post would report the end of the posts under way. */
    @Test
    void probeIsSentWhenNoSlotIsFreeAndNoneIsSignaled() {
        ProtocolSide side = new ProtocolSide(8, 4, 8, true);
        side.trySend("one");
        side.trySend("two");
        for (int i = 0; i < 5; i++) {
            side.protocol.claim();
        }
        side.protocol.settle();
        assertThat(side.wire.posts()).as("a place is free").containsExactly("message one", "message two");
        int last = side.protocol.claim();
        side.protocol.settle();
        assertThat(side.wire.posts()).containsExactly("probe");
        side.protocol.settle();
        assertThat(side.wire.posts()).as("one is under way").isEmpty();
        side.protocol.giveBack(last);
        side.protocol.giveBack(last - 1);
        side.trySend("behind");
        assertThat(side.wire.posts()).containsExactly("message behind");
        side.protocol.sent(Protocol.PROBE);
        assertThat(side.protocol.slots().freeCount())
                .as("two before it, and one that was free")
                .isEqualTo(3);
    }

    @Test
    void writesInAllSlotsNeedNoProbe() {
        ProtocolSide side = new ProtocolSide(1, 4, 8, true);
        side.protocol.claim();
        side.protocol.settle();
        assertThat(side.wire.posts()).isEmpty();
    }

    // ---- Transfers ----

    @Test
    void transferThatIsPolledForHasItsIdAndItsValue() {
        ProtocolSide side = ProtocolSide.signaling(4, 4);
        side.wire.word = 77;
        assertThat(side.tryTransfer(5, Operation.FETCH_AND_ADD)).isEqualTo(OK);
        assertThat(side.tryTransfer(6, Operation.WRITE)).isEqualTo(OK);
        assertThat(side.protocol.takeDone()).isEqualTo(-1);
        side.arrives(0);
        side.arrives(1);
        assertThat(side.protocol.isReady()).isTrue();
        int added = side.protocol.takeDone();
        assertThat(side.protocol.slots().id(added)).isEqualTo(5);
        assertThat(side.protocol.slots().failure(added)).isNull();
        assertThat(side.protocol.resultOf(added)).isEqualTo(77);
        int written = side.protocol.takeDone();
        assertThat(side.protocol.slots().id(written)).isEqualTo(6);
        assertThat(side.protocol.resultOf(written)).isZero();
        assertThat(side.protocol.takeDone()).isEqualTo(-1);
    }

    @Test
    void promiseOfAnAtomicOperationGetsItsValueAndThatOfAWriteNone() {
        ProtocolSide side = ProtocolSide.signaling(8, 4);
        side.wire.word = 42;
        int number = 0;
        for (Operation operation : Operation.values()) {
            Promise<Long> promise = side.transferAsync(operation, 0);
            side.arrives(number++);
            boolean hasValue = operation == Operation.COMPARE_AND_SWAP
                    || operation == Operation.FETCH_AND_ADD
                    || operation == Operation.GET;
            assertThat(promise.decidedValue()).as(operation.toString()).isEqualTo(hasValue ? 42L : null);
            assertThat(promise.isDecided()).isTrue();
        }
    }

    @Test
    void transferThatFailedHasNoValue() {
        ProtocolSide side = ProtocolSide.signaling(4, 4);
        side.wire.word = 42;
        side.tryTransfer(5, Operation.GET);
        Promise<Long> promise = side.transferAsync(Operation.GET, 0);
        side.fails(0, "the key is wrong");
        side.fails(1, "flushed");
        int slot = side.protocol.takeDone();
        assertThat(side.protocol.resultOf(slot)).isZero();
        assertThat(side.protocol.slots().failure(slot)).hasMessageContaining("the key is wrong");
        assertThat(promise.decidedValue()).isNull();
        assertThat(promise.decidedFailure()).hasMessageContaining("a transfer of the peer");
    }

    /** The queue pair checks them. */
    @Test
    void mistakeInTheArgumentsCostsNoPlace() {
        ProtocolSide side = ProtocolSide.signaling(1, 4);
        side.wire.mistake = new IllegalArgumentException("not aligned");
        assertThatThrownBy(() -> side.tryTransfer(1, Operation.GET)).hasMessage("not aligned");
        assertThat(side.protocol.hasFreeSlot()).isTrue();
        side.wire.mistake = new IllegalArgumentException("not aligned");
        assertThatThrownBy(() -> side.transferAsync(Operation.GET, 1)).hasMessage("not aligned");
        assertThat(side.protocol.isIdle()).isTrue();
        side.trySend("one");
        Promise<Long> waiting = side.transferAsync(Operation.GET, 1);
        side.wire.mistake = new IllegalArgumentException("not aligned");
        side.arrives(0);
        assertThat(waiting.decidedFailure()).hasMessage("not aligned");
        assertThat(side.protocol.hasFreeSlot()).isTrue();
    }

    @Test
    void messageInClosedMemoryCostsNeitherPlaceNorCredit() {
        ProtocolSide side = ProtocolSide.signaling(1, 4);
        try (MemoryRegion lent = ProtocolSide.region("lent")) {
            List<Runnable> calls = List.of(
                    () -> side.trySend("one"),
                    () -> side.protocol.trySend(ByteBuffer.allocate(1)),
                    () -> side.protocol.trySend(1, lent.slice()),
                    () -> side.protocol.trySendAll(ProtocolSide.texts("one")));
            for (Runnable call : calls) {
                side.wire.mistake = new IllegalStateException("closed");
                assertThatThrownBy(call::run).hasMessage("closed");
                assertThat(side.protocol.hasFreeSlot()).isTrue();
                assertThat(side.protocol.credits().available()).isEqualTo(4);
            }
        }
        side.wire.mistake = new IllegalStateException("closed");
        assertThat(side.sendAsync("one").decidedFailure()).hasMessage("closed");
        assertThat(side.protocol.hasFreeSlot()).isTrue();
        assertThat(side.protocol.credits().available()).isEqualTo(4);
        assertThat(side.wire.posts()).isEmpty();
    }

    // ---- Refusals of the adapter ----

    @Test
    void refusedRequestIsReportedAndEndsTheConnection() {
        ProtocolSide sends = ProtocolSide.signaling(2, 4);
        sends.wire.errno = () -> 12;
        assertThatThrownBy(() -> sends.trySend("one")).hasMessageContaining("posting failed: ENOMEM");
        assertThat(sends.protocol.isIdle()).isTrue();
        assertThat(sends.protocol.hasEnded()).isTrue();

        ProtocolSide buffers = ProtocolSide.signaling(2, 4);
        buffers.wire.errno = () -> 12;
        assertThatThrownBy(() -> buffers.protocol.trySend(ByteBuffer.allocate(1)))
                .hasMessageContaining("posting failed: ENOMEM");

        ProtocolSide lends = ProtocolSide.signaling(2, 4);
        lends.wire.errno = () -> 12;
        try (MemoryRegion lent = ProtocolSide.region("lent")) {
            assertThat(lends.protocol.trySend(3, lent.slice())).isEqualTo(OK);
        }
        int slot = lends.protocol.takeDone();
        assertThat(lends.protocol.slots().id(slot)).isEqualTo(3);
        assertThat(lends.protocol.slots().failure(slot)).hasMessageContaining("posting failed: ENOMEM");

        ProtocolSide promises = ProtocolSide.signaling(2, 4);
        promises.wire.errno = () -> 12;
        assertThat(promises.sendAsync("one").decidedFailure()).hasMessageContaining("posting failed: ENOMEM");
        assertThat(promises.protocol.isIdle()).isTrue();

        ProtocolSide transfers = ProtocolSide.signaling(2, 4);
        transfers.wire.errno = () -> 12;
        assertThat(transfers.tryTransfer(4, Operation.WRITE)).isEqualTo(OK);
        int done = transfers.protocol.takeDone();
        assertThat(transfers.protocol.slots().id(done)).isEqualTo(4);
        assertThat(transfers.protocol.slots().failure(done)).hasMessageContaining("posting failed: ENOMEM");
        assertThat(transfers.protocol.state()).isEqualTo(Protocol.State.LOST);

        ProtocolSide claims = ProtocolSide.signaling(2, 4);
        int claimed = claims.protocol.claim();
        claims.write(claimed, "claimed");
        claims.wire.errno = () -> 12;
        assertThatThrownBy(() -> claims.protocol.sendClaimed(claimed, 7))
                .hasMessageContaining("posting failed: ENOMEM");
        assertThat(claims.protocol.isIdle()).isTrue();
    }

    /** It does not show what was posted, so that only the end of everything frees the slots. */
    @Test
    void exceptionOfAPostLosesTheConnection() {
        try (MemoryRegion lent = ProtocolSide.region("lent")) {
            List<Consumer<ProtocolSide>> calls = List.of(
                    side -> side.trySend("one"),
                    side -> side.protocol.trySend(ByteBuffer.allocate(1)),
                    side -> side.protocol.trySend(1, lent.slice()),
                    side -> side.protocol.trySendAll(ProtocolSide.texts("one", "two")),
                    side -> side.protocol.sendClaimed(claimed(side), 7),
                    side -> side.sendAsync("one"),
                    side -> side.protocol.postClose());
            for (Consumer<ProtocolSide> call : calls) {
                ProtocolSide side = ProtocolSide.signaling(4, 4);
                side.wire.errno = () -> {
                    throw new IllegalStateException("closed");
                };
                try {
                    call.accept(side);
                } catch (VerbsException e) {
                    assertThat(e).hasMessageContaining("posting failed: closed");
                }
                assertThat(side.protocol.endReason()).isEqualTo("posting failed: closed");
                assertThat(side.wire.posts()).contains("broken");
                side.protocol.checkTimeouts(0);
                side.protocol.checkTimeouts(ProtocolSide.SILENCE);
                assertThat(side.protocol.hasEnded()).isTrue();
            }
        }
    }

    private static int claimed(ProtocolSide side) {
        int slot = side.protocol.claim();
        side.write(slot, "claimed");
        return slot;
    }

    /** Other requests under way end only by their own completions. */
    @Test
    void refusalEndsNothingThatIsUnderWay() {
        ProtocolSide side = new ProtocolSide(4, 4, 8, true);
        side.trySend("under way");
        side.tryTransfer(1, Operation.WRITE);
        side.wire.errno = () -> 12;
        assertThatThrownBy(() -> side.trySend("refused")).hasMessageContaining("ENOMEM");
        assertThat(side.protocol.slots().freeCount()).isEqualTo(2);
        side.fails(0, "flushed");
        side.fails(1, "flushed");
        side.protocol.releaseDone(side.protocol.takeDone());
        assertThat(side.protocol.takeDone()).isEqualTo(-1);
        assertThat(side.protocol.isIdle()).isTrue();
    }

    @Test
    void itIsNamedAfterItsPeer() {
        assertThat(ProtocolSide.signaling(1, 1).protocol).hasToString("the peer");
    }
}
