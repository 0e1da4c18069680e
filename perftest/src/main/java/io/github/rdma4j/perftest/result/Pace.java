// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

/**
 * The pace of an open loop.
 *
 * @param asked messages per second that were due
 * @param reached messages per second that were posted; 0 when it cannot be told
 */
public record Pace(double asked, double reached) {
    /** Whoever reaches less than this part falls behind steadily, and not by chance. */
    private static final double KEPT = 0.98;

    /** Whether the messages were posted at the rate they were due, as far as that can be told. */
    public boolean kept() {
        return reached == 0 || reached >= KEPT * asked;
    }

    /** What it means that the pace was not kept, and what to do; empty if it was. */
    public String shortfall() {
        return kept()
                ? ""
                : "the pace was not kept: the longer the run, the longer the latencies. Ask for less: --rate.";
    }
}
