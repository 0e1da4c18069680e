// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.endpoints;

import io.github.rdma4j.perftest.echo.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Warms up both transports until they get no faster. A JVM on an emulated machine interprets code for many seconds that
 * is compiled at once elsewhere.
 */
final class WarmUp {
    /** The duration of one part for each transport. */
    static final Duration PART = Duration.ofSeconds(1);

    private static final int LEAST_PARTS = 3;
    private static final int MOST_PARTS = 20;

    /** A JVM with only the second compiler interprets a method until it was called this often. */
    private static final double LEAST_MESSAGES = 10_000;

    /** The number of consecutive parts without a gain that end the warm-up. */
    private static final int WITHOUT_GAIN = 2;

    private static final double GAIN = 1.1;

    private final List<Map<Transport, Double>> parts = new ArrayList<>();

    /** Adds the rates of a part. */
    void add(Map<Transport, Double> perSecond) {
        parts.add(perSecond);
    }

    /** Returns the rates of the last part. */
    Map<Transport, Double> last() {
        return parts.getLast();
    }

    boolean isEnough() {
        if (parts.size() < LEAST_PARTS || parts.size() >= MOST_PARTS) {
            return parts.size() >= MOST_PARTS;
        }
        int before = parts.size() - WITHOUT_GAIN;
        return parts.getLast().keySet().stream()
                .allMatch(transport -> messages(transport) >= LEAST_MESSAGES
                        && best(parts.subList(before, parts.size()), transport)
                                <= GAIN * best(parts.subList(0, before), transport));
    }

    private double messages(Transport transport) {
        return parts.stream().mapToDouble(part -> part.get(transport)).sum() * PART.toSeconds();
    }

    private static double best(List<Map<Transport, Double>> some, Transport transport) {
        return some.stream().mapToDouble(part -> part.get(transport)).max().orElseThrow();
    }
}
