// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the work that has begun when no more work can be started. */
class WorkersTest {
    private final Workers workers = new Workers(2);

    @AfterEach
    void close() {
        workers.close();
    }

    /** Else memory and file of the caller, which it then gives back, would be read and written on. */
    @Test
    void closeWaitsForWorkersWhateverIsThrown() {
        AtomicBoolean done = new AtomicBoolean();
        Error first = new OutOfMemoryError("unable to create native thread");
        IllegalStateException second = new IllegalStateException("the other one");
        assertThatThrownBy(() -> workers.share(2, number -> {
                    if (number == 0) {
                        throw first;
                    }
                    LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
                    done.set(true);
                    throw second;
                }))
                .isSameAs(first)
                .hasSuppressedException(second);
        assertThat(done).isTrue();
    }

    @Test
    void ofABatchThatIsBegunInPartAllComesOut() {
        StagedBatch batch = new StagedBatch(workers);
        List<BatchEntry> entries = List.of(new BatchEntry(0), new BatchEntry(1), new BatchEntry(2));
        batch.submit(new AbstractList<>() {
            @Override
            public BatchEntry get(int index) {
                if (index == 1) {
                    workers.close();
                }
                return entries.get(index);
            }

            @Override
            public int size() {
                return entries.size();
            }
        });
        List<Integer> over = new ArrayList<>();
        long start = System.nanoTime();
        while (over.size() < 3
                && System.nanoTime() - start < Duration.ofSeconds(60).toNanos()) {
            batch.await(Duration.ofSeconds(1).toNanos(), (number, bytes, failure) -> {
                // The first has no file, and the others have no thread.
                assertThat(failure)
                        .isInstanceOf(number == 0 ? NullPointerException.class : IllegalStateException.class);
                over.add(number);
            });
        }
        assertThat(over).containsExactlyInAnyOrder(0, 1, 2);
        assertThatThrownBy(() -> batch.submit(entries)).hasMessageContaining("the storage is closed");
    }
}
