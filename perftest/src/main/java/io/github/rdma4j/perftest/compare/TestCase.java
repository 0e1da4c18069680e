// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare;

import io.github.rdma4j.perftest.options.Tool;

/**
 * A row of the comparison.
 *
 * @param tool what is run
 * @param size message size in bytes
 */
record TestCase(Tool tool, long size) {
    /** What is measured. */
    Kind kind() {
        return Kind.of(tool);
    }

    @Override
    public String toString() {
        return tool.command() + ", " + size + " bytes";
    }
}
