// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.endpoint;

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
    @Test
    void neverCountsFewerLostThanThereAre() {
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            ReceiveLedger ledger = new ReceiveLedger();
            Deque<Integer> queue = new ArrayDeque<>();
            int buffers = 1 + random.nextInt(30);
            ledger.add(buffers);
            for (int i = 0; i < buffers; i++) {
                ledger.post(i);
                queue.add(i);
            }
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
                        if (random.nextBoolean() && !queue.isEmpty() && inProgress.size() < 4) {
                            inProgress.add(queue.remove());
                        } else if (!inProgress.isEmpty()) {
                            int buffer = inProgress.remove(random.nextInt(inProgress.size()));
                            ledger.used(buffer);
                            ledger.post(buffer);
                            queue.add(buffer);
                        }
                    }
                }
            }
            // When all have been used again and again, it knows exactly.
            for (int round = 0; round < 3; round++) {
                inProgress.addAll(queue);
                queue.clear();
                for (int buffer : inProgress) {
                    ledger.used(buffer);
                    ledger.post(buffer);
                    queue.add(buffer);
                }
                inProgress.clear();
                ledger.lost();
            }
            assertThat(ledger.lost()).isEqualTo(lost);
        }
    }

    @Test
    void refusesWhatCannotBe() {
        ReceiveLedger ledger = new ReceiveLedger();
        assertThat(ledger.add(2)).isZero();
        assertThat(ledger.add(3)).isEqualTo(2);
        assertThat(ledger.count()).isEqualTo(5);
        ledger.post(4);
        assertThatThrownBy(() -> ledger.post(4)).isInstanceOf(AssertionError.class);
        ledger.used(4);
        assertThatThrownBy(() -> ledger.used(4)).isInstanceOf(AssertionError.class);
        ledger.post(4);
        ledger.refused(4);
        ledger.lose();
        assertThat(ledger.lost()).isEqualTo(1);
    }
}
