// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.gpudirect.check;

/**
 * Something that was found out.
 *
 * @param id what was checked
 * @param subject of what
 * @param state how it stands
 * @param seen what was seen, with where
 * @param meaning what that means for transfers; empty if nothing needs to be said
 * @param remedy what to do; empty if there is nothing to do
 */
public record Finding(CheckId id, Subject subject, FindingState state, String seen, String meaning, String remedy) {
    /** Refuses a state that the check is not known to have. */
    public Finding {
        if (!id.states().contains(state)) {
            throw new IllegalArgumentException(id + " cannot be " + state);
        }
    }

    static Finding ok(CheckId id, Subject subject, String seen) {
        return new Finding(id, subject, FindingState.OK, seen, "", "");
    }

    /** {@return state, subject, check and what was seen in one line} */
    @Override
    public String toString() {
        return state + " " + subject + " " + id.key() + ": " + seen;
    }
}
