// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.gds;

import io.github.rdma4j.perftest.environment.Environment;
import io.github.rdma4j.perftest.result.RunState;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * The complete result.
 *
 * @param started the start time
 * @param seconds the duration
 * @param environment the environment
 * @param file the file that was read
 * @param fileSize its size in bytes
 * @param fileSystem such as {@code ext4}
 * @param gpu a description of the GPU
 * @param decisions for each measured path the decision and its reasons, or why it was left out
 * @param results in the order of measuring
 * @param state how the run ended
 * @param failure the failure that ended it, in words; null when it is complete
 */
record GdsReport(
        Instant started,
        double seconds,
        Environment environment,
        String file,
        long fileSize,
        String fileSystem,
        String gpu,
        Map<GdsMethod, String> decisions,
        List<GdsResult> results,
        RunState state,
        String failure) {
    /** This report, broken off. */
    GdsReport ended(RunState how, String why) {
        return new GdsReport(
                started, seconds, environment, file, fileSize, fileSystem, gpu, decisions, results, how, why);
    }
}
