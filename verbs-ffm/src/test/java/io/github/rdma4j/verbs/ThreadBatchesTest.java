// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(600)
class ThreadBatchesTest {
    private final List<Thread> made = new ArrayList<>();
    private final ThreadBatches<ReceiveBatch> batches = new ThreadBatches<>(user -> {
        made.add(user);
        return new ReceiveBatch(null, null, user);
    });
    private final CountDownLatch over = new CountDownLatch(1);
    private final List<Thread> living = new ArrayList<>();

    @AfterEach
    void end() throws InterruptedException {
        over.countDown();
        for (Thread thread : living) {
            thread.join();
        }
    }

    /** The batch of a new thread, which lives to the end of the test. */
    private ReceiveBatch ofALivingThread() {
        CompletableFuture<ReceiveBatch> batch = new CompletableFuture<>();
        living.add(Thread.ofVirtual().start(() -> {
            batch.complete(batches.own());
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        return batch.join();
    }

    @Test
    void eachThreadHasItsOwnAndFindsItAgain() {
        ReceiveBatch mine = batches.own();
        assertThat(mine.user()).isEqualTo(Thread.currentThread());
        ReceiveBatch other = ofALivingThread();
        assertThat(other).isNotSameAs(mine);
        assertThat(other.user()).isEqualTo(living.getFirst());
        assertThat(batches.own()).isSameAs(mine);
        assertThat(made).hasSize(2);
    }

    @Test
    void ofMoreThreadsThanAreKeptTheOldestGetsANewOne() {
        ReceiveBatch mine = batches.own();
        for (int i = 1; i < ThreadBatches.KEPT; i++) {
            ofALivingThread();
        }
        assertThat(batches.own()).isSameAs(mine);
        ofALivingThread();
        assertThat(batches.own()).isNotSameAs(mine);
    }

    @Test
    void threadsThatHaveEndedTakeNobodysPlace() throws InterruptedException {
        ReceiveBatch mine = batches.own();
        for (int i = 0; i < 3 * ThreadBatches.KEPT; i++) {
            Thread.ofPlatform().start(batches::own).join();
        }
        assertThat(batches.own()).isSameAs(mine);
    }
}
