// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.campaign;

/**
 * The result of one run of a scenario.
 *
 * @param scenario its name
 * @param seed what to play it again with
 * @param outcome {@code arrived}, {@code lost}, or {@code failed}
 * @param reported how the failure was reported to this side, without the parts that differ each time; that it moved to
 *     TCP; or nothing
 * @param afterMillis the time from the start of the fault until the last thread of the last survivor failed, or the
 *     last end moved; or -1
 * @param messages that arrived, on both sides
 * @param transfers that were done, on both sides
 * @param left how many objects were left
 * @param complaints what was not as it must be, or nothing
 */
record Run(
        String scenario,
        long seed,
        String outcome,
        String reported,
        long afterMillis,
        long messages,
        long transfers,
        int left,
        String complaints) {
    boolean failed() {
        return outcome.equals("failed");
    }

    String line() {
        return String.join(
                "\t",
                scenario,
                Long.toString(seed),
                outcome,
                reported.replaceAll("\\s+", " "),
                Long.toString(afterMillis),
                Long.toString(messages),
                Long.toString(transfers),
                Integer.toString(left),
                complaints.replaceAll("\\s+", " "));
    }

    static Run ofLine(String line) {
        String[] words = line.split("\t", -1);
        return new Run(
                words[0],
                Long.parseLong(words[1]),
                words[2],
                words[3],
                Long.parseLong(words[4]),
                Long.parseLong(words[5]),
                Long.parseLong(words[6]),
                Integer.parseInt(words[7]),
                words[8]);
    }
}
