// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict;

import io.github.rdma4j.perftest.predict.model.DataPath;
import java.util.Locale;

/** Numbers as people read them. */
final class NumberText {
    private static final double GIGA = 1e9;

    private NumberText() {}

    /** Bytes per second, such as {@code 24.8 GB/s}. */
    static String rate(double bytesPerSecond) {
        if (bytesPerSecond < 1e6) {
            return number(bytesPerSecond / 1e3, 1) + " kB/s";
        }
        return bytesPerSecond < GIGA
                ? number(bytesPerSecond / 1e6, 1) + " MB/s"
                : number(bytesPerSecond / GIGA, bytesPerSecond < 100 * GIGA ? 2 : 1) + " GB/s";
    }

    /** A size, such as {@code 64 KiB}. */
    static String size(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB"};
        int unit = 0;
        while (unit < units.length - 1 && bytes % 1024 == 0 && bytes >= 1024) {
            bytes /= 1024;
            unit++;
        }
        return bytes + " " + units[unit];
    }

    /** Seconds, such as {@code 2.5 ms}. */
    static String seconds(double seconds) {
        if (seconds < 1e-3) {
            return number(seconds * 1e6, 1) + " µs";
        }
        return seconds < 1 ? number(seconds * 1e3, 2) + " ms" : number(seconds, 2) + " s";
    }

    /** A share in percent. */
    static String percent(double share) {
        return number(share * 100, 0) + " %";
    }

    static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** Describes the limit. */
    static String bound(String bound) {
        return switch (bound) {
            case DataPath.MESSAGES -> "the time of each message";
            case DataPath.PROCESSOR -> "the processor";
            case DataPath.DEPTH -> "too few messages on their way";
            default -> bound;
        };
    }
}
