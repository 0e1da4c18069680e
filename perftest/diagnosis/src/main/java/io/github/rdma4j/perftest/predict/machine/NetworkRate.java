// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.predict.machine;

import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts the rate in sysfs to a data rate. */
final class NetworkRate {
    private static final Pattern RATE = Pattern.compile("(\\d{1,5}(?:\\.\\d)?) Gb/sec(?: \\(\\d{1,2}X (\\w+)\\))?");

    private NetworkRate() {}

    /**
     * Parses text such as {@code 56 Gb/sec (4X FDR)}. InfiniBand up to FDR is named by its signalling rate: SDR, DDR
     * and QDR send 10 bits for 8, FDR sends 66 for 64, and its 56 are 56.25.
     *
     * @param infiniBand whether the link is InfiniBand; Ethernet is named by its data rate
     * @return 10⁹ bit/s of data; empty if the text is not a rate
     */
    static OptionalDouble parse(String text, boolean infiniBand) {
        Matcher matcher = RATE.matcher(text.strip());
        if (!matcher.matches() || Double.parseDouble(matcher.group(1)) == 0) {
            return OptionalDouble.empty();
        }
        double rate = Double.parseDouble(matcher.group(1));
        String name = infiniBand && matcher.group(2) != null ? matcher.group(2) : "";
        return OptionalDouble.of(
                switch (name) {
                    case "SDR", "DDR", "QDR" -> rate * 0.8;
                    case "FDR" -> Math.round(rate * (56.25 / 56) * 64 / 66 * 100) / 100.0;
                    default -> rate;
                });
    }
}
