// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.endpoint.group;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Description;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What other threads put down for an endpoint of a group, against the endpoint that takes it in. */
public final class MemberStress {
    private MemberStress() {}

    /** The end of the connection is reported once. */
    @JCStressTest
    @Description("the end of the connection reaches the endpoint, which looks at the same time")
    @Outcome(
            id = {"1, 0", "0, 1"},
            expect = ACCEPTABLE,
            desc = "reported at once, or by the next poll")
    @Outcome(expect = FORBIDDEN, desc = "never reported, or twice")
    @State
    public static class EndIsNotifiedOnce {
        private final Member member = new Member(null, 0, 1, 1, 1);

        /** Hears of it from the connection manager. */
        @Actor
        public void manager() {
            member.lost("gone");
        }

        /** Has been woken by something else. */
        @Actor
        public void endpoint(II_Result result) {
            result.r1 = member.takeLinkReport() ? 1 : 0;
        }

        /** The next look. */
        @Arbiter
        public void later(II_Result result) {
            result.r2 = member.takeLinkReport() ? 1 : 0;
        }
    }
}
