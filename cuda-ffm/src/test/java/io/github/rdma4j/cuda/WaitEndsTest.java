// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Each method that waits for the GPU: an interrupt and a close by another thread end it, and after an interrupt the
 * same object can be waited for once more.
 */
class WaitEndsTest extends WaitingWorkFixture {
    /** A method that waits for the word. */
    enum Wait {
        STREAM {
            @Override
            boolean call(WaitEndsTest test) {
                return test.waiting.await(DeviceFixture.LIMIT);
            }

            @Override
            CudaResource waitedOn(WaitEndsTest test) {
                return test.waiting;
            }
        },
        EVENT {
            @Override
            boolean call(WaitEndsTest test) {
                return test.event.await(DeviceFixture.LIMIT);
            }

            @Override
            CudaResource waitedOn(WaitEndsTest test) {
                return test.event;
            }
        };

        abstract boolean call(WaitEndsTest test);

        abstract CudaResource waitedOn(WaitEndsTest test);
    }

    private CudaEvent event;

    private Closing begin(Wait wait, AtomicBoolean interrupted) throws InterruptedException {
        waitForFlag();
        event = context.createEvent();
        event.record(waiting);
        Closing call = new Closing(() -> {
            try {
                wait.call(this);
            } finally {
                interrupted.set(Thread.interrupted());
            }
        });
        while (call.thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(call.thread.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        return call;
    }

    private static Throwable endOf(Closing call) throws InterruptedException {
        assertThat(call.thread.join(DeviceFixture.LIMIT.dividedBy(4)))
                .as("ends soon")
                .isTrue();
        return call.failure.get();
    }

    @ParameterizedTest
    @EnumSource
    void interruptEndsTheWait(Wait wait) throws InterruptedException {
        AtomicBoolean interrupted = new AtomicBoolean();
        Closing call = begin(wait, interrupted);
        call.thread.interrupt();
        assertThat(endOf(call)).isInstanceOf(CudaWaitInterruptedException.class);
        assertThat(interrupted).as("the interrupt status").isTrue();
        raise();
        assertThat(wait.call(this)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void closeEndsTheWait(Wait wait) throws InterruptedException {
        Closing call = begin(wait, new AtomicBoolean());
        wait.waitedOn(this).close();
        assertThat(endOf(call)).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }
}
