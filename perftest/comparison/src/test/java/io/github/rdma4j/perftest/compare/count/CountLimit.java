// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.compare.count;

import io.github.rdma4j.perftest.compare.plan.CompareCase;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The most instructions that an operation may take, which turns counting into a gate: {@code TOOL:SIZE:user<=NUMBER}.
 *
 * @param text the text on the command line
 * @param test tool and size
 * @param most instructions of Java's client outside the kernel
 */
public record CountLimit(String text, CompareCase test, double most) {
    private static final Pattern SYNTAX =
            Pattern.compile("([a-z_]+):([0-9]+[KM]?):user<=([0-9]{1,9}(?:\\.[0-9]{1,9})?)");

    /**
     * Parses a limit.
     *
     * @throws IllegalParameterException when the text is invalid, or about a case that is not counted
     */
    public static CountLimit parse(String text, List<CompareCase> cases) {
        Matcher parts = SYNTAX.matcher(text);
        if (!parts.matches()) {
            throw new IllegalParameterException("--expect: '" + text
                    + "' is not of the form TOOL:SIZE:user<=NUMBER, as in ib_write_lat:2:user<=400");
        }
        CompareCase test = CompareCase.expected(parts.group(1), parts.group(2), cases);
        return new CountLimit(text, test, Double.parseDouble(parts.group(3)));
    }

    /** Returns whether a case has limits. */
    public static boolean areOf(List<CountLimit> limits, CompareCase test) {
        return limits.stream().anyMatch(limit -> limit.test.equals(test));
    }

    /** Returns whether a case stays below all limits that it has. */
    public static boolean areMet(List<CountLimit> limits, CountedCase one) {
        return limits.stream().allMatch(limit -> limit.isMet(List.of(one)));
    }

    /** Returns whether what was counted is undisturbed and stays below. */
    public boolean isMet(List<CountedCase> cases) {
        return cases.stream()
                .filter(one -> one.test().equals(test))
                .allMatch(one -> one.undisturbed() && one.javaUser() <= most);
    }
}
