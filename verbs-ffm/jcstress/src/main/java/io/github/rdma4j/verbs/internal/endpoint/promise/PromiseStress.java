// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.promise;

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

/**
 * The guarantees of {@link Promise}: an endpoint that has a message for a future, against the program that cancels or
 * completes the future. A message must reach the future or stay for the next one, never both and never neither.
 */
public final class PromiseStress {
    private static final int MESSAGE = 7;
    private static final int NOTHING = -1;

    private PromiseStress() {}

    /** A future that nobody has decided yet; no engine is behind it. */
    private abstract static class Undecided {
        final Promise<Integer> promise = new Promise<>(null);

        /** The endpoint's side. */
        final int give() {
            return promise.decide(MESSAGE, null) ? 1 : 0;
        }

        /** Returns the value that the program reads, or -2 if the promise is not done. */
        final int content() {
            if (!promise.isDone()) {
                return -2;
            }
            return promise.isCancelled() ? NOTHING : promise.getNow(NOTHING);
        }
    }

    /** The message is given or kept. */
    @JCStressTest
    @Description("either the endpoint decides, or the program that cancels")
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "one of the two decided")
    @Outcome(expect = FORBIDDEN, desc = "both or none: the message is lost, or given twice")
    @State
    public static class OneDecides extends Undecided {
        /** Has a message. */
        @Actor
        public void endpoint(II_Result result) {
            result.r1 = give();
        }

        /** Takes the future back. */
        @Actor
        public void program(II_Result result) {
            result.r2 = promise.cancel(false) ? 1 : 0;
        }
    }

    /** The program cancels too late. */
    @JCStressTest
    @Description("a cancel that comes too late finds the message in the future")
    @Outcome(
            id = {"1, -1", "0, 7"},
            expect = ACCEPTABLE,
            desc = "cancelled, or complete with the message")
    @Outcome(expect = FORBIDDEN, desc = "not cancelled, and not complete")
    @State
    public static class ALateCancelFindsTheMessage extends Undecided {
        /** Has a message, and does not hand it over. */
        @Actor
        public void endpoint() {
            give();
        }

        /** Takes the future back. */
        @Actor
        public void program(II_Result result) {
            result.r1 = promise.cancel(false) ? 1 : 0;
            result.r2 = content();
        }
    }

    /** The program completes the promise, as orTimeout and completeOnTimeout do, while the endpoint also does. */
    @JCStressTest
    @Description("what the program completes it with, or the message: the one that was decided is what everybody sees")
    @Outcome(
            id = {"1, 7", "2, 3"},
            expect = ACCEPTABLE,
            desc = "of the endpoint, or of the program")
    @Outcome(expect = FORBIDDEN, desc = "both or none, or not what was decided")
    @State
    public static class WhatIsDecidedIsSeen extends Undecided {
        private int decided;
        private int completed;

        /** Gives its message, and hands it over. */
        @Actor
        public void endpoint() {
            decided = give();
            promise.handOver();
        }

        /** Completes the future itself. */
        @Actor
        public void program() {
            completed = promise.complete(3) ? 2 : 0;
        }

        /** Records which side completed the future, and with which content. */
        @Arbiter
        public void look(II_Result result) {
            result.r1 = decided + completed;
            result.r2 = content();
        }
    }

    /** A waiting thread looks without the endpoint's lock. */
    @JCStressTest
    @Description("a thread that sees the decision also sees the message")
    @Outcome(
            id = {"-1", "7"},
            expect = ACCEPTABLE,
            desc = "not decided yet, or decided with its message")
    @Outcome(expect = FORBIDDEN, desc = "decided, and without the message")
    @State
    public static class TheMessageComesWithTheDecision extends Undecided {
        /** Has a message. */
        @Actor
        public void endpoint() {
            give();
        }

        /** Waits. */
        @Actor
        public void program(I_Result result) {
            Integer value = promise.isDecided() ? promise.decidedValue() : Integer.valueOf(NOTHING);
            result.r1 = value == null ? 0 : value;
        }
    }
}
