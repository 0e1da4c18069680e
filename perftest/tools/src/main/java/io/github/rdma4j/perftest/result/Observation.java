// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The state of the machine while one size ran.
 *
 * @param cpuUtilisation busy time of all CPUs in per cent, in the measured part of a timed run; NaN when not requested
 *     or unknown
 * @param counters the changes of the device's counters, in the requested order; empty when none were requested
 */
public record Observation(double cpuUtilisation, Map<String, Long> counters) {
    /** Copies the counters. */
    public Observation {
        counters = Collections.unmodifiableMap(new LinkedHashMap<>(counters));
    }
}
