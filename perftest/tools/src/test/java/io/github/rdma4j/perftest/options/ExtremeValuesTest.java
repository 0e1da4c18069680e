// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.rdma4j.perftest.CommandRun;
import io.github.rdma4j.perftest.exit.IllegalParameterException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ExtremeValuesTest {
    private static final Pattern OPTION_WITH_VALUE = Pattern.compile("(--[\\w-]+)=<");
    private static final List<String> VALUES = List.of(
            "-1", "0", "2147483647", "2147483648", "9223372036854775808", "", " ", "abc", "1e9", "1.5", "0x10", "NaN");

    /** Every option of the help that has a value, of whatever kind. */
    @ParameterizedTest
    @EnumSource
    void everyValueIsTakenOrRefusedInOneLine(Tool tool) {
        List<String> options = OPTION_WITH_VALUE
                .matcher(CommandRun.of(tool, "--help").out())
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(options).contains("--iters", "--port", "--qp-timeout", "--pkey_index", "--tclass");
        List<String> wrong = new ArrayList<>();
        for (String option : options) {
            for (String value : VALUES) {
                for (List<String> line : List.of(List.of(option + "=" + value), List.of(option, value))) {
                    try {
                        RunParameters.parse(tool, line);
                    } catch (IllegalParameterException refusal) {
                        if (refusal.getMessage().isBlank()
                                || refusal.getMessage().strip().contains("\n")) {
                            wrong.add(line + ": " + refusal.getMessage());
                        }
                    } catch (RuntimeException failure) {
                        wrong.add(line + ": " + failure);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }
}
