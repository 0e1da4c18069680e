// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limit on locked memory (RLIMIT_MEMLOCK) of this process and how much of it is in use, as the kernel tells it.
 *
 * @param softLimit in bytes; {@link Long#MAX_VALUE} if unlimited
 * @param hardLimit in bytes; {@link Long#MAX_VALUE} if unlimited
 * @param pinned the bytes that are pinned now, registered memory among them
 */
public record LockedMemoryLimit(long softLimit, long hardLimit, long pinned) {
    /** {@return the limit of this process} */
    public static LockedMemoryLimit current() {
        try {
            return parse(
                    Files.readString(Path.of("/proc/self/limits")), Files.readString(Path.of("/proc/self/status")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Reads the texts of {@code /proc/self/limits} and {@code /proc/self/status}.
     *
     * @param limits the first
     * @param status the second
     * @return what they say
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

    /** {@return the limit in words: {@code RLIMIT_MEMLOCK is 8388608 bytes (hard limit 8388608), 0 bytes are pinned now}} */
    public String describe() {
        return "RLIMIT_MEMLOCK is %s (hard limit %s), %d bytes are pinned now"
                .formatted(words(softLimit), words(hardLimit), pinned);
    }

    private static String words(long limit) {
        return limit == Long.MAX_VALUE ? "unlimited" : limit + " bytes";
    }
}
