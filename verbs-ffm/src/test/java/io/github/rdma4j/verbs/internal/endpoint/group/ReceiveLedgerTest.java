// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReceiveLedgerTest {
    /** An adapter that takes buffers in the order of their posts, several queue pairs at a time, and loses some. */
    private static final class Adapter {
        private final ReceiveLedger ledger;
        private final Deque<Integer> queue = new ArrayDeque<>();

        Adapter(int together, int buffers) {
            ledger = new ReceiveLedger(together);
            ledger.add(buffers);
            post();
        }

        void giveBack(int buffer) {
            ledger.free(buffer);
            if (ledger.isPostDue()) {
                post();
            }
        }

        /** It takes all. */
        private void post() {
            for (int i = 0; i < ledger.waiting(); i++) {
                queue.add(ledger.waiting(i));
            }
            ledger.posted(ledger.waiting());
        }
    }

    @Test
    void neverCountsFewerLostThanThereAre() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            int buffers = 1 + random.nextInt(30);
            Adapter adapter = new Adapter(1 + random.nextInt(seed % 2 == 0 ? 1 : 16), buffers);
            ReceiveLedger ledger = adapter.ledger;
            List<Integer> inProgress = new ArrayList<>();
            int lost = 0;
            int suspicions = 0;
            for (int step = 0; step < 2_000; step++) {
                switch (random.nextInt(40)) {
                    case 0 -> {
                        // A queue pair is destroyed: in the middle of a message, or not.
                        if (!inProgress.isEmpty() && random.nextBoolean() && lost < buffers - 1) {
                            inProgress.remove(random.nextInt(inProgress.size()));
                            lost++;
                        }
                        ledger.mayHaveLost();
                        suspicions++;
                    }
                    case 1, 2, 3, 4 -> assertThat(ledger.lost()).isBetween(lost, suspicions);
                    default -> {
                        if (random.nextBoolean() && !adapter.queue.isEmpty() && inProgress.size() < 4) {
                            inProgress.add(adapter.queue.remove());
                        } else if (!inProgress.isEmpty()) {
                            int buffer = inProgress.remove(random.nextInt(inProgress.size()));
                            ledger.used(buffer);
                            adapter.giveBack(buffer);
                        }
                    }
                }
            }
            // When all have been used again and again, it knows exactly.
            for (int round = 0; round < 3; round++) {
                adapter.post();
                inProgress.addAll(adapter.queue);
                adapter.queue.clear();
                for (int buffer : inProgress) {
                    ledger.used(buffer);
                    adapter.giveBack(buffer);
                }
                inProgress.clear();
                ledger.lost();
            }
            assertThat(ledger.lost()).isEqualTo(lost);
        }
    }

    /**
     * Some endpoints hold all that their peers can send, for ever, and the others as many as they like for a while: the
     * adapter has a buffer for each message that a peer may still send, though some wait to be given to it.
     */
    @Test
    void endpointAtItsLimitKeepsNoBufferFromOthers() {
        int quota = 7;
        for (int together = 1; together <= 16; together++) {
            Random random = new Random(together);
            int endpoints = 1 + random.nextInt(6);
            int holders = random.nextInt(endpoints);
            Adapter adapter = new Adapter(together, endpoints * quota + together - 1);
            List<Deque<Integer>> held = new ArrayList<>();
            int mostWaiting = 0;
            for (int i = 0; i < endpoints; i++) {
                held.add(new ArrayDeque<>());
            }
            for (int step = 0; step < 5_000; step++) {
                int endpoint = random.nextInt(endpoints);
                Deque<Integer> its = held.get(endpoint);
                if (its.size() < quota && random.nextBoolean()) {
                    int buffer = adapter.queue.remove();
                    adapter.ledger.used(buffer);
                    its.add(buffer);
                } else if (endpoint >= holders && !its.isEmpty()) {
                    adapter.giveBack(its.remove());
                }
                int mayCome =
                        endpoints * quota - held.stream().mapToInt(Deque::size).sum();
                assertThat(adapter.queue).hasSizeGreaterThanOrEqualTo(mayCome);
                mostWaiting = Math.max(mostWaiting, adapter.ledger.waiting());
            }
            assertThat(mostWaiting).isEqualTo(together - 1);
            assertThat(adapter.ledger.lost()).isZero();
        }
    }

    @Test
    void refusedReceiveWaitsForTheNextCallAndCountsAsLost() {
        ReceiveLedger ledger = new ReceiveLedger(4);
        ledger.add(6);
        ledger.posted(2);
        assertThat(ledger.waiting()).isEqualTo(4);
        assertThat(ledger.waiting(0)).isEqualTo(2);
        assertThat(ledger.lost()).isEqualTo(4);
        assertThat(ledger.isPostDue()).isTrue();
        ledger.posted(3);
        assertThat(ledger.waiting(0)).isEqualTo(5);
        assertThat(ledger.lost()).isEqualTo(1);
        // It is tried again with the next one, however few wait.
        assertThat(ledger.isPostDue()).isTrue();
        ledger.used(0);
        ledger.free(0);
        ledger.posted(2);
        assertThat(ledger.lost()).isZero();
        assertThat(ledger.isPostDue()).isFalse();
        ledger.used(1);
        ledger.free(1);
        assertThat(ledger.isPostDue()).isFalse();
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void refusesWhatCannotBe() {
        ReceiveLedger ledger = new ReceiveLedger(16);
        ledger.add(2);
        ledger.add(3);
        assertThat(ledger.count()).isEqualTo(5);
        assertThatThrownBy(() -> ledger.free(4)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> ledger.used(4)).isInstanceOf(AssertionError.class);
        ledger.posted(5);
        assertThatThrownBy(() -> ledger.free(4)).isInstanceOf(AssertionError.class);
        ledger.used(4);
        assertThatThrownBy(() -> ledger.used(4)).isInstanceOf(AssertionError.class);
        ledger.free(4);
        assertThatThrownBy(() -> ledger.used(4)).isInstanceOf(AssertionError.class);
    }

    private static ReceiveLedger posted(int buffers) {
        ReceiveLedger ledger = new ReceiveLedger(1);
        ledger.add(buffers);
        ledger.posted(buffers);
        return ledger;
    }

    private static void goRound(ReceiveLedger ledger, int... buffers) {
        for (int buffer : buffers) {
            ledger.used(buffer);
            ledger.free(buffer);
            ledger.posted(1);
        }
    }

    /** A queue with spare buffers for what is not lost would grow with each connection that ends. */
    @Test
    void suspicionIsForgottenAsSoonAsALaterPostWasUsed() {
        ReceiveLedger ledger = posted(3);
        ledger.mayHaveLost();
        assertThat(ledger.lost()).isEqualTo(1);
        goRound(ledger, 0, 1, 2);
        assertThat(ledger.lost()).as("it may have been one of those").isEqualTo(1);
        goRound(ledger, 0);
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void bufferHeldByAnEndpointIsNotLost() {
        ReceiveLedger ledger = posted(3);
        ledger.mayHaveLost();
        assertThat(ledger.lost()).isEqualTo(1);
        goRound(ledger, 0);
        ledger.used(1);
        ledger.used(2);
        ledger.used(0);
        assertThat(ledger.lost()).isZero();
    }

    @Test
    void secondSuspicionIsSettledAfterTheFirst() {
        ReceiveLedger ledger = posted(3);
        ledger.mayHaveLost();
        assertThat(ledger.lost()).isEqualTo(1);
        ledger.mayHaveLost();
        assertThat(ledger.lost()).isEqualTo(2);
        goRound(ledger, 0, 1, 2, 0);
        assertThat(ledger.lost()).isEqualTo(1);
        goRound(ledger, 1, 2, 0);
        assertThat(ledger.lost()).isEqualTo(1);
        goRound(ledger, 1);
        assertThat(ledger.lost()).isZero();
    }
}
