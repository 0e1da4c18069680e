// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

/**
 * The pace of an open loop.
 *
 * @param asked messages per second that were due
 * @param reached messages per second that were posted; 0 if unknown
 */
public record Pace(double asked, double reached) {
    /** A sender below this share is steadily too slow, not by chance. */
    private static final double REACHED = 0.98;

    /** Returns whether the messages were posted at the rate at which they were due; true if it is unknown. */
    public boolean kept() {
        return reached == 0 || reached >= REACHED * asked;
    }

    /** Explains that the rate was not reached, and what to do; empty if it was reached. */
    public String shortfall() {
        return kept()
                ? ""
                : "the pace was not kept: the longer the run, the longer the latencies. Ask for less: --rate.";
    }
}
