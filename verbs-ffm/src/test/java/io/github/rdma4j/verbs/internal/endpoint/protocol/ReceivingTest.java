// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.rdma4j.verbs.internal.endpoint.promise.Promise;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests arrivals: their receivers, the credits for the peer, and the refusal of invalid ones. */
class ReceivingTest {
    private static String read(ProtocolSide side) {
        byte[] copy = side.protocol.copyNext("receiving");
        return copy == null ? null : new String(copy);
    }

    // ---- Who gets a message ----

    @Test
    void messagesArriveInOrderByAnyCall() {
        ProtocolSide side = new ProtocolSide(4, 4);
        Promise<byte[]> first = side.receiveAsync();
        Promise<byte[]> second = side.receiveAsync();
        assertThat(side.protocol.hasMessage()).isFalse();
        side.comes("one");
        assertThat(first.decidedValue()).isEqualTo("one".getBytes());
        assertThat(second.isDecided()).isFalse();
        side.comes("two");
        side.comes("three");
        assertThat(side.protocol.hasMessage()).isTrue();
        assertThat(side.protocol.messageCount()).isEqualTo(1);
        assertThat(second.decidedValue()).isEqualTo("two".getBytes());
        assertThat(side.receiveAsync().decidedValue()).isEqualTo("three".getBytes());
        assertThat(read(side)).isNull();
        side.comes("four");
        assertThat(read(side)).isEqualTo("four");
    }

    /** Also in the middle of the waiting messages, and around the end of the array. */
    @Test
    void messageThatCouldNotBeGivenToAnybodyIsTheNextOneAgain() {
        ProtocolSide side = new ProtocolSide(4, 2);
        side.comes("message 0");
        for (int i = 0; i < 20; i++) {
            side.comes("message " + (i + 1) % 10);
            long before = side.protocol.changes();
            int buffer = side.protocol.take();
            assertThat(side.protocol.length(buffer)).isEqualTo(9);
            assertThat(side.protocol.messageCount()).isEqualTo(1);
            side.protocol.putBack(buffer);
            assertThat(side.protocol.changes()).isGreaterThan(before);
            assertThat(side.protocol.messageCount()).isEqualTo(2);
            assertThat(read(side)).isEqualTo("message " + i % 10);
            side.protocol.sent(Protocol.CONTROL);
        }
    }

    @Test
    void programIsReadyForAMessageATransferOrTheEnd() {
        ProtocolSide side = new ProtocolSide(4, 4);
        assertThat(side.protocol.isReady() || side.protocol.takeReady()).isFalse();
        side.comes("one");
        assertThat(side.protocol.isReady() && side.protocol.takeReady()).isTrue();
        assertThat(side.protocol.isReady() && side.protocol.takeReady()).isTrue();
        read(side);
        assertThat(side.protocol.isReady() || side.protocol.takeReady()).isFalse();
        side.tryTransfer(1, Operation.WRITE);
        assertThat(side.protocol.isReady() || side.protocol.takeReady()).isFalse();
        side.arrives(0);
        assertThat(side.protocol.isReady() && side.protocol.takeReady()).isTrue();
        side.protocol.releaseDone(side.protocol.takeDone());
        assertThat(side.protocol.isReady() || side.protocol.takeReady()).isFalse();
        side.closeComes();
        assertThat(side.protocol.isReady() && side.protocol.takeReady()).isTrue();
    }

