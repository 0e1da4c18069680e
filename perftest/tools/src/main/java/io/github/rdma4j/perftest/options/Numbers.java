// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses numbers: decimal, or hexadecimal after 0x. */
final class Numbers {
    private Numbers() {}

    static long parse(String text) {
        try {
            return text.startsWith("0x") ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
    }

    /**
     * Parses a number of bytes with an optional suffix K or M (2^10, 2^20). Values that are too large for a long become
     * the largest long.
     */
    static final class Bytes implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            long factor = text.endsWith("K") ? 1L << 10 : text.endsWith("M") ? 1L << 20 : 1;
            long value;
            try {
                value = parse(factor > 1 ? text.substring(0, text.length() - 1) : text);
            } catch (TypeConversionException _) {
                throw new TypeConversionException("'" + text + "' is not a whole number");
            }
            return value > Long.MAX_VALUE / factor ? Long.MAX_VALUE : value * factor;
        }
    }

    /** A number of 32 bits. What does not fit becomes the largest or smallest one, which no option allows. */
    static final class Int implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return Math.clamp(parse(text), Integer.MIN_VALUE, Integer.MAX_VALUE);
        }
    }
}
