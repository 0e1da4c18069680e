// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.doctor.check;

import io.github.rdma4j.perftest.doctor.machine.MachineFiles;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * NVIDIA's kernel driver, from {@code /proc/driver/nvidia/version}.
 *
 * @param version such as {@code 580.95.05}; empty if the file does not contain it
 * @param open whether the kernel modules are the open ones
 */
record KernelDriver(Optional<String> version, boolean open) {
    static final String FILE = "proc/driver/nvidia/version";
    private static final Pattern VERSION = Pattern.compile("\\b(\\d{3,4}\\.\\d{1,3}(?:\\.\\d{1,3})?)\\b");

    /** Reads the driver, if it is loaded. */
    static Optional<KernelDriver> of(MachineFiles files) {
        return files.text(FILE).map(KernelDriver::parse);
    }

    private static KernelDriver parse(String text) {
        String line = text.lines()
                .filter(each -> each.startsWith("NVRM version:"))
                .findFirst()
                .orElse("");
        Matcher version = VERSION.matcher(line);
        return new KernelDriver(
                version.find() ? Optional.of(version.group(1)) : Optional.empty(), line.contains("Open Kernel Module"));
    }

    /** Returns the number of the driver's branch, such as 580; 0 if unknown. */
    int branch() {
        return version.map(text -> Integer.parseInt(text.substring(0, text.indexOf('.'))))
                .orElse(0);
    }
}
