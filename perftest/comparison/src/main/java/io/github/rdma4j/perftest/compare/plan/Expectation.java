// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.plan;

import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A bound on a ratio, which turns the comparison into a gate: {@code TOOL:SIZE:median<=NUMBER}; {@code best} and {@code
 * >=} are the other choices. It applies to the tool's first metric, t_typical or BW average. The median is the median
 * of the rounds' ratios, as in the table.
 *
 * @param text the text on the command line
 * @param test tool and size
 * @param best whether it applies to the best figures instead of the median of the ratios
 * @param atMost whether it is an upper bound
 * @param bound the bound on the ratio of Java's figure to C's
 */
public record Expectation(String text, CompareCase test, boolean best, boolean atMost, double bound) {
    private static final Pattern SYNTAX =
            Pattern.compile("([a-z_]+):([0-9]+[KM]?):(best|median)(<=|>=)([0-9]{1,9}(?:\\.[0-9]{1,9})?)");

    /**
     * Parses an expectation.
     *
     * @throws IllegalParameterException when the text is invalid, or about a row that the comparison will not have
     */
    public static Expectation parse(String text, List<CompareCase> cases) {
        Matcher parts = SYNTAX.matcher(text);
        if (!parts.matches()) {
            throw new IllegalParameterException("--expect: '" + text
                    + "' is not of the form TOOL:SIZE:median<=NUMBER (or best, or >=), as in"
                    + " ib_write_lat:2:median<=1.10");
        }
        CompareCase test = CompareCase.expected(parts.group(1), parts.group(2), cases);
        return new Expectation(
                text,
                test,
                parts.group(3).equals("best"),
                parts.group(4).equals("<="),
                Double.parseDouble(parts.group(5)));
    }

    /** Returns whether the ratio is as expected. An undefined ratio, as of a C tool that has printed 0, is not. */
    public boolean isMet(double ratio) {
        return Double.isFinite(ratio) && (atMost ? ratio <= bound : ratio >= bound);
    }
}
