// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/**
 * A result of a check.
 *
 * @param id the check
 * @param subject its subject
 * @param state its severity
 * @param seen the value, and its source
 * @param meaning the consequence for transfers; empty if it needs no explanation
 * @param remedy what to do; empty if there is nothing to do
 */
public record Finding(CheckId id, Subject subject, FindingState state, String seen, String meaning, String remedy) {
    /** Refuses a state that the check cannot have. */
    public Finding {
        if (!id.states().contains(state)) {
            throw new IllegalArgumentException(id + " cannot be " + state);
        }
    }

    static Finding ok(CheckId id, Subject subject, String seen) {
        return new Finding(id, subject, FindingState.OK, seen, "", "");
    }

    /** {@return state, subject, check and value in one line} */
    @Override
    public String toString() {
        return state + " " + subject + " " + id.key() + ": " + seen;
    }
}
