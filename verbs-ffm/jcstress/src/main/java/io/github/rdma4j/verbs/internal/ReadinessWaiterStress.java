// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The guarantees of {@link ReadinessWaiter} to a thread that is about to sleep: what another thread hands over
 * meanwhile wakes it, and so does a close. The descriptor is never ready, so that a wake-up that is lost shows as a
 * wait that lasts its whole time.
 */
public final class ReadinessWaiterStress {
    private static final int NEVER_READY = FileDescriptors.createEventFd();
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int TIMED_OUT = 0;
    private static final int HANDED_OVER = 1;
    private static final int CLOSED = 2;

    private ReadinessWaiterStress() {}

    /** A waiter, and what one thread hands over to the one that waits. */
    private abstract static class Waiting {
        final ReadinessWaiter waiter = new ReadinessWaiter(NEVER_READY);
        volatile boolean handedOver;

        final int await() {
            try {
                Boolean came = waiter.await(
                        () -> "a test",
                        LIMIT,
                        () -> handedOver ? Boolean.TRUE : null,
                        () -> new IllegalStateException("closed"));
                return came == null ? TIMED_OUT : HANDED_OVER;
            } catch (IllegalStateException e) {
                return CLOSED;
            }
        }

        final void handOver() {
            handedOver = true;
            waiter.wakeAll();
        }

        final int awaitOnVirtualThread() {
            return CompletableFuture.supplyAsync(this::await, Thread.ofVirtual()::start)
                    .join();
        }
    }

    /** A thread that polls completions takes the event of another queue. */
    @JCStressTest
    @Description("what is handed over before, between and after the check and the sleep ends the wait")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "it came")
    @Outcome(expect = FORBIDDEN, desc = "slept through it")
    @State
    public static class AHandOverEndsTheWait extends Waiting {
        /** Waits. */
        @Actor
        public void sleeper(I_Result result) {
            result.r1 = await();
        }

        /** Hands over. */
        @Actor
        public void waker() {
            handOver();
        }

        /** Gives the waiter's descriptor back. */
        @Arbiter
        public void end() {
            waiter.close();
        }
    }

    /** A thread that polls completions takes the event of another queue, for a virtual thread, which parks. */
    @JCStressTest
    @Description("what is handed over ends the wait of a virtual thread")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "it came")
    @Outcome(expect = FORBIDDEN, desc = "slept through it")
    @State
    public static class AHandOverEndsTheWaitOfAVirtualThread extends Waiting {
        /** Waits. */
        @Actor
        public void sleeper(I_Result result) {
            result.r1 = awaitOnVirtualThread();
        }

        /** Hands over. */
        @Actor
        public void waker() {
            handOver();
        }

        /** Gives the waiter's descriptor back. */
        @Arbiter
        public void end() {
            waiter.close();
        }
    }

    /** A close while a thread goes to sleep. */
    @JCStressTest
    @Description("a close ends the wait, however far it has come")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "reported as closed")
    @Outcome(expect = FORBIDDEN, desc = "slept on")
    @State
    public static class ACloseEndsTheWait extends Waiting {
        /** Waits. */
        @Actor
        public void sleeper(I_Result result) {
            result.r1 = await();
        }

        /** Closes. */
        @Actor
        public void closer() {
            waiter.close();
        }
    }

    /** A close while a virtual thread goes to sleep. */
    @JCStressTest
    @Description("a close ends the wait of a virtual thread, however far it has come")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "reported as closed")
    @Outcome(expect = FORBIDDEN, desc = "slept on")
    @State
    public static class ACloseEndsTheWaitOfAVirtualThread extends Waiting {
        /** Waits. */
        @Actor
        public void sleeper(I_Result result) {
            result.r1 = awaitOnVirtualThread();
        }

        /** Closes. */
        @Actor
        public void closer() {
            waiter.close();
        }
    }
}
