// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import java.util.Locale;

/** Formats sizes. */
final class Bytes {
    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Bytes() {}

    /** Formats a size, such as 256 MiB, or 79.6 GiB. */
    static String words(long bytes) {
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return (value == Math.rint(value)
                        ? String.format(Locale.ROOT, "%.0f ", value)
                        : String.format(Locale.ROOT, "%.1f ", value))
                + UNITS[unit];
    }
}
