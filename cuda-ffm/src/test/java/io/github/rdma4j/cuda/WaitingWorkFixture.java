// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/** A stream that waits until the test raises a flag, at the latest when the test has ended. */
@ExtendWith(StandInDriver.class)
abstract class WaitingWorkFixture {
    /** The kinds of resources that are closed only when the work of their context is done. */
    enum Kind {
        ALLOCATED(test -> test.context.allocate(4096)),
        VIRTUAL(test -> test.context.allocateGpuDirect(4096)),
        MANAGED(test -> test.context.allocateManaged(4096)),
        POOL(test -> test.writer.allocate(4096)),
        HOST(test -> test.context.allocateHost(4096)),
        MODULE(test -> test.context.loadModule(Kernels.ptx()));

        private final Function<WaitingWorkFixture, CudaResource> creation;

        Kind(Function<WaitingWorkFixture, CudaResource> creation) {
            this.creation = creation;
        }

        CudaResource create(WaitingWorkFixture test) {
            return creation.apply(test);
        }
    }

    CudaContext context;
    HostMemory flag;
    /** It waits for the flag. */
    CudaStream waiting;
    /** It is free to write it. */
    CudaStream writer;

    @BeforeEach
    void open() {
        context = Cuda.device(0).createContext();
        flag = context.allocateHost(64);
        flag.segment().fill((byte) 0);
        waiting = context.createStream();
        writer = context.createStream();
    }

    @AfterEach
    void close() {
        StandInDriver.noFailures();
        context.setCloseTimeout(DeviceFixture.LIMIT);
        if (flag.isOpen()) {
            raise();
        }
        context.close();
        assertThat(StandInDriver.open()).as("what is left open").isEmpty();
    }

    final void waitForFlag() {
        waiting.waitForValue(flag, 0, 1, WaitCondition.EQUAL);
    }

    final void raise() {
        ValueLayout.JAVA_INT.varHandle().setRelease(flag.segment(), 0L, 1);
    }

    /** Does it on a thread of its own, and fails the test if it takes long: the work that waits is ended then. */
    final void within(Runnable action, String what) throws InterruptedException {
        Closing closing = new Closing(action);
        boolean ended = closing.thread.join(DeviceFixture.LIMIT.dividedBy(4));
        if (!ended) {
            StackTraceElement[] stuck = closing.thread.getStackTrace();
            raise();
            closing.thread.join();
            throw new AssertionError(what + " hangs at " + java.util.Arrays.toString(stuck));
        }
        closing.rethrow();
    }

    /** A thread that closes something, and how it ended. */
    static final class Closing {
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        final Thread thread;

        Closing(Runnable action) {
            thread = Thread.ofPlatform().start(() -> {
                try {
                    action.run();
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
        }

        /** Waits until the thread waits inside the close, and looks whether that is no short wait. */
        void awaitWaiting() throws InterruptedException {
            while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            assertThat(thread.join(java.time.Duration.ofMillis(200)))
                    .as("ended while the work waits: %s", failure.get())
                    .isFalse();
        }

        void end() throws InterruptedException {
            assertThat(thread.join(DeviceFixture.LIMIT)).as("ended").isTrue();
            rethrow();
        }

        private void rethrow() {
            if (failure.get() != null) {
                throw new AssertionError(failure.get());
            }
        }
    }
}
