// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.Set;

/** A thread in a waiting call: a platform thread waits in the kernel, and a virtual thread is parked. */
public final class WaitingThread {
    /** A call that ends by its own limit has thrown nothing, whatever this is; above what a processor stalls for. */
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private static final Set<String> WAITERS = Set.of("ReadinessWaiter", "DescriptorSet");
    private static final Set<String> SLEEPING = Set.of("poll", "park", "waitDirectly");

    private final Thread thread;
    private volatile Throwable thrown;
    private volatile boolean interrupted;

    /** A call that waits. */
    @FunctionalInterface
    public interface Call {
        void run() throws Exception;
    }

    private WaitingThread(boolean virtual, Call call) {
        thread = virtual
                ? Thread.ofVirtual().unstarted(() -> run(call))
                : Thread.ofPlatform().unstarted(() -> run(call));
    }

    private void run(Call call) {
        try {
            call.run();
        } catch (Throwable e) { // it is what the program would see
            thrown = e;
        }
        interrupted = Thread.currentThread().isInterrupted();
    }

    /** {@return the thread, once it sleeps in the call} */
    public static WaitingThread in(boolean virtual, Call call) throws InterruptedException {
        WaitingThread waiting = new WaitingThread(virtual, call);
        waiting.thread.start();
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!waiting.sleeps()) {
            assertThat(waiting.thread.isAlive() && System.nanoTime() < deadline)
                    .as("waits; it threw " + waiting.thrown)
                    .isTrue();
            Thread.sleep(1);
        }
        return waiting;
    }

    private boolean sleeps() {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> SLEEPING.contains(frame.getMethodName())
                        && WAITERS.stream().anyMatch(frame.getClassName()::endsWith));
    }

    /**
     * Interrupts the thread. The call ends with the exception for an interrupt, and the interrupt status stays.
     * {@return the exception}
     */
    public Throwable interrupt() throws InterruptedException {
        thread.interrupt();
        assertThat(end()).isInstanceOf(WaitInterruptedException.class).hasMessageContaining("was interrupted");
        assertThat(interrupted).as("the interrupt status").isTrue();
        return thrown;
    }

    /** Closes the awaited object in another thread. The call ends with the exception for a closed object. */
    public void close(AutoCloseable waitedOn) throws Exception {
        waitedOn.close();
        assertThat(end()).isInstanceOf(IllegalStateException.class).hasMessageContaining("closed");
    }

    /** Waits until the call has ended. {@return what it has thrown; null if it has returned} */
    public Throwable end() throws InterruptedException {
        assertThat(thread.join(LIMIT))
                .as(() -> "ends: " + Arrays.toString(thread.getStackTrace()))
                .isTrue();
        return thrown;
    }
}
