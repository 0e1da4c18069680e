// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.explain;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Explains EFAULT of a registration: from the mappings that the range lies in (proc_pid_maps(5)), the file systems
 * behind them and the kernel's version.
 *
 * <p>Before Linux 6.2 the kernel pins all memory for writing, which a shared read-only mapping does not allow. Since
 * Linux 6.5 it does not pin a shared mapping for writing if the file system must write the pages back.
 *
 * @param maps the lines of {@code /proc/self/maps}
 * @param mounts the lines of {@code /proc/self/mountinfo}
 * @param release the kernel's version, such as {@code 6.1.0-50-amd64}
 */
record PinRefusal(List<String> maps, List<String> mounts, String release) {
    private static final long PAGE = 4096;
    private static final String DELETED = " (deleted)";

    /** File systems whose pages have no other place than memory. */
    private static final Set<String> IN_MEMORY = Set.of("tmpfs", "hugetlbfs", "ramfs", "devtmpfs");

    private static final String PRIVATE = "map the file with MapMode.PRIVATE";
    private static final String PRIVATE_OR_WRITABLE = "map the file with MapMode.READ_WRITE or PRIVATE";

    /** {@return the mappings of this process} */
    static PinRefusal current() {
        return new PinRefusal(
                lines("/proc/self/maps"), lines("/proc/self/mountinfo"), System.getProperty("os.version", ""));
    }

