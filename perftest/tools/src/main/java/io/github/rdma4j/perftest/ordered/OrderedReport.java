// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import io.github.rdma4j.perftest.result.RunState;
import java.util.List;

/**
 * The complete result.
 *
 * @param gpu a description of the GPU
 * @param device a description of the device
 * @param path the path to its memory
 * @param results the results in the order of the runs
 * @param state how the run ended
 * @param failure the failure that ended it, in words; null when it is complete
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
