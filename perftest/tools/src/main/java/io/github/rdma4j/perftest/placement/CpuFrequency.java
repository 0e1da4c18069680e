// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalDouble;
import java.util.regex.Pattern;

/** The CPU's frequency as the kernel reports it and the C tools use it: the first CPU's megahertz. */
public final class CpuFrequency {
    private static final Pattern LINE = Pattern.compile("(?m)^cpu MHz\\s*:\\s*(\\d{1,6}(?:\\.\\d+)?)\\s*$");

    /** As in C: the least relative difference between two frequencies that differ. */
    private static final double TOLERANCE = 0.02;

    private CpuFrequency() {}

    private static String cpuinfo() {
        try {
            return Files.readString(Path.of("/proc/cpuinfo"), StandardCharsets.UTF_8);
        } catch (IOException _) {
            return "";
        }
    }

    /** Returns the frequency of this machine; empty if the kernel does not report it, as on aarch64. */
    public static OptionalDouble megahertz() {
        return of(cpuinfo());
    }

    /** Returns the frequency of the first processor that runs at another frequency now; empty if there is none. */
    public static OptionalDouble conflicting() {
        return conflicting(cpuinfo());
    }

    /** Parses {@code /proc/cpuinfo}. */
    static OptionalDouble of(String text) {
        double[] all = all(text);
        return all.length > 0 && all[0] > 0 ? OptionalDouble.of(all[0]) : OptionalDouble.empty();
    }

    static OptionalDouble conflicting(String text) {
        double[] all = all(text);
        return Arrays.stream(all)
                .filter(value -> Math.abs(value - all[0]) > TOLERANCE * all[0])
                .findFirst();
    }

    private static double[] all(String text) {
        return LINE.matcher(text)
                .results()
                .mapToDouble(line -> Double.parseDouble(line.group(1)))
                .toArray();
    }
}
