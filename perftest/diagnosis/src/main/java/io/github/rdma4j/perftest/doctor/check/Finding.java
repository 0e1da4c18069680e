// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

/**
 * A result of a check.
 *
 * @param check the check
 * @param subject the device, or the port as {@code mlx5_0/1}; empty for the machine
 * @param source the file, folder or call that it was read from
 * @param state its severity
 * @param seen the value that was read
 * @param meaning the meaning of the value; empty if it needs no explanation
 * @param remedy the command that fixes it; empty if there is nothing to do
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

    /** Returns whether there is something to fix. */
    public boolean isTrouble() {
        return state == FindingState.FAIL || state == FindingState.WARNING;
    }

    /** Returns state, check, subject and value in one line. */
    @Override
    public String toString() {
        return state + " " + check.key() + " " + (subject.isEmpty() ? "" : subject + ": ") + seen;
    }
}
