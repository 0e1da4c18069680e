// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.verbs.WorkCompletionStatus;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ArrivalsTest {
    @Test
    void givesBackWhatWasAddedInItsOrder() {
        Arrivals arrivals = new Arrivals(3);
        Arrivals.Failure failure = new Arrivals.Failure(WorkCompletionStatus.WR_FLUSH_ERR, 7, "flushed");
        for (int round = 0; round < 10; round++) {
            assertThat(arrivals.isEmpty()).isTrue();
            assertThat(arrivals.add(Arrivals.MESSAGE_WITH_IMMEDIATE, -1L, -2, 0xffff_ffffL, null))
                    .isTrue();
            assertThat(arrivals.add(Arrivals.FAILED, round, 0, 0, failure)).isTrue();
            assertThat(arrivals.isEmpty()).isFalse();
            assertThat(Arrivals.kind(arrivals.oldest())).isEqualTo(Arrivals.MESSAGE_WITH_IMMEDIATE);
            assertThat(Arrivals.id(arrivals.oldest())).isEqualTo(-1L);
            assertThat(Arrivals.immediate(arrivals.value())).isEqualTo(-2);
            assertThat(Arrivals.length(arrivals.value())).isEqualTo(0xffff_ffffL);
            assertThat(arrivals.failure()).isNull();
            arrivals.remove(Arrivals.kind(arrivals.oldest()));
            assertThat(Arrivals.kind(arrivals.oldest())).isEqualTo(Arrivals.FAILED);
            assertThat(Arrivals.id(arrivals.oldest())).isEqualTo(round);
            assertThat(arrivals.failure()).isSameAs(failure);
            arrivals.remove(Arrivals.kind(arrivals.oldest()));
        }
    }

    @Test
    void placeThatHadAFailureHasNoneForTheNextOne() {
        Arrivals arrivals = new Arrivals(2);
        Arrivals.Failure failure = new Arrivals.Failure(WorkCompletionStatus.WR_FLUSH_ERR, 7, "flushed");
        for (int i = 0; i < 20; i++) {
            boolean failed = i % 3 == 0;
            arrivals.add(failed ? Arrivals.FAILED : Arrivals.SENT, i, 0, 0, failed ? failure : null);
            assertThat(arrivals.failure()).isSameAs(failed ? failure : null);
            arrivals.remove(Arrivals.kind(arrivals.oldest()));
        }
    }

    @Test
    void refusedArrivalChangesNothing() {
        for (int room = 1; room < 70; room++) {
            Arrivals arrivals = new Arrivals(room);
            int added = 0;
            while (arrivals.add(Arrivals.SENT, added, 0, 0, null)) {
                added++;
            }
            assertThat(added).isBetween(room, 2 * room + 1);
            for (int i = 0; i < added; i++) {
                assertThat(Arrivals.id(arrivals.oldest())).isEqualTo(i);
                arrivals.remove(Arrivals.kind(arrivals.oldest()));
            }
            assertThat(arrivals.isEmpty()).isTrue();
        }
    }

    @Test
    void twoThreadsLoseNothing() throws Exception {
        Arrivals arrivals = new Arrivals(8);
        int number = 200_000;
        CompletableFuture<Void> adding = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < number; i++) {
                while (!arrivals.add((byte) (i & 3), i, i + 1, i + 2L, null)) {
                    Thread.yield();
                }
            }
        });
        for (int i = 0; i < number; i++) {
            while (arrivals.isEmpty()) {
                Thread.yield();
            }
            assertThat(Arrivals.kind(arrivals.oldest())).isEqualTo((byte) (i & 3));
            assertThat(Arrivals.id(arrivals.oldest())).isEqualTo(i);
            assertThat(Arrivals.immediate(arrivals.value())).isEqualTo(i + 1);
            assertThat(Arrivals.length(arrivals.value())).isEqualTo(i + 2L);
            arrivals.remove(Arrivals.kind(arrivals.oldest()));
        }
        adding.get(60, TimeUnit.SECONDS);
        assertThat(arrivals.isEmpty()).isTrue();
    }
}
