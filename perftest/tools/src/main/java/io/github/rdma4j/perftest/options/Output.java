// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The figure to print with --output, which prints only one. */
public enum Output {
    /** Average bandwidth, in the unit of the report. */
    BANDWIDTH("bandwidth"),

    /** Million messages per second. */
    MESSAGE_RATE("message_rate"),

    /** Average latency in microseconds. */
    LATENCY("latency");

    private final String word;

    Output(String word) {
        this.word = word;
    }

    /** Returns the name on the command line. */
    String word() {
        return word;
    }

    boolean isForLatency() {
        return this == LATENCY;
    }

    static String words(boolean latency) {
        return Arrays.stream(values())
                .filter(output -> output.isForLatency() == latency)
                .map(Output::word)
                .collect(Collectors.joining(" or "));
    }

    /** Parses the name. */
    static final class Converter implements ITypeConverter<Output> {
        @Override
        public Output convert(String text) {
            return Arrays.stream(values())
                    .filter(output -> output.word.equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException(
                            "'" + text + "' is unknown; allowed is bandwidth, message_rate or latency"));
        }
    }
}
