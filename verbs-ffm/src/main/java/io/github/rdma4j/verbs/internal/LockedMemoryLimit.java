// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limit on locked memory (RLIMIT_MEMLOCK) of this process and how much of it is in use, as reported by the kernel.
 *
 * @param softLimit in bytes; {@link Long#MAX_VALUE} if unlimited, -1 if unknown
 * @param hardLimit in bytes; {@link Long#MAX_VALUE} if unlimited, -1 if unknown
 * @param pinned the bytes that are pinned now, including registered memory
 */
public record LockedMemoryLimit(long softLimit, long hardLimit, long pinned) {
    private static final long UNKNOWN = -1;

    /**
     * {@return the limit of this process; unknown if the kernel does not report it, because it only explains an error}
     */
    public static LockedMemoryLimit current() {
        try {
            return read(Path.of("/proc/self/limits"), Path.of("/proc/self/status"));
        } catch (IOException | RuntimeException e) {
            return new LockedMemoryLimit(UNKNOWN, UNKNOWN, UNKNOWN);
        }
    }

    /**
     * Reads the limit from two files. The name of a process can contain any bytes, also because the kernel cuts it
     * after 15.
     */
    static LockedMemoryLimit read(Path limits, Path status) throws IOException {
        return parse(
                Files.readString(limits, StandardCharsets.ISO_8859_1),
                Files.readString(status, StandardCharsets.ISO_8859_1));
    }

    /**
     * Returns whether this limit allows pinning the given number of bytes.
     *
     * @param length in bytes
     * @return also false if the limit is unknown
     */
    public boolean allows(long length) {
        return softLimit != UNKNOWN && length <= softLimit - Math.max(pinned, 0);
    }

    /**
     * Parses the texts of {@code /proc/self/limits} and {@code /proc/self/status}.
     *
     * @param limits the first
     * @param status the second
     * @return the limit
     */
    static LockedMemoryLimit parse(String limits, String status) {
        String[] fields = line(limits, "Max locked memory").strip().split("\\s+");
        String[] pinned = line(status, "VmPin:").strip().split("\\s+");
        return new LockedMemoryLimit(bytes(fields[0]), bytes(fields[1]), Long.parseLong(pinned[0]) * 1024);
    }

    private static String line(String text, String label) {
        return text.lines()
                .filter(line -> line.startsWith(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no line '" + label + "'"))
                .substring(label.length());
    }

    private static long bytes(String field) {
        return field.equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(field);
    }

    /**
     * {@return the limit in words, such as {@code RLIMIT_MEMLOCK is 8388608 bytes (hard limit 8388608), 0 bytes are
     * pinned now}}
     */
    public String describe() {
        if (softLimit == UNKNOWN) {
            return "RLIMIT_MEMLOCK is not known";
        }
        return "RLIMIT_MEMLOCK is %s (hard limit %s), %d bytes are pinned now"
                .formatted(words(softLimit), words(hardLimit), pinned);
    }

    private static String words(long limit) {
        return limit == Long.MAX_VALUE ? "unlimited" : limit + " bytes";
    }
}
