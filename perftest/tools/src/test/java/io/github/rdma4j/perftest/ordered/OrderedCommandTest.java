// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.ordered;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OrderedCommandTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        return OrderedCommand.run(
                List.of(arguments),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void helpListsAllOptions() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("--connect", "--port", "--ib-dev", "--size", "--iters", "--work", "--use_cuda", "--gpu-path");
    }

    @ParameterizedTest
    @CsvSource({
        "--size, 0, is not in 1..",
        "--iters, 0, is not in 1..",
        "--port, 70000, is not in 1..65535",
        "--work, -1, is not in 0..",
        "--gpu-path, fast, is not one of auto",
        "--use_cuda, -1, is not in 0..",
        "--size, many, many"
    })
    void contradictionsAreRefused(String option, String value, String words) {
        assertThat(run(option, value)).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains(words)
                .contains("Try 'rdma4j gpu gpu_ordered_lat --help'");
    }
}