    private static List<String> lines(String file) {
        try {
            return Files.readAllLines(Path.of(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return List.of();
        }
    }

    /** One line of {@code /proc/self/maps}. */
    private record Mapping(long start, long end, String rights, long offset, String device, String path) {
        static Mapping parse(String line) {
            String[] fields = line.split(" +", 6);
            String[] range = fields[0].split("-");
            return new Mapping(
                    HexFormat.fromHexDigitsToLong(range[0]),
                    HexFormat.fromHexDigitsToLong(range[1]),
                    fields[1],
                    HexFormat.fromHexDigitsToLong(fields[2]),
                    fields[3],
                    fields.length < 6 ? "" : fields[5]);
        }

        boolean isWritable() {
            return rights.charAt(1) == 'w';
        }

        boolean isShared() {
            return rights.charAt(3) == 's';
        }

        boolean isFile() {
            return path.startsWith("/");
        }

        OptionalLong fileSize() {
            try {
                return isFile() && !path.endsWith(DELETED)
                        ? OptionalLong.of(Files.size(Path.of(path)))
                        : OptionalLong.empty();
            } catch (IOException | InvalidPathException e) {
                return OptionalLong.empty();
            }
        }
    }

    /**
     * Finds mappings that cannot be pinned.
     *
     * @param address of the range
     * @param length in bytes
     * @param writes whether the access lets the device write
     * @return cause and remedy; empty if the mappings do not show one
     */
    Explanation of(long address, long length, boolean writes) {
        Explanation explanation = new Explanation();
        long end = address + length;
        long next = address;
        for (String line : maps) {
            Mapping mapping = Mapping.parse(line);
            // Addresses of a process are never negative, except the kernel's vsyscall page.
            if (mapping.start < 0 || mapping.end <= next || next >= end) {
                continue;
            }
            if (mapping.start > next) {
                return unmapped(explanation, next, Math.min(mapping.start, end));
            }
            long last = Math.min(mapping.end, end);
            refused(explanation, mapping, last, writes);
            if (!explanation.isEmpty()) {
                return explanation;
            }
            next = last;
        }
        return next < end && !maps.isEmpty() ? unmapped(explanation, next, end) : explanation;
    }

    private static Explanation unmapped(Explanation explanation, long from, long to) {
        return explanation.add(
                "0x%x to 0x%x is not mapped".formatted(from, to),
                "register memory that is mapped, and keep it mapped until the region is closed");
    }

    private void refused(Explanation explanation, Mapping mapping, long last, boolean writes) {
        OptionalLong size = mapping.fileSize();
        boolean beyond =
                size.isPresent() && (size.getAsLong() + PAGE - 1) / PAGE * PAGE < mapping.offset + last - mapping.start;
        if (beyond) {
            explanation.add(
                    "the range extends beyond the end of %s, which has %d bytes"
                            .formatted(mapping.path, size.getAsLong()),
                    "make the file as long as its mapping, or register only what the file has");
        } else if (isDevice(mapping)) {
            explanation.add(
                    mapping.path + " maps the memory of a device, which the kernel does not pin",
                    "register it as a dma-buf, or register memory of the process");
        } else if (mapping.rights.charAt(0) != 'r') {
            explanation.add(
                    "0x%x to 0x%x is mapped without read access".formatted(mapping.start, mapping.end),
                    "map it for reading");
        } else if (writes && !mapping.isWritable()) {
            readOnly(explanation, mapping);
        } else if (!mapping.isWritable() && mapping.isShared() && isBefore(6, 2)) {
            explanation.add(
                    name(mapping) + " is a shared read-only mapping, which the kernel pins from Linux 6.2 on; this is "
                            + release,
                    isOnDisk(mapping) || mapping.isFile() ? PRIVATE_OR_WRITABLE : "map it for writing");
        } else if (writes && mapping.isShared() && isOnDisk(mapping)) {
            explanation.add(
                    ("%s is a shared mapping of a file on %s, which the kernel does not pin for writing from Linux 6.5"
                                    + " on; this is %s")
                            .formatted(name(mapping), fileSystem(mapping).orElseThrow(), release),
                    "keep the file on tmpfs or hugetlbfs, " + PRIVATE
                            + ", or register it without write access, for REMOTE_READ alone");
        }
    }

    /** Memory that a device may write to must be mapped writable. */
    private void readOnly(Explanation explanation, Mapping mapping) {
        boolean sharedRefused = isOnDisk(mapping) && !isBefore(6, 5);
        String writable = !mapping.isFile() ? "map it for writing" : sharedRefused ? PRIVATE : PRIVATE_OR_WRITABLE;
        boolean readable = !mapping.isShared() || !isBefore(6, 2);
        explanation.add(
                name(mapping) + " is mapped read-only, and the access lets the device write",
                writable + (readable ? ", or register it without write access, for REMOTE_READ alone" : ""));
    }

    private static String name(Mapping mapping) {
        return mapping.path.isEmpty()
                ? "0x%x to 0x%x".formatted(mapping.start, mapping.end)
                : mapping.path.replace(DELETED, "");
    }

    private boolean isDevice(Mapping mapping) {
        boolean ofMemory = mapping.path.startsWith("/dev/zero") || mapping.path.startsWith("/dev/shm/");
        return mapping.path.startsWith("/dev/")
                && !ofMemory
                && fileSystem(mapping).filter("devtmpfs"::equals).isPresent();
    }

    private boolean isOnDisk(Mapping mapping) {
        return fileSystem(mapping).filter(type -> !IN_MEMORY.contains(type)).isPresent();
    }

    /** A memfd and shared memory of System V have none: their file system is mounted nowhere. */
    private Optional<String> fileSystem(Mapping mapping) {
        String[] numbers = mapping.device.split(":");
        String device = Integer.parseInt(numbers[0], 16) + ":" + Integer.parseInt(numbers[1], 16);
        for (String mount : mounts) {
            String[] halves = mount.split(" - ", 2);
            if (halves.length == 2 && halves[0].split(" ")[2].equals(device)) {
                return Optional.of(halves[1].split(" ")[0]);
            }
        }
        return Optional.empty();
    }

    /** A version that cannot be parsed counts as neither older nor newer. */
    private boolean isBefore(int major, int minor) {
        String[] numbers = release.split("[^0-9]+", 3);
        if (numbers.length < 2 || numbers[0].isEmpty() || numbers[1].isEmpty()) {
            return false;
        }
        int itsMajor = Integer.parseInt(numbers[0]);
        return itsMajor < major || itsMajor == major && Integer.parseInt(numbers[1]) < minor;
    }
}
