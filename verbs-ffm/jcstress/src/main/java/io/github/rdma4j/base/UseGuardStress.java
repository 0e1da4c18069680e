// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

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
 * The guarantees of {@link UseGuard}, each with a user and a closer. The fields are plain: only the guard orders them.
 * A user that is meant to be the owner enters and exits once before, so that the entry under test enters without an
 * atomic operation.
 */
public final class UseGuardStress {
    private static final int NOT_INSIDE = -1;
    /** Long enough for the closer to come in between. */
    private static final int READS = 8;

    private UseGuardStress() {}

    /** The guard, and what it guards: 1 when it is freed. */
    private abstract static class Guarded {
        final UseGuard guard = new UseGuard();
        int freed;
        int used;

        final void touch() {
            if (guard.enter()) {
                guard.exit();
            }
        }

        /** Returns the state that a user sees who reads the object for a while. */
        final int look() {
            if (!guard.enter()) {
                return NOT_INSIDE;
            }
            int seen = 0;
            for (int i = 0; i < READS; i++) {
                seen |= freed;
                Thread.onSpinWait();
            }
            guard.exit();
            return seen;
        }

        /** Uses the object, and returns whether it could. */
        final int use() {
            if (!guard.enter()) {
                return 0;
            }
            used = 1;
            guard.exit();
            return 1;
        }
    }

    /** The first guarantee, for the owner. */
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
            touch();
            result.r1 = look();
        }

        /** Frees. */
        @Actor
        public void closer() {
            guard.close();
            freed = 1;
        }
    }

    /** The first guarantee, for a thread that is not the owner. */
    @JCStressTest
    @Description("a thread that is counted sees nothing freed while it is inside")
    @Outcome(
            id = {"0", "-1"},
            expect = ACCEPTABLE,
            desc = "it was inside before the close, or not at all")
    @Outcome(expect = FORBIDDEN, desc = "freed under the user")
    @State
    public static class NothingIsFreedUnderAnother extends Guarded {
        /** Mostly not the owner. */
        @Actor
        public void user(I_Result result) {
            result.r1 = look();
        }

        /** Is the owner if it comes first. */
        @Actor
        public void closer() {
            touch();
            guard.close();
            freed = 1;
        }
    }

    /** The order between a use and the return of close. */
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
            touch();
            result.r1 = use();
        }

        /** Looks at what the user has done. */
        @Actor
        public void closer(II_Result result) {
            guard.close();
            result.r2 = used;
        }
    }

    /** The order between a use by a thread that is not the owner and the return of close. */
    @JCStressTest
    @Description("what another thread did inside happens before the return of close")
    @Outcome(
            id = {"1, 1", "0, 0"},
            expect = ACCEPTABLE,
            desc = "used and seen, or not used")
    @Outcome(expect = FORBIDDEN, desc = "the closer did not wait, or does not see the use")
    @State
    public static class AnothersUseHappensBeforeTheClose extends Guarded {
        /** Mostly not the owner. */
        @Actor
        public void user(II_Result result) {
            result.r1 = use();
        }

        /** Is the owner if it comes first. */
        @Actor
        public void closer(II_Result result) {
            touch();
            guard.close();
            result.r2 = used;
        }
    }

    /** Entries nest. */
    @JCStressTest
    @Description("the first exit of two does not let the closer continue")
    @Outcome(
            id = {"1, 1", "0, 0"},
            expect = ACCEPTABLE,
            desc = "used and seen, or not used")
    @Outcome(expect = FORBIDDEN, desc = "closed between the exits")
    @State
    public static class TheLastExitCounts extends Guarded {
        /** Uses the object between its two exits. */
        @Actor
        public void user(II_Result result) {
            touch();
            if (!guard.enter()) {
                return;
            }
            if (guard.enter()) {
                guard.exit();
            }
            used = 1;
            guard.exit();
            result.r1 = 1;
        }

        /** Looks at what the user has done. */
        @Actor
        public void closer(II_Result result) {
            guard.close();
            result.r2 = used;
        }
    }

    /** Waiting without closing. */
    @JCStressTest
    @Description("after awaitNobodyInside each entry sees what the caller stored before")
    @Outcome(
            id = {"0", "-1"},
            expect = ACCEPTABLE,
            desc = "used before it was freed, or seen to be closed")
    @Outcome(expect = FORBIDDEN, desc = "used when it was freed")
    @State
    public static class WaitingOrdersWhatWasStoredBefore extends Guarded {
        private boolean closed;

        /** Enters twice, as a post does that is followed by another. */
        @Actor
        public void user(I_Result result) {
            result.r1 = lookUnlessClosed() == 1 || lookUnlessClosed() == 1 ? 1 : 0;
        }

        private int lookUnlessClosed() {
            if (!guard.enter()) {
                return NOT_INSIDE;
            }
            int seen = 0;
            if (!closed) {
                for (int i = 0; i < READS; i++) {
                    seen |= freed;
                    Thread.onSpinWait();
                }
            }
            guard.exit();
            return seen;
        }

        /** As the close of an address handle does. */
        @Actor
        public void closer() {
            closed = true;
            UseGuard.awaitNobodyInside(List.of(guard));
            freed = 1;
        }
    }

    /** A close that was refused. */
    @JCStressTest
    @Description("nobody sees the object between close and reopen")
    @Outcome(
            id = {"0", "-1"},
            expect = ACCEPTABLE,
            desc = "before or after, or not inside")
    @Outcome(expect = FORBIDDEN, desc = "inside while it was closed")
    @State
    public static class NobodyIsInsideBeforeTheReopening extends Guarded {
        /** The owner. */
        @Actor
        public void user(I_Result result) {
            touch();
            int first = look();
            result.r1 = Math.max(first, look());
        }

        /** Frees, and makes it again. */
        @Actor
        public void closer() {
            guard.close();
            freed = 1;
            // Or the compiler would keep the last store only.
            Thread.onSpinWait();
            freed = 0;
            guard.reopen();
        }
    }

    /** Two threads that both want to be the owner. */
    @JCStressTest
    @Description("of two first entries one is the owner's, and both are left again")
    @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both were inside, and the close after them returns")
    @Outcome(expect = FORBIDDEN, desc = "an entry into an open guard was refused")
    @State
    public static class FirstEntriesRace extends Guarded {
        /** One of them. */
        @Actor
        public void first(II_Result result) {
            result.r1 = use();
        }

        /** The other. */
        @Actor
        public void second(II_Result result) {
            result.r2 = use();
        }

        /** Does not end if somebody counts as inside. */
        @Arbiter
        public void closer() {
            guard.close();
        }
    }
}
