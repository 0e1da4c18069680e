// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.gpudirect.check.FindingState;

/**
 * Something that was found out.
 *
 * @param check what was looked at
 * @param subject of what: a device, a port as {@code mlx5_0/1}; empty for the machine
 * @param source where it was read: a file, a folder or a call
 * @param state how it stands
 * @param seen what was seen
 * @param meaning what that means; empty if nothing needs to be said
 * @param remedy the command that mends it; empty if there is nothing to do
 */
public record Finding(
        Check check, String subject, String source, FindingState state, String seen, String meaning, String remedy) {
    /** Refuses a state that the check is not known to have. */
    public Finding {
        if (!check.states().contains(state)) {
            throw new IllegalArgumentException(check + " cannot be " + state);
        }
    }

    static Finding ok(Check check, String subject, String source, String seen) {
        return new Finding(check, subject, source, FindingState.OK, seen, "", "");
    }

    /** Whether there is something to mend. */
    public boolean isTrouble() {
        return state == FindingState.FAIL || state == FindingState.WARNING;
    }

    /** State, check, subject and what was seen in one line. */
    @Override
    public String toString() {
        return state + " " + check.key() + " " + (subject.isEmpty() ? "" : subject + ": ") + seen;
    }
}
