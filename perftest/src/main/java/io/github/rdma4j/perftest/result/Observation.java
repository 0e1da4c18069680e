// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What was seen of the machine while one size ran.
 *
 * @param cpuUtilisation busy time of all CPUs in per cent, in the measured part of a timed run; NaN when it was not
 *     asked for or is not known
 * @param counters how the device's counters changed, in the order they were named; empty when none were asked for
 */
public record Observation(double cpuUtilisation, Map<String, Long> counters) {
    /** Copies the counters. */
    public Observation {
        counters = Collections.unmodifiableMap(new LinkedHashMap<>(counters));
    }
}
