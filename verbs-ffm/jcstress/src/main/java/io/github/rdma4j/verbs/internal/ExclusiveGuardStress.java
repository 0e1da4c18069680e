// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The guarantees of {@link ExclusiveGuard}: posts of two threads, and a post against a close. The fields are plain:
 * only the guard orders them.
 */
public final class ExclusiveGuardStress {
    private static final int NOT_INSIDE = -1;

    private ExclusiveGuardStress() {}

    /** The guard, and what it guards. */
    private abstract static class Guarded extends OwnerState {
        final ExclusiveGuard guard = new ExclusiveGuard();
        int freed;
        int used;

        @Override
        final void takeTurn() {
            guard.exit(guard.enter());
        }

        final int add() {
            int entry = guard.enter();
            if (entry == ExclusiveGuard.CLOSED) {
                return 0;
            }
            addInside();
            guard.exit(entry);
            return 1;
        }

        final int look() {
            int entry = guard.enter();
            if (entry == ExclusiveGuard.CLOSED) {
                return NOT_INSIDE;
            }
            int seen = freed;
            pause();
            seen |= freed;
            guard.exit(entry);
            return seen;
        }

        final int use() {
            int entry = guard.enter();
            if (entry == ExclusiveGuard.CLOSED) {
                return 0;
            }
            used = 1;
            guard.exit(entry);
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

    /** Close against the owner's post. */
    @JCStressTest
    @Description("the owner sees nothing freed while it is inside")
    @Outcome(
            id = {"0", "-1"},
            expect = ACCEPTABLE,
            desc = "it was inside before the close, or not at all")
    @Outcome(expect = FORBIDDEN, desc = "freed under the owner")
    @State
    public static class NothingIsFreedUnderTheOwner extends Guarded {
        /** The owner. */
        @Actor
        public void user(I_Result result) {
            becomeOwner();
            result.r1 = Math.max(look(), look());
        }

        /** Frees. */
        @Actor
        public void closer() {
            awaitOwner();
            guard.close();
            freed = 1;
        }
    }

    /** Close against a post of a thread that is not the owner. */
    @JCStressTest
    @Description("a thread that takes its turn sees nothing freed while it is inside")
    @Outcome(
            id = {"0", "-1"},
            expect = ACCEPTABLE,
            desc = "it was inside before the close, or not at all")
    @Outcome(expect = FORBIDDEN, desc = "freed under the user")
    @State
    public static class NothingIsFreedUnderAnother extends Guarded {
        /** Takes its turn. */
        @Actor
        public void user(I_Result result) {
            result.r1 = look();
        }

        /** Frees. */
        @Actor
        public void closer() {
            guard.close();
            freed = 1;
        }
    }

    /** The order between the owner's post and the return of close. */
    @JCStressTest
    @Description("what the owner did inside happens before the return of close")
    @Outcome(
            id = {"1, 1", "0, 0"},
            expect = ACCEPTABLE,
            desc = "used and seen, or not used")
    @Outcome(expect = FORBIDDEN, desc = "the closer did not wait, or does not see the use")
    @State
    public static class AnOwnersUseHappensBeforeTheClose extends Guarded {
        /** The owner. */
        @Actor
        public void user(II_Result result) {
            becomeOwner();
            result.r1 = use();
        }

        /** Looks at what the user has done. */
        @Actor
        public void closer(II_Result result) {
            awaitOwner();
            guard.close();
            result.r2 = used;
        }
    }

    /** Waiting without closing, as the close of an address handle does. */
    @JCStressTest
    @Description("after awaitNobodyInside the owner's entries see what the caller stored before")
    @Outcome(
            id = {"0", "-1"},
            expect = ACCEPTABLE,
            desc = "used before it was freed, or seen to be closed")
    @Outcome(expect = FORBIDDEN, desc = "used when it was freed")
    @State
    public static class WaitingOrdersWhatWasStoredBefore extends Guarded {
        private boolean closed;

        /** The owner. */
        @Actor
        public void user(I_Result result) {
            becomeOwner();
            result.r1 = Math.max(lookUnlessClosed(), lookUnlessClosed());
        }

        private int lookUnlessClosed() {
            int entry = guard.enter();
            if (entry == ExclusiveGuard.CLOSED) {
                return NOT_INSIDE;
            }
            int seen = 0;
            if (!closed) {
                for (int i = 0; i < PAUSES; i++) {
                    seen |= freed;
                    Thread.onSpinWait();
                }
            }
            guard.exit(entry);
            return seen;
        }

        /** Frees what is used inside. */
        @Actor
        public void closer() {
            awaitOwner();
            closed = true;
            ExclusiveGuard.awaitNobodyInside(List.of(guard));
            freed = 1;
        }
    }
}
