// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/**
 * Whether something is offered.
 */
public enum Support {
    /** It is. */
    YES,
    /** It is not. */
    NO,
    /** The question could not be asked or was not understood, as by an older driver. */
    UNKNOWN;

    /**
     * The answer to a question that was understood.
     *
     * @param offered the answer
     * @return yes or no
     */
    public static Support of(boolean offered) {
        return offered ? YES : NO;
    }
}
