// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.placement;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How fast the processor runs, as the kernel tells it and the C tools take it: the first CPU's megahertz. */
public final class CpuFrequency {
    private static final Pattern LINE = Pattern.compile("(?m)^cpu MHz\\s*:\\s*(\\d{1,6}(?:\\.\\d+)?)\\s*$");

    private CpuFrequency() {}

    /** Of this machine; empty where the kernel does not tell, as on aarch64. */
    public static OptionalDouble megahertz() {
        try {
            return of(Files.readString(Path.of("/proc/cpuinfo"), StandardCharsets.UTF_8));
        } catch (IOException _) {
            return OptionalDouble.empty();
        }
    }

    /** Of what {@code /proc/cpuinfo} says. */
    static OptionalDouble of(String text) {
        Matcher line = LINE.matcher(text);
        double value = line.find() ? Double.parseDouble(line.group(1)) : 0;
        return value > 0 ? OptionalDouble.of(value) : OptionalDouble.empty();
    }
}
