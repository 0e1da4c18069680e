// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Tests the send slots alone: free, under way, signaled and done. */
class SlotsTest {
    private static final RuntimeException FAILURE = new IllegalStateException("failed");

    private final Slots slots = new Slots(8);
    private final Protocol protocol = new ProtocolSide(8, 8).protocol;

    private int post(int length, boolean signaled) {
        int slot = slots.takeAlone();
        slots.posted(slot, length, signaled);
        return slot;
    }

    @Test
    void lengthUnderWayIsThatOfTheOldest() {
        assertThat(slots.lengthUnderWay()).isZero();
        int first = post(10, true);
        post(20, false);
        int third = post(30, true);
        int fourth = post(40, true);
        assertThat(slots.lengthUnderWay()).isEqualTo(10);
        slots.complete(first, null, protocol);
        assertThat(slots.lengthUnderWay()).isEqualTo(20);
        slots.complete(third, null, protocol);
        assertThat(slots.lengthUnderWay()).isEqualTo(40);
        assertThat(slots.freeCount()).isEqualTo(7);
        slots.complete(fourth, null, protocol);
        assertThat(slots.lengthUnderWay()).isZero();
        assertThat(slots.isIdle()).isTrue();
    }

    /** What may not happen twice fails before its turn, where RDMA is left for TCP. */
    @Test
    void earlyCompletionLeavesOlderRequestsPending() {
        int first = post(10, true);
        int second = post(20, true);
        int third = post(30, true);
        slots.complete(third, null, protocol);
        assertThat(slots.lengthUnderWay()).isEqualTo(10);
        slots.complete(second, FAILURE, protocol);
        assertThat(slots.lengthUnderWay()).isEqualTo(10);
        slots.complete(first, null, protocol);
        assertThat(slots.isIdle()).isTrue();
        assertThat(slots.lengthUnderWay()).isZero();
    }

    /** A transfer that is a mistake is found out when its turn comes, and the connection goes on. */
    @Test
    void refusedRequestIsNeverPending() {
        for (int round = 0; round < 20; round++) {
            int first = post(10, true);
            int refused = slots.take(7, false);
            slots.posted(refused, 20, true);
            int third = post(30, false);
            int last = post(40, true);
            slots.refuse(refused, FAILURE, protocol);
            assertThat(slots.takeDone()).isEqualTo(refused);
            assertThat(slots.failure(refused)).isSameAs(FAILURE);
            slots.release(refused);
            assertThat(slots.failure(refused)).isNull();
            slots.complete(first, null, protocol);
            assertThat(slots.lengthUnderWay()).as("round " + round).isEqualTo(30);
            slots.complete(last, null, protocol);
            assertThat(slots.freeCount()).isEqualTo(8);
            assertThat(slots.lengthUnderWay()).isZero();
            assertThat(third).isNotEqualTo(last);
        }
    }

    @Test
    void oldestMayBeRefused() {
        int refused = post(10, true);
        int second = post(20, true);
        slots.refuse(refused, FAILURE, protocol);
        assertThat(slots.lengthUnderWay()).isEqualTo(20);
        slots.complete(second, null, protocol);
        assertThat(slots.isIdle()).isTrue();
        assertThat(slots.lengthUnderWay()).isZero();
    }

    @Test
    void unsignaledRequestIsPendingOnlyWithALaterSignal() {
        post(1, false);
        assertThat(slots.isIdle()).isTrue();
        assertThat(slots.hasUnsignaled()).isTrue();
        post(2, false);
        post(3, false);
        assertThat(slots.hasManyUnsignaled()).isFalse();
        post(4, false);
        assertThat(slots.hasManyUnsignaled()).isTrue();
        int last = post(5, true);
        assertThat(slots.isIdle() || slots.hasUnsignaled() || slots.hasManyUnsignaled())
                .isFalse();
        slots.complete(last, null, protocol);
        assertThat(slots.isIdle()).isTrue();
        assertThat(slots.freeCount()).isEqualTo(8);
    }

    /** A failed message has a completion, and the messages before it have arrived. */
    @Test
    void unsignaledRequestMayReportItsFailure() {
        post(1, false);
        int failed = post(2, false);
        post(3, false);
        slots.complete(failed, FAILURE, protocol);
        assertThat(slots.freeCount()).isEqualTo(7);
        assertThat(slots.lengthUnderWay()).isEqualTo(3);
        assertThat(slots.hasUnsignaled()).isTrue();
        slots.completeUnsignaled(slots.posted(), protocol);
        assertThat(slots.freeCount()).isEqualTo(8);
        assertThat(slots.hasUnsignaled()).isFalse();
    }

    @Test
    void idleSlotCannotComplete() {
        int slot = post(1, true);
        slots.complete(slot, null, protocol);
        assertThatThrownBy(() -> slots.complete(slot, null, protocol))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("a completion of slot " + slot + ", which is free");
    }

    @Test
    void onlyWhatIsPolledForIsPolled() {
        assertThat(slots.hasPolled()).isFalse();
        post(1, true);
        slots.claim();
        assertThat(slots.hasPolled()).isFalse();
        int polled = slots.take(9, true);
        assertThat(slots.hasPolled()).isTrue();
        slots.release(polled);
        assertThat(slots.hasPolled()).isFalse();
        int plain = slots.take(9, false);
        assertThat(slots.hasPolled()).isTrue();
        assertThat(slots.hasResult(plain)).isFalse();
    }

    /** Late completions are ignored. */
    @Test
    void afterGivingUpNothingCompletes() {
        int first = post(1, true);
        post(2, false);
        int claimed = slots.claim();
        slots.abandon(FAILURE, protocol);
        assertThat(slots.isIdle()).isTrue();
        assertThat(slots.hasUnsignaled()).isFalse();
        assertThat(slots.lengthUnderWay()).isZero();
        int free = slots.freeCount();
        slots.complete(first, null, protocol);
        slots.refuse(first, FAILURE, protocol);
        slots.completeUnsignaled(2, protocol);
        assertThat(slots.freeCount()).isEqualTo(free);
        slots.giveBack(claimed);
        assertThat(slots.isIdle()).isTrue();
    }

    @Test
    void anyDepthHoldsAllPendingRequests() {
        for (int depth = 1; depth < 70; depth++) {
            Slots many = new Slots(depth);
            int last = -1;
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < depth; i++) {
                    last = many.takeAlone();
                    many.posted(last, i, i == depth - 1);
                }
                assertThat(many.hasFree()).isFalse();
                many.complete(last, null, protocol);
                assertThat(many.freeCount()).as("depth " + depth).isEqualTo(depth);
            }
        }
    }
}
