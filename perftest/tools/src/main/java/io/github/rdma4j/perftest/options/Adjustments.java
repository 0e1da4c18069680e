// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.ArrayList;
import java.util.List;

/**
 * The deviations from a command line, where the C tools deviate in the same manner: an option without effect, a number
 * that is reduced. An existing script then runs unchanged, but the user is notified.
 */
final class Adjustments {
    private final List<String> lines = new ArrayList<>();

    /** Remembers a line when the condition is true; returns the condition. */
    boolean when(boolean condition, String line) {
        if (condition) {
            lines.add(line);
        }
        return condition;
    }

    /** All of them, in order. */
    List<String> lines() {
        return List.copyOf(lines);
    }
}
