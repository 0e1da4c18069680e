// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** The memory that the control groups of this process allow, for instance in a container. */
public final class ControlGroupMemory {
    private static final String MOUNT = "sys/fs/cgroup";

    private ControlGroupMemory() {}

    /** {@return the limit in bytes; empty if there is none} */
    public static OptionalLong limit() {
        return limit(Path.of("/"));
    }

    /** Usage counts in each group, so that the lowest limit of the process's group and those above applies. */
    static OptionalLong limit(Path root) {
        return folders(root).stream()
                .flatMap(folder ->
                        Stream.of("memory.max", "memory.limit_in_bytes").map(folder::resolve))
                .map(ControlGroupMemory::text)
                // Version 2 says "max" for no limit, version 1 a number near 2^63.
                .filter(text -> text.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .min();
    }

    /** Reads lines such as {@code 0::/user.slice} (version 2) and {@code 5:memory:/job} (version 1). */
    private static List<Path> folders(Path root) {
        List<Path> folders = new ArrayList<>();
        for (String line : text(root.resolve("proc/self/cgroup")).lines().toList()) {
            String[] fields = line.split(":", 3);
            boolean second = fields.length == 3 && fields[1].isEmpty();
            if (second || fields.length == 3 && List.of(fields[1].split(",")).contains("memory")) {
                Path mount = root.resolve(second ? MOUNT : MOUNT + "/memory");
                Path group = mount.resolve(fields[2].replaceFirst("^/", ""));
                // In a container the root of the mount is also a group.
                for (; group.startsWith(mount); group = group.getParent()) {
                    folders.add(group);
                }
            }
        }
        return folders;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
