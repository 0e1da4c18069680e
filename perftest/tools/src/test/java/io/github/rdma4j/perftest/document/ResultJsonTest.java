// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.document;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ResultJsonTest {
    @ParameterizedTest
    @CsvSource({
        "4.3830872e-6, 4.38309e-6",
        "-0.95218412, -0.952184",
        "0, 0",
        "1.23456749, 1.234567",
        "9999999.1234567, 9999999.123457"
    })
    void smallFiguresKeepTheirDigits(double value, double written) {
        assertThat(ResultJson.rounded(value)).isEqualTo(written);
    }
}
