// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.base;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Duration;

/** Formats a time for messages: {@code 339 ms}, where {@link Duration#toString} has {@code PT0.339086592S}. */
public final class TimeText {
    private static final MathContext THREE_DIGITS = new MathContext(3, RoundingMode.HALF_UP);
    /** From here on seconds are whole. */
    private static final int WHOLE_SECONDS = 100;

    private static final int SECOND = 9;
    private static final int MILLISECOND = 6;
    private static final int MICROSECOND = 3;

    private TimeText() {}

    /**
     * Formats a time.
     *
     * @param time any length, also negative
     * @return the time in the unit that suits it, to the millisecond or with three digits
     */
    public static String of(Duration time) {
        long seconds = time.getSeconds();
        // The smallest long has no absolute value.
        if (seconds >= WHOLE_SECONDS || seconds <= -WHOLE_SECONDS) {
            return seconds + " s";
        }
        long nanos = time.toNanos();
        long size = Math.abs(nanos);
        if (size == 0 || size >= 1_000_000_000) {
            return text(BigDecimal.valueOf(nanos, SECOND).setScale(3, RoundingMode.HALF_UP), " s");
        }
        if (size >= 1_000_000) {
            return text(BigDecimal.valueOf(nanos, MILLISECOND).round(THREE_DIGITS), " ms");
        }
        return size >= 1_000 ? text(BigDecimal.valueOf(nanos, MICROSECOND).round(THREE_DIGITS), " µs") : nanos + " ns";
    }

    private static String text(BigDecimal number, String unit) {
        return number.stripTrailingZeros().toPlainString() + unit;
    }
}
