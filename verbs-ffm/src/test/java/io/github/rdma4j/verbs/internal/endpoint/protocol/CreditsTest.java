// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the accounting of credits alone: no side is overrun, the reserve suffices, and no side waits forever. */
class CreditsTest {

    @Test
    void sideMaySendAsManyAsThePeerHasBuffers() {
        Credits credits = new Credits(8, 2);
        credits.spend();
        credits.spend();
        assertThat(credits.available()).isZero();
        assertThatThrownBy(credits::spend).isInstanceOf(AssertionError.class);
    }

    @Test
    void creditsAreGrantedOnce() {
        Credits credits = new Credits(4, 4);
        credits.release();
        assertThat(credits.grant()).isEqualTo(1);
        assertThat(credits.grant()).isZero();
    }

    @Test
    void updateIsDueWhenHalfOfTheCreditsAreOwed() {
        Credits credits = new Credits(5, 5);
        credits.release();
        credits.release();
        assertThat(credits.updateDue()).isFalse();
        credits.release();
        assertThat(credits.updateDue()).isTrue();
        assertThat(credits.grant()).isEqualTo(3);
        assertThat(credits.updateDue()).isFalse();
    }

    @Test
    void answeringSideGrantsAQuarterOfTheBuffers() {
        Credits credits = new Credits(32, 32);
        int grants = 0;
        for (int i = 0; i < 80; i++) {
            assertThat(credits.arrive()).isTrue();
            credits.release();
            if (credits.isGrantDue()) {
                assertThat(credits.grant()).isEqualTo(8);
                grants++;
            }
        }
        assertThat(grants).isEqualTo(10);
    }

    @Test
    void sideWithOneFreeBufferGrantsItWithEachAnswer() {
        Credits credits = new Credits(32, 32);
        for (int i = 0; i < 31; i++) {
            assertThat(credits.arrive()).isTrue();
        }
        for (int i = 0; i < 40; i++) {
            assertThat(credits.arrive()).isTrue();
            credits.release();
            assertThat(credits.isGrantDue()).isTrue();
            assertThat(credits.grant()).isEqualTo(1);
        }
    }

    @Test
    void peerThatHasHalfOfItsCreditsLeftNeedsNoneYet() {
        Credits credits = new Credits(8, 8);
        for (int i = 0; i < 4; i++) {
            assertThat(credits.arrive()).isTrue();
        }
        credits.release();
        assertThat(credits.isGrantDue()).isFalse();
        assertThat(credits.arrive()).isTrue();
        assertThat(credits.isGrantDue()).isTrue();
    }

    @Test
    void nothingIsGrantedWhereNothingIsOwed() {
        Credits credits = new Credits(1, 1);
        assertThat(credits.arrive()).isTrue();
        assertThat(credits.isGrantDue()).isFalse();
    }

    @Test
    void peerThatGrantsMoreThanItHasIsFoundOut() {
        Credits credits = new Credits(1, 3);
        credits.spend();
        assertThat(credits.receive(1)).isTrue();
        assertThat(credits.receive(1)).isFalse();
    }

    @Test
    void bufferCannotBeReleasedTwice() {
        Credits credits = new Credits(1, 1);
        credits.release();
        assertThatThrownBy(credits::release).isInstanceOf(AssertionError.class);
    }

    /**
     * Two sides that do anything in any order: buffers are never exceeded, and once both read all, both can send again.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void neitherSideIsOverrunAndNobodyWaitsForEver(int buffers) {
        Random random = new Random(buffers);
        Side left = new Side(new Credits(buffers, buffers), buffers);
        Side right = new Side(new Credits(buffers, buffers), buffers);
        for (int i = 0; i < 20_000; i++) {
            Side side = random.nextBoolean() ? left : right;
            Side other = side == left ? right : left;
            switch (random.nextInt(3)) {
                case 0 -> side.send(other);
                case 1 -> side.read();
                default -> side.update(other);
            }
        }
        for (int i = 0; i < 4 * buffers + 8; i++) {
            left.read();
            right.read();
            left.update(right);
            right.update(left);
        }
        assertThat(left.credits.available()).isPositive();
        assertThat(right.credits.available()).isPositive();
    }

    /** One side and what lies in its receive queue. */
    private static final class Side {
        private final Credits credits;
        private final int buffers;
        private final Deque<Integer> messages = new ArrayDeque<>();
        private int data;
        private int updates;

        Side(Credits credits, int buffers) {
            this.credits = credits;
            this.buffers = buffers;
        }

        void send(Side to) {
            if (credits.available() > 0) {
                credits.spend();
                to.arrive(Frame.of(Frame.MESSAGE, credits.isGrantDue() ? credits.grant() : 0));
            }
        }

        void update(Side to) {
            if (credits.updateDue()) {
                to.arrive(Frame.of(Frame.CREDIT, credits.grant()));
            }
        }

        private void arrive(int frame) {
            messages.add(frame);
            if (Frame.kind(frame) == Frame.MESSAGE) {
                data++;
            } else {
                updates++;
            }
            assertThat(data).isLessThanOrEqualTo(buffers);
            assertThat(updates).isLessThanOrEqualTo(Credits.RESERVE - 1);
        }

        void read() {
            Integer frame = messages.poll();
            if (frame != null) {
                assertThat(credits.receive(Frame.credits(frame))).isTrue();
                if (Frame.kind(frame) == Frame.MESSAGE) {
                    data--;
                    credits.release();
                } else {
                    updates--;
                }
            }
        }
    }
}
