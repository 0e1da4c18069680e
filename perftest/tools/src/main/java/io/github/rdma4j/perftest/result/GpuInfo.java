// SPDX-FileCopyrightText: 2026 the rdma4j authors
// SPDX-License-Identifier: Apache-2.0
package io.github.rdma4j.perftest.result;

import java.util.List;

/**
 * The GPU of the measured memory, and the adapter's path to it.
 *
 * @param gpu number, name and PCI address
 * @param memory the kind of memory
 * @param path the name on the command line; {@code odp} for memory that is paged on demand
 * @param note the consequence of the path for the figures, or an empty string
 * @param refused why each better path was rejected, in the order in which they were tried
 */
public record GpuInfo(String gpu, String memory, String path, String note, List<Refused> refused) {
    /**
     * A path that was not taken.
     *
     * @param path as on the command line
     * @param why the reason in words
     */
    public record Refused(String path, String why) {}

    /** Copies the list. */
    public GpuInfo {
        refused = List.copyOf(refused);
    }

    /** Describes the path, and its consequence for the figures. */
    public String describePath() {
        return path + (note.isEmpty() ? "" : ": " + note);
    }
}
