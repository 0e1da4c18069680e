// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class MessageFlusherTest {
    /** An output that is busy for some ticks, and has a message waiting. */
    private static final class Output implements MessageFlusher.Source {
        final CountDownLatch flushed = new CountDownLatch(1);
        private final CountDownLatch failures;

        Output(int failures) {
            this.failures = new CountDownLatch(failures);
        }

        @Override
        public boolean isBusy() {
            if (failures.getCount() > 0) {
                failures.countDown();
                throw new OutOfMemoryError("of this test");
            }
            return false;
        }

        @Override
        public long waitingSince() {
            return 1;
        }

        @Override
        public boolean flush(boolean last) {
            flushed.countDown();
            return last;
        }

        void awaitFlush() throws InterruptedException {
            assertThat(flushed.await(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void outputThatFailsKeepsNoOtherFromBeingFlushed() throws InterruptedException {
        Output failing = new Output(3);
        MessageFlusher.watch(failing);
        assertThat(failing.failures.await(60, TimeUnit.SECONDS)).isTrue();
        Output next = new Output(0);
        MessageFlusher.watch(next);
        next.awaitFlush();
        failing.awaitFlush();
    }
}
