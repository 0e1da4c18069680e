// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/** The guarantees of {@link BiasedLock}. The fields are plain: only the lock orders them. */
public final class BiasedLockStress {
    private BiasedLockStress() {}

    /** The lock, and what it guards. */
    private abstract static class Guarded extends OwnerState {
        final BiasedLock lock = new BiasedLock();
        boolean set;

        @Override
        final void takeTurn() {
            lock.lock();
            lock.unlock();
        }

        final void add() {
            lock.lock();
            addInside();
            lock.unlock();
        }

        final int tryToAdd() {
            if (!lock.tryLock()) {
                return 0;
            }
            addInside();
            lock.unlock();
            return 1;
        }
    }

    /** Two threads of which none is the owner. */
    @JCStressTest
    @Description("two threads that take turns are never inside together")
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "both at once: one addition is lost")
    @State
    public static class TurnsAreExclusive extends Guarded {
        /** One of them. */
        @Actor
        public void first() {
            add();
        }

        /** The other. */
        @Actor
        public void second() {
            add();
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** The owner, and a thread that takes the ownership away. */
    @JCStressTest
    @Description("the owner and the thread that revokes it are never inside together")
    @Outcome(id = "4", expect = ACCEPTABLE, desc = "one after the other")
    @Outcome(expect = FORBIDDEN, desc = "both at once: an addition is lost")
    @State
    public static class TheOwnerIsAloneToo extends Guarded {
        /** The owner, before, during and after the revocation. */
        @Actor
        public void owner() {
            becomeOwner();
            add();
            add();
            add();
        }

        /** Revokes. */
        @Actor
        public void other() {
            awaitOwner();
            add();
        }

        /** Counts. */
        @Arbiter
        public void count(I_Result result) {
            result.r1 = count;
        }
    }

    /** The owner, and a thread that enters only if nobody is inside. */
    @JCStressTest
    @Description("the owner and a thread that tries are never inside together")
    @Outcome(
            id = {"3, 0", "4, 1"},
            expect = ACCEPTABLE,
            desc = "refused, or one after the other")
    @Outcome(expect = FORBIDDEN, desc = "both at once: an addition is lost")
    @State
    public static class TryingIsExclusive extends Guarded {
        /** The owner, before, during and after the revocation. */
        @Actor
        public void owner() {
            becomeOwner();
            add();
            add();
            add();
        }

        /** Tries. */
        @Actor
        public void other(II_Result result) {
            awaitOwner();
            result.r2 = tryToAdd();
        }

        /** Counts. */
        @Arbiter
        public void count(II_Result result) {
            result.r1 = count;
        }
    }

    /** A thread that waits as the owner, against the signal. */
    @JCStressTest
    @Description("a signal ends the wait of a thread that owned the lock")
    @Outcome(id = "1", expect = ACCEPTABLE, desc = "waited until the signal")
    @Outcome(expect = FORBIDDEN, desc = "the signal was lost")
    @State
    public static class NoSignalIsLost extends Guarded {
        private static final long SECONDS = 20_000_000_000L;

        /** Waits. */
        @Actor
        public void waiting(I_Result result) {
            becomeOwner();
            long start = System.nanoTime();
            lock.lock();
            try {
                while (!set && System.nanoTime() - start < SECONDS) {
                    lock.await(SECONDS);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
            result.r1 = System.nanoTime() - start < SECONDS ? 1 : 0;
        }

        /** Signals. */
        @Actor
        public void signalling() {
            awaitOwner();
            lock.lock();
            set = true;
            lock.signalAll();
            lock.unlock();
        }
    }
}
