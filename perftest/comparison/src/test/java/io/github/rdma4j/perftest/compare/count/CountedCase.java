// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.compare.plan.Kind;

/**
 * Instructions of one operation in Java and in C. C's program is the server in both runs, so the difference is between
 * the clients.
 *
 * @param test tool and size
 * @param java the count with the client in Java
 * @param c the count with the client in C
 * @param ending why it was not counted again
 */
public record CountedCase(CompareCase test, InstructionCount java, InstructionCount c, Ending ending) {
    /** The reason why the runs of Java's client ended. */
    enum Ending {
        /** Two consecutive runs had nearly the same count. */
        SETTLED(""),
        /** The count was within the limit. */
        ENOUGH("  within its limit"),
        /** No two consecutive counts agreed. */
        NEVER_SETTLED("  Java not settled");

        private final String remark;

        Ending(String remark) {
            this.remark = remark;
        }

        /** Returns the remark for the table. */
        String remark() {
            return remark;
        }
    }

    CountedCase ended(Ending how) {
        return new CountedCase(test, java, c, how);
    }

    /**
     * Returns whether each side waits for the other one's messages: then waits are left out, and the kernel is not
     * compared.
     */
    boolean pingPong() {
        return test.kind() == Kind.ONE_WAY;
    }

    /** Returns whether the counts contain the tools' code alone. */
    boolean undisturbed() {
        return !pingPong() || java.isOfOneCode() && c.isOfOneCode();
    }

    /**
     * Returns the instructions of Java's client outside the kernel. If both sides send, half of the counted
     * instructions are the C server's.
     */
    double javaUser() {
        return pingPong() ? 2 * java.path() - c.path() : java.user();
    }

    /** Returns the instructions of C's client outside the kernel. */
    double cUser() {
        return pingPong() ? c.path() : c.user();
    }

    /** Returns how many more instructions than C an operation of Java's client takes outside the kernel. */
    double extra() {
        return javaUser() - cUser();
    }

    /**
     * Returns the ratio of all instructions of an operation, Java's to C's. Both include C's number in the kernel,
     * because the client does not affect it.
     */
    double ratio() {
        return (javaUser() + c.kernel()) / (cUser() + c.kernel());
    }
}
