// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.machine;

/**
 * Whether something is offered.
 */
public enum Support {
    /** It is offered. */
    YES,
    /** It is not offered. */
    NO,
    /** It could not be queried, or the query was not understood, for example by an older driver. */
    UNKNOWN;

    /**
     * Converts an answer.
     *
     * @param offered the answer
     * @return yes or no
     */
    public static Support of(boolean offered) {
        return offered ? YES : NO;
    }
}
