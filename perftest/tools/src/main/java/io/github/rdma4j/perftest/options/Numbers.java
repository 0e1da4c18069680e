// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.options;

import java.math.BigInteger;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses numbers like strtol(3), which the C tools use: decimal, hexadecimal after 0x, octal after 0. */
final class Numbers {
    private Numbers() {}

    /** Parses a number. One that is too large for a long becomes the largest long, or the smallest one. */
    static long parse(String text) {
        String digits = text.stripLeading();
        String sign = digits.startsWith("-") || digits.startsWith("+") ? digits.substring(0, 1) : "";
        digits = digits.substring(sign.length());
        int radix = 10;
        if (digits.startsWith("0x") || digits.startsWith("0X")) {
            radix = 16;
            digits = digits.substring(2);
        } else if (digits.startsWith("0")) {
            radix = 8;
        }
        try {
            // Another sign would be one of BigInteger's own at the start of the digits.
            BigInteger value = new BigInteger(digits.isEmpty() ? "" : sign + 0 + digits, radix);
            return value.max(BigInteger.valueOf(Long.MIN_VALUE))
                    .min(BigInteger.valueOf(Long.MAX_VALUE))
                    .longValue();
        } catch (NumberFormatException _) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
    }

    /**
     * Parses a number of bytes with an optional suffix K or M (2^10, 2^20). One that is too large becomes the largest
     * long.
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
