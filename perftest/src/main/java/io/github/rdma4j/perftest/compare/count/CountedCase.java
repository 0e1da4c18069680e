// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.plan.Kind;
import io.github.rdma4j.perftest.compare.plan.TestCase;

/**
 * Instructions of one operation in Java beside C. Both times C's program is the server, so the difference is the
 * client's.
 *
 * @param test tool and size
 * @param java client in Java
 * @param c client in C
 * @param ending why it was not counted again
 */
public record CountedCase(TestCase test, InstructionCount java, InstructionCount c, Ending ending) {
    /** Why the runs of Java's client ended. */
    enum Ending {
        /** Two that followed each other had the same count, nearly. */
        SETTLED(""),
        /** The count was low enough for whoever asked. */
        ENOUGH("  within its limit"),
        /** No two that followed each other agreed. */
        NEVER_SETTLED("  Java not settled");

        private final String remark;

        Ending(String remark) {
            this.remark = remark;
        }

        /** What the table says of it. */
        String remark() {
            return remark;
        }
    }

    CountedCase ended(Ending how) {
        return new CountedCase(test, java, c, how);
    }

    /**
     * Whether each side waits for the other one's messages: then waits are left out, and the kernel is not compared.
     */
    boolean pingPong() {
        return test.kind() == Kind.ONE_WAY;
    }

    /** Whether what was counted is that of the tools' code alone. */
    boolean undisturbed() {
        return !pingPong() || java.isOfOneCode() && c.isOfOneCode();
    }

    /**
     * Instructions of Java's client outside the kernel. Where both sides send, half of what was counted is the C
     * server's.
     */
    double javaUser() {
        return pingPong() ? 2 * java.path() - c.path() : java.user();
    }

    /** Instructions of C's client outside the kernel. */
    double cUser() {
        return pingPong() ? c.path() : c.user();
    }

    /** How many more instructions an operation of Java's client takes outside the kernel. */
    double extra() {
        return javaUser() - cUser();
    }

    /**
     * All instructions of an operation, Java's over C's. The kernel's are C's for both: they are not the client's
     * doing.
     */
    double ratio() {
        return (javaUser() + c.kernel()) / (cUser() + c.kernel());
    }
}
