// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.verbs.internal.datapath;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The mappings of this process, as reported by the kernel ({@code /proc/self/maps}, proc_pid_maps(5)). Pointers of
 * other libraries are checked against them before they are dereferenced.
 *
 * @param regions in the order of their addresses
 */
record MemoryMap(List<Region> regions) {
    private static final Path MAPS = Path.of("/proc/self/maps");

    /**
     * One mapping.
     *
     * @param start its first byte
     * @param end the address after its last byte
     * @param access such as {@code rw-s}
     * @param offset the offset of the first byte in the mapped file
     * @param path the path of the mapped file; empty if it is not a file
     */
    record Region(long start, long end, String access, long offset, String path) {
        boolean has(long address, long length) {
            return Long.compareUnsigned(start, address) <= 0 && Long.compareUnsigned(address + length, end) <= 0;
        }
    }

    /** Reads the current mappings. */
    static MemoryMap read() throws IOException {
        // Not as UTF-8, because a file may have any name.
        return parse(Files.readAllLines(MAPS, StandardCharsets.ISO_8859_1));
    }

    /** Lines such as {@code 7f0a1000-7f0a3000 rw-s 00012000 00:06 341    /dev/infiniband/uverbs0}. */
    static MemoryMap parse(List<String> lines) {
        List<Region> regions = new ArrayList<>(lines.size());
        for (String line : lines) {
            String[] words = line.split(" +", 6);
            int dash = words[0].indexOf('-');
            regions.add(new Region(
                    Long.parseUnsignedLong(words[0], 0, dash, 16),
                    Long.parseUnsignedLong(words[0], dash + 1, words[0].length(), 16),
                    words[1],
                    Long.parseUnsignedLong(words[2], 16),
                    words.length < 6 ? "" : words[5]));
        }
        return new MemoryMap(List.copyOf(regions));
    }

    /** Returns the mapping that contains all these bytes. */
    Optional<Region> region(long address, long length) {
        return regions.stream().filter(region -> region.has(address, length)).findFirst();
    }

    /** Returns whether a program may read all these bytes. */
    boolean canRead(long address, long length) {
        return region(address, length)
                .filter(region -> region.access.startsWith("r"))
                .isPresent();
    }
}
