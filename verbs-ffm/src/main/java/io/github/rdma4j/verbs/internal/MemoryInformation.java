// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * The kernel's information about the machine's memory (proc_meminfo(5)).
 *
 * @param text the contents of {@code /proc/meminfo}, empty if it cannot be read
 */
public record MemoryInformation(String text) {
    /** {@return the current information} */
    public static MemoryInformation machine() {
        try {
            return new MemoryInformation(Files.readString(Path.of("/proc/meminfo")));
        } catch (IOException e) {
            return new MemoryInformation("");
        }
    }

    /**
     * Returns a size.
     *
     * @param field such as {@code MemTotal}
     * @return the size in bytes; empty if the field is missing
     */
    public OptionalLong bytes(String field) {
        return text.lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.replaceAll("\\D", ""))
                .filter(digits -> !digits.isEmpty())
                .mapToLong(digits -> Long.parseLong(digits) * 1024)
                .findFirst();
    }
}
