// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import io.github.rdma4j.perftest.result.RunState;
import java.util.List;

/**
 * What was found.
 *
 * @param gpu in words
 * @param device in words
 * @param path how its memory is reached
 * @param results the ways in the order in which they were played
 * @param state how it ended
 * @param failure what ended it, in words; null when it came to its end
 */
record OrderedReport(
        String gpu, String device, String path, List<OrderedResult> results, RunState state, String failure) {
    /** This report of these results. */
    OrderedReport with(List<OrderedResult> played) {
        return new OrderedReport(gpu, device, path, List.copyOf(played), state, failure);
    }

    /** This report, broken off. */
    OrderedReport ended(RunState how, String why) {
        return new OrderedReport(gpu, device, path, results, how, why);
    }
}
