// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import io.github.rdma4j.perftest.options.Ranges;
import io.github.rdma4j.perftest.options.Tool;
import java.util.List;

/**
 * A row of the comparison.
 *
 * @param tool the tool
 * @param size message size in bytes
 */
public record CompareCase(Tool tool, long size) {
    /**
     * The case that an expectation is about.
     *
     * @throws IllegalParameterException when there is no such tool or size, or it is not among the cases
     */
    public static CompareCase expected(String tool, String size, List<CompareCase> cases) {
        CompareCase test = new CompareCase(SizeLists.tool("--expect", tool), Ranges.messageSize("--expect", size));
        if (!cases.contains(test)) {
            throw new IllegalParameterException("--expect: " + test + " is not among what is compared");
        }
        return test;
    }

    /** Returns the kind of measurement. */
    public Kind kind() {
        return Kind.of(tool);
    }

    @Override
    public String toString() {
        return tool.command() + ", " + size + " bytes";
    }
}