    @Test
    void messageBeforeTheEndIsStillRead() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.comes("one");
        side.closeComes();
        assertThat(read(side)).isEqualTo("one");
        assertThatThrownBy(() -> read(side)).hasMessageContaining("closed by the peer");
        assertThat(side.receiveAsync().decidedFailure()).hasMessageContaining("receiving from the peer");
    }

    /** A decided promise whose callback has thrown is completed before the others. */
    @Test
    void unreportedEventIsReportedFirst() {
        ProtocolSide side = new ProtocolSide(4, 4);
        Promise<byte[]> first = side.receiveAsync();
        Promise<byte[]> second = side.receiveAsync();
        side.comes("one");
        side.comes("two");
        assertThat(side.protocol.decisions().take()).isSameAs(first);
        long before = side.protocol.changes();
        side.protocol.completeAgain(first);
        assertThat(side.protocol.changes()).isGreaterThan(before);
        assertThat(side.protocol.decisions().take()).isSameAs(first);
        assertThat(side.protocol.decisions().take()).isSameAs(second);
        side.protocol.completeAgain(second);
        assertThat(side.protocol.decisions().last()).isSameAs(second);
    }

    // ---- Credits for it ----

    /** At once, and not with the next thing that happens: the program may call nothing for long. */
    @Test
    void halfOfTheBuffersAreGrantedAsSoonAsTheyAreEmpty() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.comes("one");
        side.comes("two");
        side.protocol.release(side.protocol.take());
        assertThat(side.wire.posts()).isEmpty();
        side.protocol.release(side.protocol.take());
        // The adapter has the buffers before the peer gets the credits.
        assertThat(side.wire.posts()).containsExactly("receive 1", "receive 2", "credits: 2");
        assertThat(side.protocol.hasControlsUnderWay()).isTrue();
        side.protocol.sent(Protocol.CONTROL);
        assertThat(side.protocol.hasControlsUnderWay()).isFalse();
    }

    /** It holds what it has read, and would wait for ever for what the peer may not send. */
    @Test
    void lastMessageOfAPeerWithoutCreditsGrantsAllCredits() {
        ProtocolSide side = new ProtocolSide(4, 4);
        for (int i = 0; i < 4; i++) {
            side.comes("m" + i);
        }
        side.protocol.release(side.protocol.take());
        side.protocol.take();
        side.protocol.take();
        assertThat(side.wire.posts()).isEmpty();
        side.protocol.take();
        assertThat(side.wire.posts()).containsExactly("receive 1", "credits: 1");
    }

    @Test
    void noMoreThanTwoUpdatesAreUnderWay() {
        ProtocolSide side = new ProtocolSide(4, 1);
        for (int i = 0; i < 2; i++) {
            side.comes("m");
            read(side);
            assertThat(side.wire.posts()).containsExactly("receive " + (i + 1), "credits: 1");
        }
        side.comes("m");
        read(side);
        assertThat(side.wire.posts()).isEmpty();
        side.protocol.sent(Protocol.CONTROL);
        side.protocol.settle();
        assertThat(side.wire.posts()).containsExactly("receive 3", "credits: 1");
        // One that is refused is none that is under way.
        side.protocol.sent(Protocol.CONTROL);
        side.protocol.sent(Protocol.CONTROL);
        side.comes("m");
        side.wire.errno = () -> 12;
        read(side);
        assertThat(side.protocol.state()).isEqualTo(Protocol.State.LOST);
        assertThat(side.protocol.hasControlsUnderWay()).isFalse();
    }

    @Test
    void answerGrantsAQuarterOfTheBuffers() {
        ProtocolSide side = new ProtocolSide(8, 8, 8, true);
        for (int i = 0; i < 3; i++) {
            side.comes("m");
        }
        read(side);
        side.trySend("one");
        read(side);
        side.trySend("two");
        read(side);
        side.trySend("three");
        assertThat(side.wire.posts())
                .containsExactly("message one", "receive 1", "receive 2", "message two with 2", "message three");
    }

    @Test
    void arrivalCountsInBothDirections() {
        ProtocolSide side = new ProtocolSide(4, 4);
        Credits credits = side.protocol.credits();
        side.trySend("one");
        side.trySend("two");
        side.protocol.claim();
        side.comes("answer", 1);
        side.comes("another");
        read(side);
        read(side);
        assertThat(credits.sent(1)).isEqualTo(2);
        assertThat(credits.taken()).isEqualTo(1);
        assertThat(credits.received()).isEqualTo(2);
    }

    /** It needs its buffer for the next one. */
    @Test
    void updateGivesItsBufferBackUnlessThisSideHasClosed() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.trySend("one");
        side.trySend("two");
        side.wire.posts();
        side.creditsCome(1);
        assertThat(side.wire.posts()).containsExactly("receive 1");
        side.protocol.abandon(new IllegalStateException("closed"));
        side.creditsCome(1);
        assertThat(side.wire.posts()).isEmpty();
    }

    @Test
    void messageThatIsReleasedAfterTheEndIsNotGivenToTheAdapter() {
        ProtocolSide side = new ProtocolSide(4, 1);
        side.comes("one");
        side.protocol.linkLost("lost");
        side.wire.posts();
        side.protocol.release(side.protocol.take());
        side.protocol.postClose();
        assertThat(side.wire.posts()).isEmpty();
    }

    // ---- What an endpoint does not take ----

    /** A violation of the protocol, and the reason that is reported. */
    private record Lie(String reason, Consumer<ProtocolSide> act) {
        @Override
        public String toString() {
            return reason;
        }
    }

    private static Lie message(String reason, int kind, int credits, int length) {
        return new Lie(reason, side -> side.protocol.received(0, true, Frame.of(kind, credits), length));
    }

    private static Stream<Lie> lies() {
        String longer = "what has come is no message, or longer than a buffer";
        String without = "a message for which it had no credit";
        String more = "more credits than it has buffers";
        return Stream.of(
                new Lie(longer, side -> side.protocol.received(0, false, 0, 4)),
                message(longer, Frame.MESSAGE, 0, ProtocolSide.LONGEST + 1),
                message("a message of an unknown kind", Frame.TRIAL + 1, 0, 0),
                message(more, Frame.CREDIT, 1, 0),
                message(more, Frame.MESSAGE, 1, 0),
                message(more, Frame.CLOSE, 1, 0),
                new Lie(without, side -> {
                    side.comes("allowed");
                    side.comes("one too many");
                }),
                new Lie(without, side -> side.protocol.overrun()));
    }

    /** The connection is broken, so that the peer notices, and later arrivals are ignored. */
    @ParameterizedTest
    @MethodSource("lies")
    void peerThatDoesNotKeepToTheProtocolIsCutOff(Lie lie) {
        ProtocolSide side = new ProtocolSide(4, 1);
        long before = side.protocol.changes();
        lie.act.accept(side);
        assertThat(side.protocol.changes()).isGreaterThan(before);
        assertThat(side.protocol.state()).isEqualTo(Protocol.State.LOST);
        assertThat(side.protocol.endReason())
                .isEqualTo("the peer does not keep to the endpoint protocol: " + lie.reason);
        assertThat(side.wire.posts()).containsExactly("broken", "ended: " + side.protocol.endReason());
        int messages = side.protocol.messageCount();
        side.protocol.received(2, true, Frame.of(Frame.MESSAGE, 0), 1);
        side.closeComes();
        assertThat(side.protocol.messageCount()).isEqualTo(messages);
        assertThat(side.protocol.state()).isEqualTo(Protocol.State.LOST);
    }

    @Test
    void fullBufferIsAMessage() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.comes("x".repeat(ProtocolSide.LONGEST));
        side.comes("");
        assertThat(read(side)).hasSize(ProtocolSide.LONGEST);
        assertThat(read(side)).isEmpty();
    }

    /** Arrivals after a peer's close are ignored. */
    @Test
    void behindAClosedConnectionNothingCounts() {
        ProtocolSide side = new ProtocolSide(4, 4);
        side.closeComes();
        side.comes("one");
        side.closeComes();
        assertThat(side.protocol.hasMessage()).isFalse();
        assertThat(side.protocol.state()).isEqualTo(Protocol.State.PEER_CLOSED);
        assertThat(side.wire.posts()).containsExactly("ended: closed by the peer");
    }

    // ---- Sums ----

    private static Protocol summed(RecordedWire wire) {
        return new SummedProtocol(
                "the peer",
                wire,
                new Credits(4, 4),
                4,
                ProtocolSide.LONGEST + Checksum.BYTES,
                ProtocolSide.LONGEST,
                new Silence(0, false),
                ProtocolSide.ENDS);
    }

    private static void comes(Protocol protocol, RecordedWire wire, byte[] bytes) {
        wire.put(0, bytes);
        protocol.received(0, true, Frame.of(Frame.MESSAGE, 0), bytes.length);
    }

    @Test
    void messageWithoutBytesHasASumAndOneWithoutASumIsNone() {
        RecordedWire wire = new RecordedWire();
        Protocol protocol = summed(wire);
        comes(protocol, wire, new byte[Checksum.BYTES]);
        assertThat(protocol.copyNext("receiving")).isEmpty();
        comes(protocol, wire, new byte[Checksum.BYTES - 1]);
        assertThat(protocol.endReason()).endsWith("a message without a sum");
        assertThat(protocol.hasMessage()).isFalse();
        assertThat(protocol.sums().corrupt()).isZero();
    }

    @Test
    void corruptMessageIsNamedByItsNumberItsLengthAndBothSums() {
        RecordedWire wire = new RecordedWire();
        Protocol protocol = summed(wire);
        comes(protocol, wire, new byte[Checksum.BYTES]);
        byte[] corrupt = ByteBuffer.allocate(13)
                .put("123456789".getBytes())
                .putInt(0x1234)
                .array();
        comes(protocol, wire, corrupt);
        // The sum as published is 0xe3069283; the second message has the number 1.
        assertThat(protocol.endReason())
                .isEqualTo("message 2 of the peer, 9 bytes, is corrupt: it came with the sum 0x00001234, and its bytes"
                        + " give 0xe3069282");
        assertThat(protocol.sums().declared()).isEqualTo(0x1234);
        assertThat(protocol.sums().found()).isEqualTo(0xe3069282);
        assertThat(protocol.messageCount()).isEqualTo(1);
    }

    /** A lost connection may be lost because of it: what is known of the corruption counts more. */
    @Test
    void corruptMessageThatIsFoundBehindALossIsTheReason() {
        RecordedWire wire = new RecordedWire();
        Protocol protocol = summed(wire);
        protocol.linkLost("the connection was lost");
        comes(protocol, wire, new byte[] {1, 2, 3, 4, 5});
        assertThat(protocol.endReason()).contains("message 1 of the peer, 1 bytes, is corrupt");
        assertThat(wire.posts()).containsExactly("broken", "ended: the connection was lost");
    }
}
